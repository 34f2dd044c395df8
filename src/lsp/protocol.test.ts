/** What is repeated of the protocol package is what the package has. */
import * as theirs from "vscode-languageserver-protocol/node";
import { expect, test } from "vitest";
import * as ours from "./protocol.js";

interface Message {
  method: string;
  type: { method: string; numberOfParams: number; parameterStructures?: unknown };
}

const entries = Object.entries(ours);
const messages = entries.filter(([, value]) => "method" in value) as unknown as [string, Message][];
const numbers = entries.filter(([, value]) => !("method" in value));

test.each(messages)("%s", (name, { method, type }) => {
  const known = theirs[name as keyof typeof theirs] as unknown as Message;
  expect(method).toBe(known.method);
  expect(type.method).toBe(known.type.method);
  expect(type.numberOfParams).toBe(known.type.numberOfParams);
  expect(type.parameterStructures).toBe(known.type.parameterStructures);
});

test.each(numbers)("%s", (name, values) => {
  expect(theirs[name as keyof typeof theirs]).toMatchObject(values);
});

test("nothing is missed", () => {
  expect(messages.length).toBeGreaterThan(20);
  expect(numbers.length).toBeGreaterThan(5);
});
