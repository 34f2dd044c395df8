"""Starts the interpreter of the user's code, and sees to it that nothing of it outlives the bridge.

Three processes stand in a row. The bridge talks to clients and never runs foreign code. The keeper, its child, is the
first process of the namespaces, or the one that adopts orphans where there are none; it waits for the interpreter and
then ends whatever that has started. The interpreter, last, is behind the boundary before it runs its first line, so a
virtual environment that came with the project is, too.
"""
import json
import os
import select
import signal
import socket
import sys
import time

import gyoshu_boundary as boundary

HERE = os.path.dirname(os.path.abspath(__file__))
# Signals that programs do not use for themselves, where the system has such.
INTERRUPT, TIMEOUT = ((signal.SIGRTMIN + 4, signal.SIGRTMIN + 5) if hasattr(signal, "SIGRTMIN") else
                      (getattr(signal, "SIGUSR1", 0), getattr(signal, "SIGUSR2", 0)))
#: Variables that the user's code gets to see; the others may be secrets of the server.
PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "VIRTUAL_ENV", "LD_LIBRARY_PATH",
          "DYLD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONWARNINGS", "PYTHONUNBUFFERED", "PYTHONIOENCODING")
PASSED_BEGINNINGS = ("LC_", "CONDA_", "OMP_", "MKL_", "OPENBLAS_", "MPL", "NUMEXPR_")
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix", "/proc", "/sys", "/dev")


class Interpreter:
    """A running interpreter, as the bridge sees it."""

    def __init__(self, keeper, channel, stdout, stderr, life, leash, namespaces):
        self.keeper, self.channel, self.stdout, self.stderr, self.life, self.leash = keeper, channel, stdout, stderr, life, leash
        self.namespaces = namespaces
        #: What the keeper has told so far: `pid`, `boundary`, `layers`, `status`.
        self.told = {}

    def signal(self, number):
        """Sends a signal to the interpreter itself."""
        pid = self.told.get("pid")
        if pid and "status" not in self.told:
            try:
                os.kill(pid, number)
            except OSError:
                pass

    def kill(self):
        """Ends the interpreter and all that it has started."""
        # In a namespace the kernel ends the rest with the keeper; without one the keeper has to do it.
        number = signal.SIGKILL if self.namespaces & boundary.CLONE_NEWPID else signal.SIGTERM
        try:
            os.kill(self.keeper, number)
        except OSError:
            pass

    def hear(self):
        """Reads what the keeper has to tell. False when it is gone, and everything with it."""
        try:
            data = os.read(self.life, 65536)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        for line in data.splitlines():
            try:
                self.told.update(json.loads(line))
            except ValueError:
                pass
        return bool(data)

    def close(self):
        """Gives back what belongs to an interpreter that is gone."""
        self.channel.close()
        for number in (self.stdout, self.stderr, self.life, self.leash):
            os.close(number)
        try:
            os.waitpid(self.keeper, 0)
        except OSError:
            pass


def start(python, project, scratch, confine_reading):
    """Starts an interpreter in the best namespaces that can be had. Raises OSError when none starts."""
    problem = None
    for namespaces in boundary.namespace_choices():
        try:
            made = start_in(namespaces, python, project, scratch, confine_reading)
        except OSError as error:
            problem = error
            continue
        deadline = time.monotonic() + 5
        while not made.told and made.hear() and time.monotonic() < deadline:
            pass
        if made.told.get("pid"):
            os.set_blocking(made.life, False)
            return made
        made.kill()
        made.close()
        problem = OSError(made.told.get("failed", "it ended at once"))
    raise problem or OSError("no interpreter")


def start_in(namespaces, python, project, scratch, confine_reading):
    """Starts keeper and interpreter; the latter's first words come through the channel."""
    ours, theirs = socket.socketpair()
    pipes = [os.pipe() for _ in range(4)]
    (out, out_end), (err, err_end), (life, life_end), (leash, leash_end) = pipes
    identity = os.geteuid(), os.getegid()
    try:
        pid = boundary.fork_isolated(namespaces)
    except OSError:
        for number in [end for pipe in pipes for end in pipe]:
            os.close(number)
        ours.close()
        theirs.close()
        raise
    if pid == 0:
        code = 1
        try:
            keep = {theirs.fileno(), out_end, err_end, life_end, leash}
            prepare_keeper(keep)
            code = Keeper(namespaces, identity, life_end, leash).run(
                project, scratch, lambda tell, private, proc: become_interpreter(
                    (theirs.fileno(), out_end, err_end), python, project, scratch, confine_reading, namespaces, tell, private, proc))
        finally:
            os._exit(code)
    for number in (out_end, err_end, life_end, leash):
        os.close(number)
    theirs.close()
    ours.setblocking(False)
    for number in (out, err):
        os.set_blocking(number, False)
    return Interpreter(pid, ours, out, err, life, leash_end, namespaces)


def prepare_keeper(keep):
    """Takes the bridge's signal handlers and files from the keeper."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    for number in range(3, 1024):
        if number not in keep:
            try:
                os.close(number)
            except OSError:
                pass


class Keeper:
    """The process between the bridge and the interpreter."""

    def __init__(self, namespaces, identity, life, leash):
        self.namespaces, self.identity, self.life, self.leash = namespaces, identity, life, leash
        self.interpreter = 0

    def tell(self, **words):
        os.write(self.life, json.dumps(words).encode() + b"\n")

    def run(self, project, scratch, become):
        signal.signal(signal.SIGTERM, lambda *_: self.end())
        self.leashed = not boundary.die_with_parent(signal.SIGTERM)
        if self.bridge_gone(0):
            return 1
        if self.namespaces & boundary.CLONE_NEWUSER:
            try:
                boundary.enter_user_namespace(*self.identity)
            except OSError as error:
                self.tell(failed="user namespaces are not allowed: %s" % error.strerror)
                return 1
        proc = os.open("/proc", os.O_RDONLY) if os.path.isdir("/proc/self") else -1
        private = boundary.private_mounts(project, scratch) if self.namespaces else []
        boundary.adopt_orphans()
        self.interpreter = os.fork()
        if self.interpreter == 0:
            try:
                become(self.tell, private, proc)
            except BaseException as error:  # nobody above could tell of it
                self.tell(failed=str(error))
            finally:
                os._exit(127)
        self.wait()
        return 0

    def wait(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG if self.leashed else 0)
            except ChildProcessError:
                return
            if pid == 0 and self.bridge_gone(0.05):
                self.end()
            if pid == self.interpreter:
                self.tell(status=status)
                self.end()

    def bridge_gone(self, seconds):
        """Whether the bridge, which holds the other end of the leash, ends within that time."""
        return bool(select.select([self.leash], [], [], seconds)[0])

    def end(self):
        """Ends all descendants. In a process namespace the kernel does that when its first process is gone."""
        if not self.namespaces & boundary.CLONE_NEWPID:
            until = time.monotonic() + 2
            while time.monotonic() < until and self.kill_children():
                time.sleep(0.005)
        os._exit(0)

    def kill_children(self):
        """Kills the children there are; their children become ours and are next. False when none is left."""
        # The interpreter leads a process group; where there is no /proc, that is all that can be found.
        for kill, pid in [(os.killpg, self.interpreter)] + [(os.kill, child) for child in children_of(os.getpid())]:
            try:
                kill(pid, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            return True
        except ChildProcessError:
            return False


def children_of(parent):
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        try:
            with open("/proc/%s/stat" % name, "rb") as file:
                if name.isdigit() and int(file.read().rpartition(b")")[2].split()[1]) == parent:
                    found.append(int(name))
        except (OSError, ValueError, IndexError):
            pass
    return found


def become_interpreter(ends, python, project, scratch, confine_reading, namespaces, tell, private, proc):
    """Goes behind the boundary and turns into the interpreter. Does not return unless it failed."""
    channel, out, err = ends
    pid = int(os.readlink("self", dir_fd=proc)) if proc >= 0 else os.getpid()
    boundary.die_with_parent(signal.SIGKILL)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (out, 1), (err, 2)):
        os.dup2(source, target)
    os.set_inheritable(channel, True)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    readable = None
    if confine_reading:
        readable = SYSTEM_FOLDERS + (HERE, sys.prefix, sys.base_prefix)
    os.chdir(project)
    lines, layers = boundary.enclose(namespaces, private, project, scratch, readable)
    tell(pid=pid, boundary=lines, layers=layers)
    environment = {name: value for name, value in os.environ.items() if name in PASSED or name.startswith(PASSED_BEGINNINGS)}
    environment.update(TMPDIR=scratch, TEMP=scratch, TMP=scratch)
    environment.setdefault("MPLCONFIGDIR", os.path.join(scratch, "matplotlib"))  # the home folder cannot be written
    environment["XDG_CACHE_HOME"] = os.path.join(scratch, "cache")
    words = [python, os.path.join(HERE, "gyoshu_worker.py"), str(channel), str(int(INTERRUPT)), str(int(TIMEOUT)), project]
    try:
        os.execve(python, words, environment)
    except OSError as error:
        tell(failed="%s: %s" % (os.path.basename(python), error.strerror))
