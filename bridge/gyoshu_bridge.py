"""Runs Python for one session of the tool `python_repl` and speaks NDJSON JSON-RPC 2.0 on a socket.

    python3 gyoshu_bridge.py SOCKET_PATH

The working directory is the project. Variables: OMC_PARENT_PID, the process to end with; OMC_PARENT_POLL_INTERVAL_MS;
OMC_PYTHON_SANDBOX=1, to refuse to run where the boundary lacks a layer and to confine reading; OMC_BRIDGE_PYTHON,
the interpreter to prefer; OMC_BRIDGE_TOKEN, what requests must carry as `token` over TCP; OMC_BRIDGE_READY_FD, where
to tell in one line of JSON that requests are answered, or why not.

This process has one thread and never runs foreign code, so it answers whatever the code of the session does.
"""
import sys

sys.dont_write_bytecode = True  # nothing is to be left beside the bundle

import bisect
import errno
import hmac
import json
import os
import selectors
import shutil
import signal
import socket
import stat
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # an isolated interpreter does not look there

import gyoshu_boundary
from gyoshu_session import Session

MOST_REQUEST = 10 << 20
LONGEST_SOCKET_PATH = 100
DEFAULT_SECONDS = 300


class Loop:
    """Watches files and the clock."""

    def __init__(self):
        self.selector, self.timers, self.serial = selectors.DefaultSelector(), [], 0

    def watch(self, file, function, events=selectors.EVENT_READ):
        try:
            self.selector.modify(file, events, function)
        except KeyError:
            self.selector.register(file, events, function)

    def unwatch(self, file):
        try:
            self.selector.unregister(file)
        except (KeyError, ValueError):
            pass

    def later(self, seconds, function):
        """Calls the function after that time, unless what is returned is given to `cancel`."""
        self.serial += 1
        timer = (time.monotonic() + seconds, self.serial, function)
        bisect.insort(self.timers, timer)  # the serial number keeps functions from being compared
        return timer

    def cancel(self, timer):
        if timer in self.timers:
            self.timers.remove(timer)

    def turn(self):
        left = max(0, self.timers[0][0] - time.monotonic()) if self.timers else None
        for key, _ in self.selector.select(left):
            # An earlier one of this turn may have closed it.
            if self.selector.get_map().get(key.fd) is key:
                key.data()
        while self.timers and self.timers[0][0] <= time.monotonic():
            self.timers.pop(0)[2]()


class Connection:
    """A client. Requests are answered in the order in which their results come."""

    def __init__(self, bridge, peer):
        self.bridge, self.peer, self.heard, self.unsent = bridge, peer, bytearray(), bytearray()
        peer.setblocking(False)
        bridge.loop.watch(peer.fileno(), self.turn)

    def close(self):
        if self.peer.fileno() >= 0:
            self.bridge.loop.unwatch(self.peer.fileno())
            self.peer.close()

    def turn(self):
        try:
            if self.unsent:
                self.flush()
            data = self.peer.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            return self.close()
        searched = len(self.heard)
        self.heard += data
        while True:
            at = self.heard.find(b"\n", searched)
            if at < 0:
                break
            line, searched = bytes(self.heard[:at]), 0
            del self.heard[:at + 1]
            self.take(line)
        if len(self.heard) > MOST_REQUEST:
            self.heard.clear()
            self.send(None, error=(-32600, "the request is longer than %d bytes" % MOST_REQUEST))

    def take(self, line):
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return self.send(None, error=(-32700, "this is not JSON"))
        number = request.get("id") if isinstance(request, dict) else None
        if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
            return self.send(number, error=(-32600, "this is not a request"))
        if self.bridge.token is not None and not hmac.compare_digest(str(request.get("token")).encode(), self.bridge.token):
            return self.send(number, error=(-32600, "the token is missing or wrong"))
        params = request.get("params") if request.get("params") is not None else {}
        if not isinstance(params, dict):
            return self.send(number, error=(-32602, "params must be an object"))
        handler = self.bridge.methods.get(request["method"])
        if handler is None:
            return self.send(number, error=(-32601, "unknown method: %s" % request["method"][:100]))
        try:
            handler(lambda result: self.send(number, result), params)
        except ValueError as problem:
            self.send(number, error=(-32602, str(problem)))
        except Exception as problem:
            self.send(number, error=(-32603, "internal error: %s: %s" % (type(problem).__name__, problem)))

    def send(self, number, result=None, error=None):
        answer = {"jsonrpc": "2.0", "id": number}
        answer.update({"result": result} if error is None else {"error": {"code": error[0], "message": error[1]}})
        self.unsent += json.dumps(answer).encode() + b"\n"
        self.flush()

    def flush(self):
        try:
            while self.unsent:
                del self.unsent[:self.peer.send(self.unsent[:1 << 20])]
        except BlockingIOError:
            pass
        except OSError:
            return self.close()
        waiting = selectors.EVENT_WRITE if self.unsent else 0
        self.bridge.loop.watch(self.peer.fileno(), self.turn, selectors.EVENT_READ | waiting)


class Bridge:
    def __init__(self, path):
        self.path, self.folder, self.loop = path, os.path.dirname(os.path.abspath(path)), Loop()
        self.token = self.inode = None
        strict = os.environ.get("OMC_PYTHON_SANDBOX") == "1"
        preferred = os.environ.get("OMC_BRIDGE_PYTHON")
        pythons = ([preferred] if preferred else []) + [sys.executable]
        self.session = Session(self.loop, self.folder, os.getcwd(), pythons, strict)
        self.methods = {"execute": self.execute, "interrupt": lambda reply, _: self.session.interrupt(reply),
                        "reset": lambda reply, _: self.session.reset(reply), "get_state": lambda reply, _: self.session.state(reply),
                        "ping": lambda reply, _: reply({"status": "ok", "timestamp": time.time()})}

    def execute(self, reply, params):
        code, seconds = params.get("code"), params.get("timeout", DEFAULT_SECONDS)
        if not isinstance(code, str):
            raise ValueError("code must be a text")
        if not isinstance(seconds, (int, float)) or isinstance(seconds, bool) or not 0 < seconds < 1e7:
            raise ValueError("timeout must be a positive number of seconds")
        self.session.execute(reply, code, seconds)

    def listen(self):
        """Binds the socket, or a port of this machine where there are no such sockets or the path is too long."""
        self.sweep()
        if hasattr(socket, "AF_UNIX") and len(os.fsencode(self.path)) <= LONGEST_SOCKET_PATH:
            server = socket.socket(socket.AF_UNIX)
            before = os.umask(0o177)
            try:
                server.bind(self.path)
            finally:
                os.umask(before)
            found = os.lstat(self.path)
            if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != 0o600:
                raise OSError("the socket is not ours alone")
            self.inode = found.st_ino
        else:
            token = os.environ.get("OMC_BRIDGE_TOKEN")
            if not token:
                raise OSError("a port needs OMC_BRIDGE_TOKEN, so that not every user of this machine can run code")
            self.token = token.encode()
            server = socket.socket(socket.AF_INET)
            server.bind(("127.0.0.1", 0))
            port = os.open(os.path.join(self.folder, "bridge.port"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.write(port, b"%d" % server.getsockname()[1])
            os.close(port)
        server.listen(16)
        server.setblocking(False)
        self.server = server
        self.loop.watch(server.fileno(), self.accept)

    def address(self):
        return self.path if self.token is None else "tcp:%d" % self.server.getsockname()[1]

    def accept(self):
        try:
            Connection(self, self.server.accept()[0])
        except OSError as problem:
            if problem.errno in (errno.EMFILE, errno.ENFILE):
                time.sleep(0.01)

    def is_reachable(self):
        """Whether the socket still has its name. A bridge that has lost it would live on unseen."""
        if self.token is not None or self.inode is None:
            return True
        try:
            return os.lstat(self.path).st_ino == self.inode
        except OSError:
            return False

    def sweep(self):
        """Removes what this or an earlier bridge of the session has left, but for the record that the server keeps."""
        kept = [name for name in os.listdir(self.folder) if name.startswith("output-std")]
        for name in [os.path.basename(self.path), "bridge.port"] + kept:
            try:
                os.unlink(os.path.join(self.folder, name))
            except OSError:
                pass
        shutil.rmtree(self.session.scratch, ignore_errors=True)

    def watch_parent(self, parent, seconds):
        if os.getppid() != parent or not self.is_reachable():
            self.stop()
        self.loop.later(seconds, lambda: self.watch_parent(parent, seconds))

    def stop(self):
        self.session.end()
        if self.is_reachable():  # otherwise what lies there is another bridge's
            self.sweep()
        meta = os.path.join(self.folder, "bridge_meta.json")
        try:
            with open(meta) as file:
                if json.load(file).get("pid") == os.getpid():
                    os.unlink(meta)
        except (OSError, ValueError, AttributeError):
            pass
        os._exit(0)

    def on_signal(self, waking):
        for number in waking.recv(64):
            if number == signal.SIGINT and self.session.current is not None:
                self.session.stop(self.session.current, "interrupt")
            else:
                self.stop()

    def listen_to_signals(self):
        waking, woken = socket.socketpair()
        waking.setblocking(False)
        woken.setblocking(False)
        self.woken = woken
        signal.set_wakeup_fd(woken.fileno())
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: None)
        self.loop.watch(waking.fileno(), lambda: self.on_signal(waking))

    def run(self):
        parent = os.environ.get("OMC_PARENT_PID", "")
        if parent.isdigit():
            gyoshu_boundary.die_with_parent(signal.SIGTERM)
            self.watch_parent(int(parent), max(250, whole(os.environ.get("OMC_PARENT_POLL_INTERVAL_MS"), 1000)) / 1000)
        self.listen_to_signals()
        self.session.on_ready.append(self.announce)
        self.listen()
        self.session.start()
        while True:
            self.loop.turn()

    def announce(self, problem):
        lacking = self.session.lacking()
        if lacking:
            problem = "the security settings ask for a sandbox, and this system cannot confine: " + ", ".join(lacking)
        tell_ready({"ready": problem is None, "problem": problem, "socket": self.address()})
        if problem is not None:
            self.stop()


def tell_ready(words):
    number = whole(os.environ.pop("OMC_BRIDGE_READY_FD", None), -1)  # only the first words go there
    if number >= 0:
        os.write(number, json.dumps(words).encode() + b"\n")
        os.close(number)
    elif words["problem"]:
        print(words["problem"], file=sys.stderr)


def whole(text, otherwise):
    return int(text) if text and text.isdigit() else otherwise


def main():
    lacking = "Python 3.8 or newer" if sys.version_info < (3, 8) else None if hasattr(os, "fork") else "a system with fork"
    if lacking:
        tell_ready({"ready": False, "problem": "sessions of Python need " + lacking})
        sys.exit(1)
    bridge = Bridge(sys.argv[1])
    try:
        bridge.run()
    except OSError as problem:
        tell_ready({"ready": False, "problem": "the bridge did not start: %s" % problem})
        bridge.stop()


if __name__ == "__main__":
    main()
