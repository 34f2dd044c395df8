import { afterEach, expect, it, vi } from "vitest";
import { onStop, runStopHooks } from "./stop-hooks.js";

afterEach(() => {
  vi.restoreAllMocks();
});

it("runs every hook once, whatever the others do", async () => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const ran: string[] = [];
  onStop("first", async () => {
    ran.push("first");
    throw new Error("stuck");
  });
  onStop("second", async () => {
    ran.push("second");
  });
  const takeBack = onStop("third", async () => {
    ran.push("third");
  });
  takeBack();
  await runStopHooks();
  await runStopHooks();
  expect(ran).toEqual(["first", "second"]);
  expect(write.mock.calls.map(([text]) => text)).toEqual(["OMC MCP Server: ending first failed: stuck\n"]);
});
