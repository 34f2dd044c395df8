"""What the user's code cannot do, enforced by the operating system.

Each layer is tried on its own and says whether it is in force, so that `get_state` can tell the truth:

* namespaces: no network, no sight of other processes, and everything ends with the interpreter;
* Landlock: nothing is written outside the project and the session's own temporary folder;
* seccomp: no sockets but pairs, and none of the calls that only administrators need;
* resource limits: memory, file size, open files, processes.

Everything here runs in a process of its own before the interpreter of the user's code is started in it.
"""
import ctypes
import os
import platform
import struct

try:
    import resource
except ImportError:  # not a Unix
    resource = None

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x20000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
ANY_NAMESPACE = 0x7E020000
NAMESPACES = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x40000
MOUNT_SETATTR, MOUNT_ATTR_RDONLY, AT_FDCWD, AT_RECURSIVE = 442, 1, -100, 0x8000
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
SYS_CLONE, CLONE3 = {"x86_64": 56, "aarch64": 220}, 435
GIB = 1 << 30
#: What root keeps: rights over files of others, of which a project may consist. CHOWN, DAC_OVERRIDE, FOWNER, FSETID.
ROOT_KEEPS = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4

# Landlock's rights to files. Reading and executing are only confined when asked for.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REFER, TRUNCATE, IOCTL_DEV = 1, 2, 4, 8, 1 << 13, 1 << 14, 1 << 15
CHANGE_TREE = sum(1 << bit for bit in range(4, 13))
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

#: Name of a system call that is refused, its numbers on x86_64 and aarch64.
REFUSED_CALLS = {
    "socket": (41, 198), "ptrace": (101, 117), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "bpf": (321, 280), "perf_event_open": (298, 241), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "unshare": (272, 97), "setns": (308, 268),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "open_by_handle_at": (304, 265),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "move_mount": (429, 429), "open_tree": (428, 428),
    "fsopen": (430, 430), "fsmount": (432, 432), "mount_setattr": (442, 442), "chroot": (161, 51),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "sethostname": (170, 161),
    "setdomainname": (171, 162), "acct": (163, 89), "quotactl": (179, 60), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272),
}

LINUX = platform.system() == "Linux"
MACHINE = platform.machine()
libc = ctypes.CDLL(None, use_errno=True) if LINUX else None


def call(name, *args):
    """Calls a function of the C library and raises OSError when it fails."""
    ctypes.set_errno(0)
    result = getattr(libc, name)(*args)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def die_with_parent(signal_number):
    """Asks for a signal when the thread that started this process is gone. False where that cannot be had."""
    try:
        call("prctl", PR_SET_PDEATHSIG, int(signal_number), 0, 0, 0)
        return True
    except (OSError, AttributeError):
        return False


def adopt_orphans():
    """Makes this process the parent of those whose parent ends, in place of init."""
    try:
        call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def fork_isolated(flags):
    """Like os.fork, into new namespaces. The caller must have one thread only."""
    if not flags:
        return os.fork()
    return call("syscall", SYS_CLONE[MACHINE], flags | 17, 0, 0, 0, 0)


def namespace_choices():
    """The combinations of namespaces to try, best first; 0 is none."""
    if not LINUX or MACHINE not in SYS_CLONE:
        return [0]
    with_user = NAMESPACES | CLONE_NEWUSER
    # Root needs no user namespace, and in one it would lose its rights over files of other users.
    return [NAMESPACES, with_user, 0] if os.geteuid() == 0 else [with_user, 0]


def enter_user_namespace(uid, gid):
    """Keeps the user's own number in a user namespace just made. Raises OSError when it is not allowed."""
    for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (uid, uid)), ("gid_map", "%d %d 1" % (gid, gid))):
        with open("/proc/self/" + name, "w") as file:
            file.write(text)


def private_mounts(project, scratch):
    """A /proc and a /dev/shm of our own, and the rest read-only; returns which of that could be had."""
    had = []
    nothing = ctypes.c_char_p(None)
    try:
        call("mount", b"none", b"/", nothing, MS_REC | MS_PRIVATE, nothing)
    except OSError:
        return had
    for kind, place, flags, data in (
        (b"proc", b"/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nothing),
        (b"tmpfs", b"/dev/shm", MS_NOSUID | MS_NODEV, b"size=256m,mode=1777"),
    ):
        if any(os.fsencode(path).startswith(place + b"/") for path in (project, scratch)):
            continue  # it would hide them
        try:
            call("mount", kind, place, kind, flags, data)
            had.append(place.decode())
        except OSError:
            pass
    writable = [os.fsencode(path) for path in (project, scratch)]
    try:
        for path in writable:
            call("mount", path, path, nothing, MS_BIND | MS_REC, nothing)
        before = writable_mounts()
        set_mounts(b"/", MOUNT_ATTR_RDONLY, 0, AT_RECURSIVE)
    except OSError:
        return had
    places = writable + [b"/dev/shm"] * ("/dev/shm" in had)
    if make_writable(place for place in before if any((place + b"/").startswith(top + b"/") for top in places)) & set(places):
        make_writable(before)
    else:
        had.append("read-only")
    return had


def writable_mounts():
    """Where something is mounted that can be written; what is mounted read-only is to stay so."""
    found = {}
    with open("/proc/self/mountinfo", "rb") as file:
        for line in file:
            fields = line.split(b" ")
            found[fields[4].decode("unicode_escape").encode("latin-1")] = b"rw" in fields[5].split(b",")
    return [place for place, is_writable in found.items() if is_writable]


def make_writable(places):
    """Takes the read-only mark from single mounts; returns those where that failed, as it does where one hides another."""
    failed = set()
    for place in places:
        try:
            set_mounts(place, 0, MOUNT_ATTR_RDONLY, 0)
        except OSError:
            failed.add(place)
    return failed


def set_mounts(path, marks, unmarks, how):
    """Changes the attributes of the mount at `path`, and with AT_RECURSIVE of all beneath it, or of none."""
    attributes = ctypes.create_string_buffer(struct.pack("=QQQQ", marks, unmarks, 0, 0), 32)
    call("syscall", MOUNT_SETATTR, AT_FDCWD, path, how, attributes, 32)


def set_limits(own_user_namespace):
    """Resource limits; returns what to tell of them."""
    if resource is None:
        return []
    memory = 4 * GIB
    try:
        memory = max(2 * GIB, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
    except (ValueError, OSError):
        pass
    told = []
    wanted = [("RLIMIT_CORE", 0, None),
              ("RLIMIT_FSIZE", GIB, "file size: at most 1024 MiB"), ("RLIMIT_NOFILE", 1024, "open files: at most 1024 a process")]
    if LINUX:  # elsewhere it is not enforced
        wanted.append(("RLIMIT_AS", memory, "memory: at most %d MiB a process" % (memory >> 20)))
    if LINUX and os.geteuid() != 0:  # the kernel does not count root's
        most = 128 if own_user_namespace else own_tasks() + 128
        told_as = "processes and threads: at most 128" + ("" if own_user_namespace else " more than at the start")
        wanted.append(("RLIMIT_NPROC", most, told_as))
    for name, value, text in wanted:
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (value, value))
        except (ValueError, OSError):
            continue
        if text:
            told.append(text)
    return told


def own_tasks():
    """How many threads the user has on this machine."""
    count, uid = 0, os.geteuid()
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        try:
            if name.isdigit() and os.stat("/proc/" + name).st_uid == uid:
                count += len(os.listdir("/proc/%s/task" % name))
        except OSError:
            pass
    return count


def drop_capabilities():
    """Takes from root what has nothing to do with files."""
    for number in range(64):
        if not ROOT_KEEPS >> number & 1:
            libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    keep = ctypes.create_string_buffer(struct.pack("=6I", ROOT_KEEPS, ROOT_KEEPS, 0, 0, 0, 0))
    call("capset", header, keep)


def landlock(writable, readable=None):
    """Confines writing to `writable` and, when given, reading to `readable` too. Returns the kernel's ABI number."""
    abi = call("syscall", LANDLOCK_CREATE, None, 0, 1)
    change = WRITE_FILE | CHANGE_TREE | (REFER if abi >= 2 else 0) | (TRUNCATE if abi >= 3 else 0)
    change |= IOCTL_DEV if abi >= 5 else 0
    read = EXECUTE | READ_FILE | READ_DIR
    handled = change | (read if readable is not None else 0)
    attributes = struct.pack("=QQQ", handled, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    rules = call("syscall", LANDLOCK_CREATE, ctypes.create_string_buffer(attributes, len(attributes)), size, 0)
    try:
        for path in writable:
            allow(rules, path, handled)
        for path in readable or ():
            allow(rules, path, read)
        call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        call("syscall", LANDLOCK_RESTRICT, rules, 0)
    finally:
        os.close(rules)
    return abi


def allow(rules, path, rights):
    """Adds a path that exists to the rules; others are left out."""
    try:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights &= ~0 if os.path.isdir(path) else ON_FILES
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, target), 12)
        call("syscall", LANDLOCK_ADD, rules, 1, rule, 0)
    finally:
        os.close(target)


def seccomp():
    """Refuses system calls with EPERM. Raises OSError where the machine is unknown or the kernel does not filter."""
    if MACHINE not in SYS_CLONE:
        raise OSError("no table of system calls for " + MACHINE)
    column, architecture = (0, 0xC000003E) if MACHINE == "x86_64" else (1, 0xC00000B7)
    load, equal, at_least, has_any, give = 0x20, 0x15, 0x35, 0x45, 0x06
    refuse, absent, permit = 0x00050001, 0x00050026, 0x7FFF0000
    numbers = sorted({pair[column] for pair in REFUSED_CALLS.values()})
    program = [(load, 0, 0, 4), (equal, 1, 0, architecture), (give, 0, 0, refuse), (load, 0, 0, 0),
               (at_least, 0, 1, 0x40000000), (give, 0, 0, refuse),  # the second table of x86_64 is refused whole
               # A new user namespace would give all rights in it. What clone3 is asked for cannot be seen from here, so it
               # is said not to exist; the C library then uses clone.
               (equal, 0, 1, CLONE3), (give, 0, 0, absent), (equal, 0, 4, SYS_CLONE[MACHINE]), (load, 0, 0, 16),
               (has_any, 0, 1, ANY_NAMESPACE), (give, 0, 0, refuse), (give, 0, 0, permit)]
    program += [(equal, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    program += [(give, 0, 0, permit), (give, 0, 0, refuse)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in program))
    filter_ = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call("prctl", PR_SET_SECCOMP, 2, filter_, 0, 0)


def enclose(namespaces, private, project, scratch, readable):
    """Puts the calling process behind all layers that can be had. Returns (lines to tell, names of what is in force)."""
    limits = set_limits(bool(namespaces & CLONE_NEWUSER))
    net = ["network namespace"] if namespaces & CLONE_NEWNET else []
    files = ["read-only mounts"] if "read-only" in private else []
    abi = 0
    if LINUX:
        writable = [project, scratch, "/dev/null", "/dev/zero", "/dev/full", "/dev/tty"]
        writable += ["/dev/shm"] if "/dev/shm" in private else []
        try:
            if os.geteuid() == 0:
                drop_capabilities()
            abi = landlock(writable, readable)
            files.append("Landlock")
        except (OSError, AttributeError):
            pass
        try:
            seccomp()
            net.append("seccomp")
        except (OSError, AttributeError):
            pass
    if abi >= 4:
        net.append("Landlock")
    told = ["network: none (%s)" % ", ".join(net) if net else "network: not confined"]
    where = "beneath %s and the temporary folder %s only" % (project, scratch)
    told.append("writing: %s (%s)" % (where, ", ".join(files)) if files else "writing: not confined")
    if files == ["Landlock"]:
        told.append("mode, owner and times of files elsewhere: not confined")
    told.append("reading: the project and the system's folders only (Landlock)" if abi and readable is not None else "reading: not confined")
    layers = ["files"] * bool(abi) + ["network"] * bool(net)
    if namespaces & CLONE_NEWPID:
        sight = "out of sight" if "/proc" in private else "out of reach"
        told.append("other processes: " + sight + ", and all started here end with the interpreter (PID namespace)")
    return told + limits, layers
