/** What both servers list: the same names in the same order, the same required arguments, and no more bytes. */
import { describe, expect, test } from "vitest";
import { startTwins, type Twin } from "./twins.js";

interface Listed {
  name: string;
  inputSchema: { properties?: Record<string, { enum?: string[] }>; required?: string[] };
}

describe("the tools listed", () => {
  test("have the reference's names, arguments and enumerations, in no more bytes", async () => {
    const { ours, reference } = await startTwins();
    const [mine, theirs] = [await list(ours), await list(reference)];
    expect(mine.tools.map(({ name }) => name)).toEqual(theirs.tools.map(({ name }) => name));
    for (const [index, tool] of theirs.tools.entries()) {
      const { name, inputSchema } = mine.tools[index] as Listed;
      expect(inputSchema.required ?? [], name).toEqual(tool.inputSchema.required ?? []);
      for (const [field, { enum: values }] of Object.entries(tool.inputSchema.properties ?? {})) {
        expect(Object.keys(inputSchema.properties ?? {}), name).toContain(field);
        if (values !== undefined) expect(inputSchema.properties?.[field]?.enum, `${name}.${field}`).toEqual(values);
      }
    }
    expect(mine.bytes).toBeLessThanOrEqual(theirs.bytes);
  });
});

async function list({ server }: Twin): Promise<{ tools: Listed[]; bytes: number }> {
  const { result } = await server.request("tools/list");
  const tools = (result as { tools: Listed[] }).tools;
  return { tools, bytes: Buffer.byteLength(JSON.stringify(tools)) };
}
