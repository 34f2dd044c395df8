import type { Case } from "../case.js";
import { codeCases } from "./code.js";
import { gateCases } from "./gate.js";
import { knowledgeCases } from "./knowledge.js";
import { noteCases } from "./notes.js";
import { pastCases } from "./past.js";
import { stateCases } from "./state.js";

export const allCases: readonly Case[] = [...stateCases, ...gateCases, ...noteCases, ...pastCases, ...knowledgeCases, ...codeCases];
