/** Which programs run a session: the bridge script beside the server, Python to run it, and the project's own Python. */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";

const SCRIPT = "gyoshu_bridge.py";

/** Something that a session needs is not installed. The message says what to do. */
export class InterpreterError extends Error {
  override name = "InterpreterError";
}

export interface Programs {
  script: string;
  /** The interpreter on PATH; it runs the bridge. */
  python: string;
  /** The interpreter of the project's virtual environment; it runs the code, behind the boundary. */
  projectPython: string | undefined;
}

/** @param confined whether only the interpreter on PATH may be used. @throws {InterpreterError} */
export async function findPrograms(projectDir: string, confined: boolean): Promise<Programs> {
  if (process.platform === "win32") {
    throw new InterpreterError("sessions of Python need a system with fork, which Windows is not; run the client in WSL");
  }
  const [script, python, projectPython] = await Promise.all([
    findScript(),
    findOnPath("python3"),
    confined ? undefined : findProjectPython(projectDir),
  ]);
  if (python === undefined) throw new InterpreterError("python3 was not found on PATH; install Python 3.8 or newer");
  return { script, python, projectPython };
}

async function findScript(): Promise<string> {
  const given = process.env["OMC_BRIDGE_SCRIPT"];
  if (given !== undefined && given !== "") {
    if (basename(given) !== SCRIPT || !(await isFile(given))) {
      throw new InterpreterError(`OMC_BRIDGE_SCRIPT must name an existing file called ${SCRIPT}; correct or unset it`);
    }
    return realpath(given);
  }
  const server = process.argv[1] ?? "";
  const script = join(dirname(await realpath(server).catch(() => server)), SCRIPT);
  if (!(await isFile(script))) throw new InterpreterError(`${SCRIPT} is missing beside the server; install the plugin again`);
  return script;
}

async function findProjectPython(projectDir: string): Promise<string | undefined> {
  const path = join(projectDir, ".venv", "bin", "python");
  return (await isFile(path)) ? path : undefined;
}

/** The first executable of that name, asked for anew each time, since people install things while a server runs. */
async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue; // a relative one would be found in the project
    const path = join(folder, name);
    const executable = await access(path, constants.X_OK).then(
      () => isFile(path),
      () => false,
    );
    if (executable) return path;
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}
