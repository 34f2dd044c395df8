/** What `get_state` claims about the boundary is tried; a claim that no test knows fails, and so does one that is not made good. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { removeFolder } from "../test-support/folders.js";
import { ask } from "./python-repl/bridge-client.js";
import { bundlePath } from "../test-support/server.js";
import { metaOf, processesWith, type PythonServer, section, sessionFolder, startPython, startRunning, until } from "../test-support/python.js";

/** Runs statements, each of which must fail, and tells by which error each did. */
const errorsOf = (statements: string[]) =>
  `import subprocess\nresults = []\nfor statement in ${JSON.stringify(statements)}:\n` +
  "  try: exec(statement); results.append('done: ' + statement)\n  except (OSError, subprocess.CalledProcessError): pass\nresults";

/** How each claim is tried: what the line looks like, code, and what the code must show. */
const CLAIMS: [RegExp, (python: PythonServer, line: string) => Promise<void>][] = [
  [/^network: none \(.+\)$/, async ({ run }) => {
    const kinds = ["AF_INET, socket.SOCK_STREAM", "AF_INET, socket.SOCK_DGRAM", "AF_INET6, socket.SOCK_STREAM", "AF_UNIX, socket.SOCK_STREAM"];
    const reach = "; s.settimeout(2); s.connect('/nowhere' if s.family == socket.AF_UNIX else ('127.0.0.1', 9))";
    const tries = kinds.map((kind) => `import socket; s = socket.socket(socket.${kind})${reach}`);
    expect(section(await run(errorsOf(tries)), "Output")).toBe("[]");
    expect(section(await run("import socket\na, b = socket.socketpair()\na.send(b'x'), b.recv(1)"), "Output")).toBe("(1, b'x')");
  }],
  [/^network: not confined$/, async ({ run }) => {
    expect(await run("import socket; socket.socket().close()")).toContain("Execution Complete");
  }],
  [/^writing: beneath .+ and the temporary folder .+ only \(.+\)$/, async (python, line) => {
    const { run, project } = python;
    await writeFile(join(project.folder, "precious"), "kept");
    await symlink(join(project.folder, "precious"), join(project.root, "link"));
    const outside = [join(project.folder, "x"), "/tmp/x", "/etc/x", join(sessionFolder(python), "bridge_meta.json"), join(project.root, "link")];
    const tries = [
      ...outside.map((path) => `open(${JSON.stringify(path)}, 'a')`),
      `import os; os.unlink(${JSON.stringify(outside[3])})`,
      `import os; os.mkdir(${JSON.stringify(outside[0])})`,
      `import os; os.rename(${JSON.stringify(join(project.folder, "precious"))}, ${JSON.stringify(join(project.root, "got"))})`,
      "subprocess.run(['touch', '/tmp/x'], check=True, stderr=subprocess.DEVNULL)",
    ];
    if (line.includes("read-only mounts")) tries.push(`import os; os.chmod(${JSON.stringify(project.folder)}, 0o777)`);
    expect(section(await run(errorsOf(tries)), "Output")).toBe("[]");
    expect(await readFile(join(project.folder, "precious"), "utf8")).toBe("kept");
    const inside = "import tempfile, os\nopen('a', 'w').close(); os.rename('a', 'b'); os.unlink('b')\ntempfile.mkdtemp()[:len(os.environ['TMPDIR'])] == os.environ['TMPDIR']";
    expect(section(await run(inside), "Output")).toBe("True");
    if (!line.includes("read-only mounts")) return; // locks between processes need a /dev/shm of one's own
    expect(section(await run("import multiprocessing\nwith multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2]))"), "Output")).toBe("[1, 2]");
  }],
  [/^mode, owner and times of files elsewhere: not confined$/, async ({ run, project }) => {
    expect(await run(`import os; os.utime(${JSON.stringify(project.folder)}, (1, 1))`)).toContain("Execution Complete");
  }],
  [/^writing: not confined$/, async ({ run, project }) => {
    expect(await run(`open(${JSON.stringify(join(project.folder, "x"))}, 'w').close()`)).toContain("Execution Complete");
  }],
  [/^reading: not confined$/, async ({ run, project }) => {
    expect(await run(`import os; os.listdir(${JSON.stringify(project.home)})`)).toContain("Execution Complete");
  }],
  [/^reading: the project and the system's folders only/, async ({ run, project }) => {
    await writeFile(join(project.home, "secret"), "secret");
    const tries = [`import os; os.listdir(${JSON.stringify(project.home)})`, `open(${JSON.stringify(join(project.home, "secret"))})`];
    expect(section(await run(errorsOf(tries)), "Output")).toBe("[]");
    expect(section(await run("import json, decimal\nlen(open('/etc/passwd').read()) > 0"), "Output")).toBe("True");
  }],
  [/^other processes: out of reach, and all started here end with the interpreter/, async ({ run }) => {
    expect(section(await run(`${errorsOf([`import os; os.kill(${process.pid}, 0)`])}`), "Output")).toBe("[]");
  }],
  [/^other processes: out of sight, and all started here end with the interpreter/, async ({ run }) => {
    expect(section(await run("import os\nsorted(int(n) for n in os.listdir('/proc') if n.isdigit()), os.getpid()"), "Output")).toBe("([1, 2], 2)");
  }],
  [/^memory: at most \d+ MiB a process$/, async ({ run }, line) => {
    const bytes = Number(/\d+/.exec(line)?.[0]) * 2 ** 20;
    expect(await run(`bytearray(${bytes})`)).toContain("Error Type: MemoryError");
    expect(await run(`import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))`)).toContain("Execution Failed");
  }],
  [/^file size: at most 1024 MiB$/, async ({ run }) => {
    expect(await run("f = open('big', 'wb'); f.truncate(2 ** 30 + 1)")).toContain("File too large");
  }],
  [/^open files: at most 1024 a process$/, async ({ run }) => {
    expect(await run("files = []\nfor n in range(1025): files.append(open('/dev/null'))")).toContain("Too many open files");
    await run("del files");
  }],
  [/^processes and threads: at most 128(?: more than at the start)?$/, async ({ run }) => {
    const code = "import os, signal\nchildren = []\ntry:\n  while len(children) < 200:\n    pid = os.fork()\n    if pid == 0: signal.pause()\n    children.append(pid)\nexcept BlockingIOError: pass\n";
    expect(section(await run(`${code}for pid in children: os.kill(pid, 9)\nlen(children) <= 128`), "Output")).toBe("True");
  }],
];

async function boundaryOf(python: PythonServer): Promise<string[]> {
  await python.run("1");
  return section((await python.call("get_state")).text, "Boundary").split("\n");
}

async function tryAll(python: PythonServer): Promise<void> {
  for (const line of await boundaryOf(python)) {
    const claim = CLAIMS.find(([pattern]) => pattern.test(line));
    expect(claim, line).toBeDefined();
    await claim?.[1](python, line);
  }
}

const ABSENT = "def absent(*_): raise OSError(38, 'not here')";

/** A copy of the bridge in which the system offers nothing of what the boundary is made of. */
const bareBridge = (folder: string) =>
  bridgeWith(folder, [ABSENT, "boundary.namespace_choices = lambda: [0]", "boundary.landlock = boundary.seccomp = absent"]);

/** A copy of the bridge that begins with these lines. */
async function bridgeWith(folder: string, first: string[]): Promise<string> {
  const copy = join(folder, "copy");
  await mkdir(copy);
  const beside = dirname(bundlePath());
  const names = (await readdir(beside)).filter((name) => name.endsWith(".py"));
  for (const name of names) await cp(join(beside, name), join(copy, name === "gyoshu_bridge.py" ? "real_bridge.py" : name));
  const lines = [
    "import os, sys",
    "sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))",
    "import gyoshu_boundary as boundary",
    ...first,
    "import real_bridge",
    "real_bridge.main()",
  ];
  await writeFile(join(copy, "gyoshu_bridge.py"), lines.join("\n"));
  return join(copy, "gyoshu_bridge.py");
}

describe("the boundary is what it is said to be", () => {
  test("by default", async () => {
    await tryAll(await startPython());
  });

  test("with the strict security settings, which also confine reading", async () => {
    const python = await startPython({ OMC_SECURITY: "strict" });
    const first = await python.call("execute", { code: "1" });
    if (first.isError) {
      expect(first.text).toContain("this system cannot confine: ");
      return;
    }
    expect(await boundaryOf(python)).toContain("reading: the project and the system's folders only (Landlock)");
    await tryAll(python);
  });

  test("where the system offers nothing", async () => {
    const { project } = await startPython();
    const python = await startPython({ OMC_BRIDGE_SCRIPT: await bareBridge(project.folder) });
    expect((await boundaryOf(python)).slice(0, 3)).toEqual(["network: not confined", "writing: not confined", "reading: not confined"]);
    await tryAll(python);
    expect((await python.call("interrupt")).isError).toBe(false);
  });

  test("where the system offers no namespaces, which leaves gaps that are told", async () => {
    const { project } = await startPython();
    const script = await bridgeWith(project.folder, ["boundary.namespace_choices = lambda: [0]"]);
    const python = await startPython({ OMC_BRIDGE_SCRIPT: script });
    const lines = await boundaryOf(python);
    const isConfined = lines.some((line) => line.endsWith(" only (Landlock)"));
    expect(lines.includes("mode, owner and times of files elsewhere: not confined")).toBe(isConfined);
    await tryAll(python);
  });

  test("where the system offers nothing, the strict settings refuse to run", async () => {
    const { project } = await startPython();
    const { call } = await startPython({ OMC_BRIDGE_SCRIPT: await bareBridge(project.folder), OMC_SECURITY: "strict" });
    const { text, isError } = await call("execute", { code: "open('ran', 'w')" });
    expect(text).toBe(
      "=== Bridge Startup Failed ===\nthe security settings ask for a sandbox, and this system cannot confine: files, network.\nNothing was run.",
    );
    expect(isError).toBe(true);
  });

  test("and where it offers nothing, all processes end with the server just the same", async () => {
    const { project } = await startPython();
    const python = await startPython({ OMC_BRIDGE_SCRIPT: await bareBridge(project.folder) });
    const marker = join(project.folder, "marker");
    const code = `import subprocess\nsubprocess.run(['sh', '-c', 'setsid sh -c "while :; do sleep 1; done" ${marker} &'])\nwhile True: pass`;
    const { answer } = await startRunning(python, code);
    answer.catch(() => {});
    await until("the code's child", async () => (await processesWith(marker)).length > 0);
    await python.server.kill("SIGKILL");
    await until("the end of all processes", async () => (await processesWith(project.folder)).length + (await processesWith(python.runtime)).length === 0);
  });
});

test("what is mounted read-only in the project stays so, and costs nothing of the boundary", async () => {
  const { project } = await startPython();
  const script = await bridgeWith(project.folder, [
    "uid, gid = os.geteuid(), os.getegid()",
    "os.mkdir('fixed')",
    "def bind(flags): boundary.call('mount', b'fixed', b'fixed', None, boundary.MS_BIND | flags, None)",
    "try:",
    "  boundary.call('unshare', boundary.CLONE_NEWNS | (boundary.CLONE_NEWUSER if uid else 0))",
    "  if uid: boundary.enter_user_namespace(uid, gid)",
    "  boundary.call('mount', b'none', b'/', None, boundary.MS_REC | boundary.MS_PRIVATE, None)",
    "  bind(0)",
    "  bind(0x21)", // again, read-only
    "  open('is-mounted', 'w').close()",
    "except (OSError, AttributeError): pass", // it is not allowed here
  ]);
  const usual = await boundaryOf(await startPython());
  const python = await startPython({ OMC_BRIDGE_SCRIPT: script });
  const lines = await boundaryOf(python);
  if (!existsSync(join(python.project.root, "is-mounted"))) return;
  expect(lines.map((line) => line.split(":")[0])).toEqual(usual.map((line) => line.split(":")[0]));
  expect(await python.run("open('fixed/x', 'w')")).toContain("Error Type: OSError");
  expect(await python.run("open('x', 'w').close()")).toContain("Execution Complete");
});

test("no namespace can be made, in which the code would have all rights", async () => {
  const python = await startPython();
  const claims = (await boundaryOf(python)).join();
  const code =
    "import ctypes, os, threading\nlibc = ctypes.CDLL(None, use_errno=True)\nclone = {'x86_64': 56, 'aarch64': 220}.get(os.uname().machine, -1)\n" +
    "new = ctypes.create_string_buffer((0x10000000).to_bytes(8, 'little') + bytes(24) + (17).to_bytes(8, 'little'), 64)\nmade = []\n" +
    "for call in ((clone, 0x10000000 | 17, 0, 0, 0, 0), (435, new, 64)):\n  pid = libc.syscall(*call)\n  if pid == 0: os._exit(0)\n  made.append(pid)\n" +
    "thread = threading.Thread(target=int); thread.start(); thread.join()\nmade";
  const text = section(await python.run(code), "Output");
  if (claims.includes("seccomp")) expect(text).toBe("[-1, -1]");
});

describe("the project's own interpreter", () => {
  const setUp = async () => {
    const python = await startPython();
    await mkdir(join(python.project.root, ".venv", "bin"), { recursive: true });
    return { ...python, venv: join(python.project.root, ".venv"), program: join(python.project.root, ".venv", "bin", "python") };
  };

  test("is used, and behind the boundary from its first step", async () => {
    const { run, project, venv, program } = await setUp();
    await removeFolder(venv);
    await promisify(execFile)("python3", ["-m", "venv", "--without-pip", venv]);
    const [real, outside] = [`${program}-real`, join(project.folder, "escaped")];
    await symlink(await realProgram(program), real);
    await unlink(program);
    await writeFile(program, `#!/bin/sh\ntouch ${outside} 2>/dev/null && confined=no || confined=yes\necho $confined > ${project.root}/confined\nexec ${real} "$@"\n`, { mode: 0o755 });
    expect(section(await run("import sys\nsys.prefix"), "Output")).toBe(`'${venv}'`);
    expect((await readFile(join(project.root, "confined"), "utf8")).trim()).toBe("yes");
  });

  test.each([
    ["cannot be executed", 0o644, "#!/bin/sh\n", "could not be used (python: Permission denied)"],
    ["is of a program that is not there", 0o755, "#!/srv/none\n", "could not be used (python: No such file or directory)"],
    ["ends at once", 0o755, "#!/bin/sh\nexit 4\n", "could not be used (exit code 4)"],
  ])("that %s is told and passed over", async (_, mode, script, note) => {
    const { run, program } = await setUp();
    await writeFile(program, script);
    await chmod(program, mode);
    const text = await run("'ran'");
    expect(text).toContain(note);
    expect(section(text, "Output")).toBe("'ran'");
  });

  test("is not used with the strict settings", async () => {
    const { project, program } = await setUp();
    await writeFile(program, "#!/bin/sh\nexit 4\n", { mode: 0o755 });
    const text = (await (await startPython({ OMC_SECURITY: "strict" }, { project } as PythonServer)).call("execute", { code: "'ran'" })).text;
    expect(text).not.toContain("could not be used");
  });
});

test("over TCP, where a socket's path would be too long, requests need the token", async () => {
  const first = await startPython();
  const long = join(first.project.folder, "x".repeat(90));
  await mkdir(long, { mode: 0o700 });
  const python = { ...(await startPython({ XDG_RUNTIME_DIR: long }, first)), runtime: join(long, "omc") };
  expect(section(await python.run("'ran'"), "Output")).toBe("'ran'");
  const { socketPath, token } = (await metaOf(python)) as unknown as { socketPath: string; token: string };
  expect(socketPath).toMatch(/^tcp:\d+$/);
  expect(await readFile(join(sessionFolder(python), "bridge.port"), "utf8")).toBe(socketPath.slice(4));
  await expect(ask({ socketPath }, "ping", {}, 5_000)).rejects.toThrow("the token is missing or wrong");
  await expect(ask({ socketPath, token: "guess" }, "execute", { code: "1" }, 5_000)).rejects.toThrow("the token is missing or wrong");
  expect(await ask({ socketPath, token }, "ping", {}, 5_000)).toMatchObject({ status: "ok" });
});

async function realProgram(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ["-c", "import sys; print(sys._base_executable)"]);
  return stdout.trim();
}
