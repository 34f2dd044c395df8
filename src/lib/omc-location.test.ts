import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isSensitive } from "./omc-location.js";

const HOME = "/Users/ann";

test.each([
  ["/Users/ann", true],
  ["/", true],
  ["/Users/ann/.ssh", true],
  ["/Users/ann/.omc", false],
  ["/Users/ann/code/.hidden/x", true],
  ["/Users/ann/Desktop", true],
  ["/Users/ann/DOCUMENTS/work", true],
  ["/Users/ann/library", true],
  ["/Users/ann/ssh/x", true],
  ["/tmp", true],
  ["/tmp/x", true],
  ["/tmpfiles/x", false],
  ["/var/www", true],
  ["/usr/src/x", true],
  ["/etc", true],
  ["/opt/x", true],
  ["/private/var/x", true],
  ["/Users/ann/code", false],
  ["/srv/code/my-documents", false],
  ["/home", false],
])("%s is sensitive: %s", async (path, expected) => {
  expect(await isSensitive(path, HOME)).toBe(expected);
});

test("so is the temporary folder, wherever it is", async () => {
  vi.stubEnv("TMPDIR", "/srv/scratch");
  expect(await isSensitive(join(tmpdir(), "x"), HOME)).toBe(true);
});
