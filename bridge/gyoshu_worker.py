"""The interpreter that runs the user's code. It is started behind the boundary and speaks to the bridge only.

    gyoshu_worker.py CHANNEL INTERRUPT TIMEOUT PROJECT

CHANNEL is a socket with one JSON object a line: `execute` and `state` come in, `ready`, `done` and `state` go out.
INTERRUPT and TIMEOUT are the numbers of the signals that break into running code. Whatever is written to the
descriptors 1 and 2 is collected by the bridge, so it is not lost when this process is.
"""
import ast
import gc
import io
import linecache
import os
import queue
import signal
import socket
import sys
import threading
import traceback
import types
from json import dumps, loads  # by name, so that code which puts others in their place harms itself only

NAME = "__gyoshu__"
MOST_TEXT = 16000
MOST_NAMES = 2000
MOST_REPR = 10000


class ExecutionTimeout(BaseException):
    """Breaks into code that has run too long. Not an Exception, so that `except Exception` lets it pass."""


class Worker:
    def __init__(self, channel, project):
        self.channel, self.project = channel, project
        self.pid = os.getpid()
        self.todo = queue.SimpleQueue()
        self.sending = threading.Lock()
        self.armed = False
        self.loop = None
        self.streams = os.dup(1), os.dup(2)
        module = types.ModuleType(NAME)
        sys.modules[NAME] = sys.modules["__main__"] = module
        self.names = module.__dict__
        self.names.update(clean_memory=clean_memory, get_memory=get_memory)
        self.hidden = ("clean_memory", "get_memory")

    def send(self, **words):
        if os.getpid() != self.pid:
            os._exit(0)  # a child of the user's code came back from it
        with self.sending:
            self.channel.sendall(dumps(words).encode("utf-8", "replace") + b"\n")

    def listen(self):
        """The second thread: hears the bridge, and answers what must not wait for running code."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() if hasattr(signal, "valid_signals") else ())
        try:
            with self.channel.makefile("rb") as lines:
                for line in lines:
                    request = loads(line)
                    if request["do"] == "state":
                        self.send(state=request["id"], **self.variables())
                    else:
                        self.todo.put(request)
        finally:
            os._exit(0)  # the bridge is gone

    def variables(self):
        names = [name for name in list(self.names) if isinstance(name, str) and not name.startswith("_") and name not in self.hidden]
        return {"variables": [name[:100] for name in names[:MOST_NAMES]], "variable_count": len(names)}

    def work(self):
        while True:
            try:
                request = self.todo.get()
                self.execute(request)
            except (KeyboardInterrupt, ExecutionTimeout):
                continue  # came a moment too late

    def execute(self, request):
        self.open_streams()
        for number, problem in self.breaks.items():
            signal.signal(number, self.breaking(problem))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self.breaks)
        limit_processor(request.get("cpu"))
        _, error = self.breakable(self.run, request["code"], "<gyoshu:%d>" % request["number"])
        if os.getpid() != self.pid:
            os._exit(0)
        for stream in self.opened + (sys.stdout, sys.stderr):
            _, problem = self.breakable(lambda: stream.flush())
            if isinstance(problem, (KeyboardInterrupt, ExecutionTimeout)):  # else it is closed, or no stream
                error = error or problem
        told = None
        if error is not None:
            told, _ = self.breakable(self.describe, error)
            told = told or {"type": "BaseException", "message": "(it cannot be described)", "traceback": ""}
        error = problem = None
        self.send(done=request["id"], error=told, **self.variables())

    def breakable(self, function, *args):
        """Calls what may run code of the user, which signals can break into. Returns the result and what was raised."""
        try:
            try:
                self.armed = True
                return function(*args), None
            finally:
                self.armed = False
        except BaseException as problem:
            self.armed = False
            return None, problem

    def breaking(self, problem):
        def handler(*_):
            if self.armed and os.getpid() == self.pid:
                raise problem()
        return handler

    def run(self, code, name):
        """Runs code and shows the value of its last expression."""
        tree = compile(code, name, "exec", ast.PyCF_ONLY_AST | getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0))
        linecache.cache[name] = len(code), None, code.splitlines(True), name
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self.evaluate(tree, name, "exec")
        if last is None:
            return
        value = self.evaluate(ast.Expression(last.value), name, "eval")
        if value is not None:
            self.names["_"] = value
            sys.stdout.write(shortened(repr(value), MOST_REPR) + "\n")

    def evaluate(self, tree, name, mode):
        code = compile(tree, name, mode, getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0))
        value = eval(code, self.names)
        if not code.co_flags & 0x80:  # no coroutine: nothing was awaited
            return value
        import asyncio
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        return self.loop.run_until_complete(value)

    def open_streams(self):
        """Fresh streams, whatever the code before has done to them."""
        for number, kept, name in ((1, self.streams[0], "stdout"), (2, self.streams[1], "stderr")):
            os.dup2(kept, number)
            raw = io.open(number, "wb", closefd=False)
            setattr(sys, name, io.TextIOWrapper(raw, "utf-8", "backslashreplace", line_buffering=True))
        self.opened = sys.stdout, sys.stderr

    def describe(self, error):
        """What to tell of an exception, without anything of ours in it."""
        kind = "TimeoutError" if isinstance(error, ExecutionTimeout) else type(error).__name__
        try:
            told = traceback.TracebackException.from_exception(error)
            self.clean(told, set())
            if isinstance(error, ExecutionTimeout):
                message = "the time for this execution is up"
                text = "".join(["Traceback (most recent call last):\n"] + told.stack.format() + ["TimeoutError: %s\n" % message])
            else:
                message, text = str(error), "".join(told.format())
        except BaseException as other:
            message, text = "(its text cannot be made: %s)" % type(other).__name__, ""
        return {"type": kind[:200], "message": shortened(message, 4000), "traceback": shortened(text, MOST_TEXT)}

    def clean(self, told, seen):
        if told is None or id(told) in seen:
            return
        seen.add(id(told))
        frames = [frame for frame in told.stack if frame.filename != __file__]
        for frame in frames:
            frame.filename = self.shown(frame.filename)
        told.stack[:] = frames
        for other in [told.__cause__, told.__context__] + list(getattr(told, "exceptions", None) or ()):
            self.clean(other, seen)

    def shown(self, path):
        """A file name relative to the project or to where modules are found."""
        for folder in sorted((entry for entry in [self.project] + sys.path if isinstance(entry, str)), key=len, reverse=True):
            if folder and path.startswith(folder.rstrip(os.sep) + os.sep):
                return path[len(folder.rstrip(os.sep)) + 1:]
        return path


def shortened(text, most):
    if len(text) <= most:
        return text
    half = most // 2
    return "%s\n... %d characters left out ...\n%s" % (text[:half], len(text) - 2 * half, text[-half:])


def clean_memory():
    """Collects garbage and returns the memory in use afterwards."""
    gc.collect()
    return get_memory()


def get_memory():
    """Resident and virtual memory of the interpreter, in MiB."""
    try:
        with open("/proc/self/statm") as file:
            virtual, resident = [int(pages) * os.sysconf("SC_PAGE_SIZE") / 1048576 for pages in file.read().split()[:2]]
        return {"rss_mb": round(resident, 2), "vms_mb": round(virtual, 2)}
    except (OSError, ValueError):
        return {"rss_mb": 0.0, "vms_mb": 0.0}


def limit_processor(seconds):
    """A last resort beside the bridge's clock: processor time from now on, in seconds."""
    try:
        import resource
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = int(used.ru_utime + used.ru_stime + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    except (ImportError, ValueError, OSError, TypeError):
        pass


def main():
    channel, interrupt, timeout = (int(word) for word in sys.argv[1:4])
    project = sys.argv[4]
    worker = Worker(socket.socket(fileno=channel), project)
    worker.breaks = {interrupt: KeyboardInterrupt, timeout: ExecutionTimeout, int(signal.SIGINT): KeyboardInterrupt}
    for number in worker.breaks:
        signal.signal(number, worker.breaking(KeyboardInterrupt))
    os.set_inheritable(channel, False)
    sys.path[0] = project
    sys.argv = [""]
    threading.Thread(target=worker.listen, daemon=True).start()
    worker.send(ready="%d.%d.%d" % sys.version_info[:3], prefix=sys.prefix)
    worker.work()


if __name__ == "__main__":
    main()
