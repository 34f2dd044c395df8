import { expect, test } from "vitest";
import { isSessionId, parseSessionId, requireSessionId, resolveGateSessionId, resolveSessionId } from "./session-id.js";

test.each(["a", "A-1_b", "0".repeat(256), "3f2b8c1e-7a54-4d0b-9c3e-1f2a3b4c5d6e"])("%s is a session id", (id) => {
  expect(parseSessionId(id)).toBe(id);
  expect(isSessionId(id)).toBe(true);
});

test.each([undefined, null, ""])("%j means not given", (value) => {
  expect(parseSessionId(value)).toBeUndefined();
  expect(() => requireSessionId(value)).toThrow("Session ID cannot be empty");
});

test.each([
  ["..", "Invalid session ID: path traversal not allowed (..)"],
  ["a/b", "path traversal not allowed"],
  ["a\\b", "path traversal not allowed"],
  [" ", "Invalid session ID: must be alphanumeric"],
  ["-a", "must be alphanumeric"],
  ["a.b", "must be alphanumeric"],
  ["é", "must be alphanumeric"],
  ["0".repeat(257), "must be alphanumeric"],
  [7, "must be alphanumeric"],
  [{ includes: 1 }, "must be alphanumeric"],
])("%j is refused", (value, message) => {
  expect(() => parseSessionId(value)).toThrow(message);
});

test.each([
  ["given", { OMC_SESSION_ID: "env" }, "given"],
  [undefined, { OMC_SESSION_ID: "env" }, "env"],
  [null, { OMC_SESSION_ID: "env" }, "env"],
  ["", { OMC_SESSION_ID: "env" }, undefined],
  [undefined, { OMC_SESSION_ID: "" }, undefined],
  [undefined, {}, undefined],
])("given %j in %j means %j", (given, environment, expected) => {
  expect(resolveSessionId(given, environment)).toBe(expected);
});

test("an unusable id in the environment is named as such", () => {
  expect(() => resolveSessionId(undefined, { OMC_SESSION_ID: "../x" })).toThrow(/^OMC_SESSION_ID cannot be used: Invalid session ID/);
  expect(resolveSessionId("s1", { OMC_SESSION_ID: "../x" })).toBe("s1");
});

test.each([
  ["given", { CLAUDE_SESSION_ID: "claude", OMC_SESSION_ID: "omc" }, "given"],
  [" given ", {}, "given"],
  [undefined, { CLAUDE_SESSION_ID: "claude", OMC_SESSION_ID: "omc" }, "claude"],
  ["", { CLAUDE_SESSION_ID: "claude", OMC_SESSION_ID: "omc" }, "claude"],
  ["  ", { CLAUDE_SESSION_ID: "", OMC_SESSION_ID: "omc" }, "omc"],
  [null, { CLAUDE_SESSION_ID: " ", OMC_SESSION_ID: "omc" }, "omc"],
  [undefined, {}, undefined],
])("a gate: given %j in %j means %j", (given, environment, expected) => {
  expect(resolveGateSessionId(given, environment)).toBe(expected);
});

test("an unusable session of a gate is refused, wherever it comes from", () => {
  expect(() => resolveGateSessionId(undefined, { CLAUDE_SESSION_ID: "a/b", OMC_SESSION_ID: "omc" })).toThrow(/^CLAUDE_SESSION_ID cannot be used: /);
  expect(() => resolveGateSessionId("a/b", {})).toThrow(/^Invalid session ID: path traversal/);
});
