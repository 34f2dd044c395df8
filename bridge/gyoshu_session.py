"""The life of one session: executions one after the other, interrupts, resets, and what happens when the interpreter ends."""
import datetime
import json
import os
import signal
import time

import gyoshu_keeper as keeper
from gyoshu_output import Stream, markers

#: What is done, and how many seconds after the first attempt, to code that should stop.
STOPPING = ((0.5, "again"), (1.0, "again"), (1.5, "SIGINT"), (2.0, "SIGTERM"), (2.5, "SIGKILL"))
READY_SECONDS = 20
STATE_SECONDS = 1.5
MOST_MESSAGE = 8 << 20
FIELDS = {"type": 200, "message": 5000, "traceback": 20000}


class Execution:
    def __init__(self, reply, code, seconds):
        self.reply, self.code, self.seconds, self.limit = reply, code, seconds, None
        self.serial, self.number, self.began, self.began_at, self.stopping = 0, 0, None, None, None


class Stopping:
    """Code that has been told to stop: why, since when, and how far we have gone."""

    def __init__(self, reason):
        self.reason, self.since, self.step, self.by = reason, time.monotonic(), 0, "graceful"


class Session:
    """`loop` has `later(seconds, function)`, `cancel`, `watch(fd, function)` and `unwatch(fd)`. A `reply` takes the result of a request."""

    def __init__(self, loop, folder, project, pythons, strict):
        self.loop, self.folder, self.project, self.pythons, self.strict = loop, folder, project, pythons, strict
        self.scratch = os.path.join(folder, "tmp")
        self.out, self.err = (Stream(os.path.join(folder, "output-" + name)) for name in ("stdout", "stderr"))
        self.interpreter, self.version, self.note = None, None, None
        self.waiting, self.current, self.asked = [], None, {}
        self.number, self.serial, self.names = 0, 0, {"variables": [], "variable_count": 0}
        self.interrupts, self.resets, self.on_ready, self.buffer = [], [], [], b""

    # Starting and ending

    def start(self):
        os.makedirs(self.scratch, 0o700, exist_ok=True)
        self.version, self.number, self.buffer = None, 0, b""
        self.names = {"variables": [], "variable_count": 0}
        made = self.interpreter = keeper.start(self.pythons[0], self.project, self.scratch, self.strict)
        self.loop.watch(made.channel.fileno(), self.hear)
        self.loop.watch(made.stdout, lambda: self.drain(made.stdout, self.out))
        self.loop.watch(made.stderr, lambda: self.drain(made.stderr, self.err))
        self.loop.watch(made.life, self.hear_keeper)
        self.loop.later(READY_SECONDS, lambda: made is self.interpreter and self.version is None and made.kill())

    def end(self):
        """Ends the interpreter at once and waits until nothing is left of it."""
        made = self.interpreter
        if made is not None:
            made.kill()
            os.set_blocking(made.life, True)
            while made.hear():
                pass

    def lacking(self):
        """What strict mode asks for and this system does not give; empty when all is well."""
        layers = self.interpreter.told.get("layers", []) if self.interpreter else []
        return [name for name in ("files", "network") if self.strict and name not in layers]

    def hear_keeper(self):
        made = self.interpreter
        if not made.hear():
            self.ended(made)

    def ended(self, made):
        for number in (made.channel.fileno(), made.stdout, made.stderr, made.life):
            self.loop.unwatch(number)
        for number, stream in ((made.stdout, self.out), (made.stderr, self.err)):
            self.read_all(number, stream)
        made.close()
        unready = self.version is None
        self.interpreter = self.version = None
        reason = how_it_ended(made.told)
        self.names = {"variables": [], "variable_count": 0}
        for reply in self.asked.values():
            reply(dict(self.names))
        self.asked = {}
        if unready and len(self.pythons) > 1 and not self.resets:
            self.note = "%s could not be used (%s)" % (self.pythons.pop(0), made.told.get("failed", reason))
            return self.start()
        if self.current is not None:
            self.finish(self.ending_of(self.current, reason), ended=True)
        if unready and not self.resets:
            while self.waiting:
                fault = error("InterpreterStartError", "the Python interpreter did not start: %s" % made.told.get("failed", reason))
                self.finish_one(self.waiting.pop(0), fault, {"interpreter_ended": True})
            self.tell_ready(reason)
        if self.resets:
            self.start()

    def ending_of(self, execution, reason):
        stopping = execution.stopping
        if stopping is None:
            return error("InterpreterExited", "the interpreter ended: %s. All variables are gone" % reason)
        if stopping.reason == "reset":
            return error("InterpreterReset", "the session was reset while this ran")
        kind = "TimeoutError" if stopping.reason == "timeout" else "KeyboardInterrupt"
        return error(kind, "the code did not stop when told to, so the interpreter was ended. All variables are gone")

    # Requests

    def execute(self, reply, code, seconds):
        self.waiting.append(Execution(reply, code, seconds))
        self.next()

    def next(self):
        if self.current is not None or not self.waiting:
            return
        if self.interpreter is None:
            try:
                self.start()
            except OSError as problem:
                self.finish_one(self.waiting.pop(0), error("InterpreterStartError", "the Python interpreter did not start: %s" % problem))
                return self.next()
        if self.version is None:
            return
        execution = self.current = self.waiting.pop(0)
        self.number += 1
        self.serial += 1
        execution.serial, execution.number = self.serial, self.number
        execution.began, execution.began_at = time.monotonic(), now()
        cpu = execution.seconds * (os.cpu_count() or 1) + 10
        self.say({"do": "execute", "id": self.serial, "code": execution.code, "number": self.number, "cpu": cpu})
        execution.limit = self.loop.later(execution.seconds, lambda: self.stop(execution, "timeout"))

    def interrupt(self, reply):
        for execution in self.waiting:
            self.finish_one(execution, error("KeyboardInterrupt", "interrupted before it began"))
        self.waiting = []
        if self.current is None:
            return reply({"status": "interrupt_requested", "running": False})
        self.interrupts.append(reply)
        self.stop(self.current, "interrupt")

    def reset(self, reply):
        self.resets.append(reply)
        if self.current is not None:
            self.current.stopping = Stopping("reset")
        if self.interpreter is None:
            self.start()
        elif len(self.resets) == 1:
            self.interpreter.kill()

    def state(self, reply):
        made = self.interpreter
        details = {"memory": self.memory(), "boundary": made.told.get("boundary", []) if made else [], "note": self.note,
                   "python": self.version, "project": self.project, "execution": self.number,
                   "running_seconds": self.current and time.monotonic() - self.current.began}

        def answer(names):
            reply(dict(details, **names))
        if made is None or self.version is None:
            return answer(self.names)
        self.serial += 1
        self.asked[self.serial] = answer
        self.say({"do": "state", "id": self.serial})
        serial = self.serial
        # Code that never lets go of the interpreter's lock keeps its second thread from answering.
        self.loop.later(STATE_SECONDS, lambda: serial in self.asked and self.asked.pop(serial)(dict(self.names, stale=True)))

    # Stopping code

    def stop(self, execution, reason):
        if execution is not self.current or execution.stopping is not None:
            return
        execution.stopping = Stopping(reason)
        self.press(execution)
        for seconds, step in STOPPING:
            self.loop.later(seconds, lambda step=step: self.press(execution, step))

    def press(self, execution, step="again"):
        if execution is not self.current or self.interpreter is None:
            return
        if step == "again":
            self.interpreter.signal(keeper.TIMEOUT if execution.stopping.reason == "timeout" else keeper.INTERRUPT)
            return
        execution.stopping.by = step
        if step == "SIGKILL":
            self.interpreter.kill()
        else:
            self.interpreter.signal(getattr(signal, step))

    # Talking to the interpreter

    def say(self, words):
        """Sends a request. The interpreter's second thread reads it, so this waits only when that is stuck."""
        channel = self.interpreter.channel
        try:
            channel.settimeout(5)
            channel.sendall(json.dumps(words).encode() + b"\n")
            channel.setblocking(False)
        except OSError:
            self.interpreter.kill()

    def hear(self):
        made = self.interpreter
        try:
            data = made.channel.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.buffer += data
        if not data or len(self.buffer) > MOST_MESSAGE:
            self.loop.unwatch(made.channel.fileno())
            made.kill()
            return
        while b"\n" in self.buffer and made is self.interpreter:
            line, _, self.buffer = self.buffer.partition(b"\n")
            try:
                words = json.loads(line)
                self.heard(words if isinstance(words, dict) else {})
            except Exception:  # whatever code of the user has written there
                made.kill()

    def heard(self, words):
        if "ready" in words:
            self.version = str(words["ready"])[:40]
            self.tell_ready(None)
            for reply in self.resets:
                reply({"status": "reset", "memory": self.memory()})
            self.resets = []
            return self.next()
        names = {"variables": [plain(name, 100) for name in words.get("variables", [])[:2000]],
                 "variable_count": int(words.get("variable_count", 0))}
        self.names = names
        if "state" in words:
            reply = self.asked.pop(words["state"], None)
            return reply and reply(names)
        if self.current is not None and words.get("done") == self.current.serial:
            for number, stream in ((self.interpreter.stdout, self.out), (self.interpreter.stderr, self.err)):
                self.read_all(number, stream)
            fault = words.get("error")
            self.finish(fault and {name: plain(fault.get(name, ""), most) for name, most in FIELDS.items()})

    def drain(self, number, stream):
        """Reads some output; False when there is none now."""
        try:
            data = os.read(number, 1 << 18)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.loop.unwatch(number)
            return False
        stream.feed(data)
        return True

    def read_all(self, number, stream):
        until = time.monotonic() + 2  # somebody in the background may write without end
        while self.drain(number, stream) and time.monotonic() < until:
            pass

    # Answering

    def finish(self, fault, ended=False):
        execution, self.current = self.current, None
        self.loop.cancel(execution.limit)
        self.finish_one(execution, fault, {"interpreter_ended": True} if ended else {})
        for reply in self.interrupts:
            stopping = execution.stopping
            forced = ended and stopping.reason != "reset"
            reply({"status": "force_killed" if forced else "interrupt_requested", "running": True, "terminated_by": stopping.by,
                   "termination_ms": round((time.monotonic() - stopping.since) * 1000)})
        self.interrupts = []
        self.next()

    def finish_one(self, execution, fault, more=None):
        result = {"success": not fault, "execution": execution.number, "note": self.note}
        result.update(self.out.result("stdout"))
        result.update(self.err.result("stderr"))
        result["markers"] = markers(result["stdout"])
        spent = time.monotonic() - execution.began if execution.began else 0
        result["timing"] = {"started_at": execution.began_at or now(), "duration_ms": round(spent * 1000, 3)}
        result["memory"] = self.memory()
        result.update(more or {})
        if fault:
            result["error"] = fault
        self.note = None
        execution.reply(result)

    def tell_ready(self, problem):
        listeners, self.on_ready = self.on_ready, []
        for listener in listeners:
            listener(problem)

    def memory(self):
        pid = self.interpreter.told.get("pid") if self.interpreter else None
        try:
            with open("/proc/%d/statm" % pid) as file:
                virtual, resident = [int(pages) * os.sysconf("SC_PAGE_SIZE") / 1048576 for pages in file.read().split()[:2]]
            return {"rss_mb": round(resident, 2), "vms_mb": round(virtual, 2)}
        except (OSError, ValueError, TypeError):
            return {"rss_mb": 0.0, "vms_mb": 0.0}


def error(kind, message):
    return {"type": kind, "message": message, "traceback": ""}


def plain(value, most):
    """A text that can be written as UTF-8, which halves of characters cannot."""
    return str(value)[:most].encode("utf-8", "backslashreplace").decode()


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def how_it_ended(told):
    status = told.get("status")
    if status is None:
        return told.get("failed", "it was killed")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            return "signal %d (%s)" % (number, signal.Signals(number).name)
        except ValueError:
            return "signal %d" % number
    return "exit code %d" % os.WEXITSTATUS(status)
