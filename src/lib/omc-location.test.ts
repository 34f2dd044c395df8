import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isSensitive } from "./omc-location.js";

const HOME = "/home/ann";

test.each([
  ["/home/ann", true],
  ["/", true],
  ["/home/ann/.ssh", true],
  ["/home/ann/.omc", false],
  ["/home/ann/code/.hidden/x", true],
  ["/home/ann/Desktop", true],
  ["/home/ann/DOCUMENTS/work", true],
  ["/home/ann/library", true],
  ["/home/ann/ssh/x", true],
  ["/tmp", true],
  ["/tmp/x", true],
  ["/tmpfiles/x", false],
  ["/var/www", true],
  ["/usr/src/x", true],
  ["/etc", true],
  ["/opt/x", true],
  ["/private/var/x", true],
  ["/home/ann/code", false],
  ["/srv/code/my-documents", false],
  ["/home", false],
])("%s is sensitive: %s", async (path, expected) => {
  expect(await isSensitive(path, HOME)).toBe(expected);
});

test("so is the temporary folder, wherever it is", async () => {
  vi.stubEnv("TMPDIR", "/srv/scratch");
  expect(await isSensitive(join(tmpdir(), "x"), HOME)).toBe(true);
});
