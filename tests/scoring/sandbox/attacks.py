# ruff: noqa: E501 (programs, as they are run)
"""Programs that mean harm. Each tries what its name says, by every way that we know of.

A program that gets what it should not calls ``breach``; a way that is closed raises in ``attempt``.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

PRELUDE = '''\
import os, sys, ctypes, errno, signal, socket, time, threading
libc = ctypes.CDLL(None, use_errno=True)
class Breach(BaseException): pass
def breach(what): raise Breach(what)
def attempt(way, *given):
    """What a way gives; None where it is closed."""
    try:
        return way(*given)
    except Exception:
        return None
def call(number, *given):
    """A system call; its result, or None where it fails."""
    found = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, given))
    return None if found == -1 else found
def spin():
    while True: pass
def done():
    import matplotlib.pyplot as plt
    plt.plot([7]); plt.show()
'''


@dataclass(frozen=True)
class Attack:
    """A program, and how it must end.

    Attributes:
        name: what it tries.
        program: without the prelude.
        error: a regular expression that its error begins with; empty where it runs to its end.
    """

    name: str
    program: str
    error: str = ""

    @property
    def answer(self) -> str:
        return PRELUDE + textwrap.dedent(self.program)


TOO_LONG = "the program did not end within"

ATTACKS = [
    # --- processes
    Attack("fork bomb", "while True: os.fork()", "PermissionError"),
    Attack(
        "other ways to multiply",
        """
        import subprocess, multiprocessing, pty
        for way in (os.fork, pty.fork, os.forkpty, libc.fork, libc.vfork):
            pid = attempt(way)
            if pid is not None and pid != -1: breach(way)
        for number, *given in ((57,), (58,), (56, 17, 0, 0, 0, 0), (56, 0x20000011, 0, 0, 0, 0), (0x40000039,)):
            if call(number, *given) is not None: breach(number)
        args = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
        if call(435, ctypes.addressof(args), 88) is not None: breach("clone3")
        if attempt(os.posix_spawn, sys.executable, ["python"], {}) is not None: breach("posix_spawn")
        if attempt(subprocess.run, [sys.executable or "python3", "-c", ""]) is not None: breach("subprocess")
        if attempt(lambda: multiprocessing.Process(target=print).start()) is not None: breach("multiprocessing")
        if os.system("true") == 0: breach("system")
        done()
        """,
    ),
    Attack(
        "daemon",
        """
        if attempt(os.fork) == 0:
            os.setsid()
            while True: time.sleep(1)
        attempt(threading.Thread(target=time.sleep, args=(1000,)).start)
        attempt(threading.Thread(target=time.sleep, args=(1000,), daemon=True).start)
        import atexit
        atexit.register(time.sleep, 1000)
        done()
        """,
    ),
    Attack(
        "thread bomb",
        """
        threading.stack_size(32768)
        for count in range(100_000): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        breach(count)
        """,
        f"RuntimeError: can't start new thread|{TOO_LONG}",
    ),
    Attack(
        "another program in its place",
        """
        for path in ("/bin/sh", "/usr/bin/env", "/proc/self/exe", sys.executable or "/usr/bin/python3"):
            attempt(os.execv, path, [path])
        call(59, 0, 0, 0); call(322, 0, 0, 0, 0, 0)
        done()
        """,
    ),
    # --- time
    Attack("endless loop", "while True: pass", TOO_LONG),
    Attack(
        "loop that ignores signals",
        """
        for number in range(1, 65): attempt(signal.signal, number, signal.SIG_IGN)
        attempt(signal.pthread_sigmask, signal.SIG_BLOCK, range(1, 65))
        while True:
            try:
                while True: time.sleep(100)
            except BaseException: pass
        """,
        TOO_LONG,
    ),
    Attack(
        "loop after its chart",
        """
        done()
        os._exit = sys.exit = lambda *_: None
        class Slow:
            def __del__(self):
                while True: pass
        keep = Slow()
        attempt(threading.Thread(target=spin).start)
        """,
    ),
    Attack("stopping itself", "os.kill(os.getpid(), signal.SIGSTOP); time.sleep(1000)", TOO_LONG),
    # --- signals to others
    Attack(
        "killing all that it can name",
        """
        for target in (-1, 0, os.getppid(), -os.getpgrp(), *range(2, 5000)):
            for number in (signal.SIGKILL, signal.SIGSTOP):
                attempt(os.kill, target, number)
        attempt(os.killpg, 0, signal.SIGKILL)
        for number in range(100): call(234, number, number, 9)
        done()
        """,
    ),
    Attack(
        "seeing others",
        """
        if os.getppid() != 0: breach(os.getppid())
        for pid in range(2, 5000):
            for way in (os.getpgid, os.getsid, lambda it: os.getpriority(os.PRIO_PROCESS, it), os.sched_getaffinity):
                if attempt(way, pid) is not None: breach(pid)
        for pid in range(1, 200):
            if call(434, pid, 0) is not None: breach("pidfd")
        done()
        """,
    ),
    # --- memory
    Attack(
        "touching memory",
        "kept = []\nwhile True: kept.append(bytearray(2**24))",
        "MemoryError",
    ),
    Attack(
        "mapping memory",
        """
        import mmap
        kept = []
        for size in (2**40, 2**34, 2**30, 2**26):
            try:
                while True: kept.append(mmap.mmap(-1, size))
            except OSError: pass
        if sum(map(len, kept)) > 2**30: breach(len(kept))
        del kept
        done()
        """,
    ),
    Attack("arrays", "import numpy\nnumpy.ones(10**11)", "numpy.*MemoryError|MemoryError"),
    Attack(
        "memory that is not counted",
        """
        if call(319, ctypes.addressof(ctypes.create_string_buffer(b"x")), 0) is not None: breach("memfd")
        if call(447, 0) is not None: breach("memfd_secret")
        if call(29, 0, 2**20, 0o1600) is not None: breach("shmget")
        if call(68, 0, 0o1600) is not None: breach("msgget")
        import multiprocessing.shared_memory as shared
        if attempt(lambda: shared.SharedMemory(create=True, size=2**20)) is not None: breach("/dev/shm")
        done()
        """,
    ),
    Attack("one long text", "x = 'a' * 10**12", "MemoryError"),
    Attack("a power", "x = 10 ** 10 ** 10", TOO_LONG),
    # --- secrets
    Attack(
        "environment",
        """
        if dict(os.environ): breach(dict(os.environ))
        found = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
        if found and found[0]: breach(found[0])
        libc.getenv.restype = ctypes.c_char_p
        if libc.getenv(b"TORR_TEST_SECRET") is not None: breach("getenv")
        done()
        """,
    ),
    Attack(
        "files of ours",
        """
        import glob
        for path in ("/proc", "/sys", "/home", "/var", "/run", "/boot", "/srv", "/opt", "/etc/passwd", "/etc/shadow",
                     "/etc/hostname", "/root/.ssh", "/root/.bashrc", os.path.expanduser("~root/.ssh"), "SECRET_FOLDER"):
            if os.path.exists(path) and not glob.escape(path) in ("/opt",): breach(path)
        for folder in ("/", "/root", "/work", "/home"):
            for name in attempt(os.listdir, folder) or []:
                if name.startswith((".ssh", ".bash", ".aws", ".git", ".netrc", ".cache", "runs")): breach(name)
        for number in range(64):
            for way in (lambda: os.readlink(f"/proc/self/fd/{number}"), lambda: os.pread(number, 9, 0)):
                found = attempt(way)
                if found: breach((number, found))
        done()
        """,
    ),
    Attack(
        "looking for a secret everywhere",
        """
        for folder, _, files in os.walk("/"):
            if "TORR_SECRET" in files: breach(folder)
        if attempt(lambda: open("../../../../../../SECRET_FOLDER/TORR_SECRET").read()): breach("..")
        done()
        """,
    ),
    Attack("leaving a table", "open('left', 'w').write('mine'); done()"),
    Attack(
        "another chart's table",
        """
        if os.path.exists("left"): breach("left")
        if os.listdir() != ["table.xlsx"]: breach(os.listdir())
        done()
        """,
    ),
    # --- writing
    Attack(
        "writing elsewhere",
        """
        tried, here = 0, os.getcwd()
        for folder, below, _ in os.walk("/"):
            below[:] = [] if folder.count("/") > 4 or folder == here else below[:20]
            if folder != here:
                tried += 1
                if attempt(lambda: open(os.path.join(folder, "x"), "w")): breach(folder)
                if attempt(lambda: [os.mkdir(os.path.join(folder, "x"))]): breach(folder)
        import matplotlib
        for path in (matplotlib.__file__, os.__file__, "/etc/ld.so.cache"):
            for way in (lambda: open(path, "a"), lambda: [os.chmod(path, 0o777)], lambda: [os.unlink(path)],
                        lambda: [os.rename(path, "y")], lambda: [os.utime(path)], lambda: [os.link(path, "z")]):
                if attempt(way): breach(path)
        if tried < 20: breach(tried)
        done()
        """,
    ),
    Attack(
        "links in the temporary folder",
        """
        os.unlink("table.xlsx")
        for name in ("table.xlsx", "report", "result.json", "chart.png", "program.py"):
            os.symlink("/etc/passwd", name)
        os.symlink(".", "loop"); os.symlink("SECRET_FOLDER", "folder")
        if attempt(os.listdir, "folder"): breach("folder")
        for source in ("/etc/ld.so.cache", os.__file__):
            if attempt(lambda: [os.link(source, "hard")]): breach(source)
        os.mkfifo("fifo")
        if attempt(lambda: [os.mknod("device", 0o666 | 0o020000, os.makedev(1, 1))]): breach("mknod")
        done()
        """,
    ),
    Attack(
        "running what it wrote",
        """
        open("x.so", "wb").write(open(ctypes._dlopen.__module__ and __import__("_ctypes").__file__, "rb").read())
        os.chmod("x.so", 0o4755)
        if attempt(ctypes.CDLL, os.path.abspath("x.so")): breach("mapped")
        done()
        """,
    ),
    Attack(
        "filling the disk",
        """
        try:
            for index in range(100): open(f"f{index}", "wb").write(bytes(2**23))
            breach(index)
        except OSError as error:
            if error.errno != errno.ENOSPC: raise
        for index in range(100): attempt(os.unlink, f"f{index}")
        done()
        """,
    ),
    Attack(
        "endless files",
        """
        try:
            for index in range(100_000): open(f"f{index}", "w").close()
            breach(index)
        except OSError: pass
        done()
        """,
    ),
    Attack("one endless file", "f = open('x', 'wb')\nwhile True: f.write(bytes(2**22))", "OSError"),
    Attack("a file with a hole", "f = open('x', 'wb'); f.truncate(2**40)", "OSError"),
    Attack(
        "a million open files",
        "kept = [open('x', 'w') for _ in range(10**6)]",
        "OSError.*Too many open files",
    ),
    # --- network
    Attack(
        "sockets of every kind",
        """
        import itertools
        for family, kind in itertools.product(range(46), (1, 2, 3, 5)):
            if attempt(socket.socket, family, kind) or attempt(socket.socketpair, family, kind): breach((family, kind))
        if attempt(socket.create_connection, ("127.0.0.1", HOST_PORT), 1): breach("IPv4")
        if attempt(socket.create_connection, ("::1", HOST_PORT), 1): breach("IPv6")
        for path in (b"\\0ABSTRACT_NAME", b"/run/docker.sock", b"SECRET_FOLDER/socket"):
            if attempt(lambda: socket.socket(socket.AF_UNIX).connect(path) or 1): breach(path)
        if call(41, 1, 1, 0) is not None or call(53, 1, 1, 0, 0) is not None: breach("syscall")
        done()
        """,
    ),
    Attack(
        "names and pages",
        """
        import urllib.request
        if attempt(socket.getaddrinfo, "example.org", 80): breach("DNS")
        if attempt(urllib.request.urlopen, f"http://127.0.0.1:{HOST_PORT}", None, 1): breach("HTTP")
        if attempt(open, f"/dev/tcp/127.0.0.1/{HOST_PORT}"): breach("/dev/tcp")
        if os.system(f"echo > /dev/tcp/127.0.0.1/{HOST_PORT}") == 0: breach("shell")
        import pandas
        if attempt(pandas.read_csv, f"http://127.0.0.1:{HOST_PORT}/x.csv") is not None: breach("pandas")
        done()
        """,
    ),
    # --- the kernel
    Attack(
        "system calls of power",
        """
        text = ctypes.addressof(ctypes.create_string_buffer(os.getcwdb()))
        room = ctypes.addressof(ctypes.create_string_buffer(4096))
        for name, number, *given in (
            ("ptrace", 101, 0, 0, 0, 0), ("ptrace attach", 101, 16, 1, 0, 0), ("mount", 165, text, text, text, 4096, 0),
            ("umount", 166, text, 2), ("pivot_root", 155, text, text), ("chroot", 161, text),
            ("unshare user", 272, 0x10000000), ("unshare mounts", 272, 0x20000), ("setns", 308, 0, 0),
            ("bpf", 321, 5, room, 128), ("perf", 298, room, 0, -1, -1, 0), ("userfaultfd", 323, 0),
            ("io_uring", 425, 4, room), ("keyctl", 250, 0, -3, 1), ("add_key", 248, text, text, room, 1, -3),
            ("process_vm_readv", 310, 1, room, 1, room, 1, 0), ("init_module", 175, room, 9, text),
            ("reboot", 169, 0xfee1dead, 672274793, 0), ("settimeofday", 164, room, 0), ("syslog", 103, 3, room, 99),
            ("sethostname", 170, text, 4), ("swapon", 167, text, 0), ("quotactl", 179, 0, 0, 0, 0),
            ("personality", 135, 0x40000), ("iopl", 172, 3), ("open_by_handle_at", 304, -100, room, 0),
            ("fanotify", 300, 0, 0), ("fsopen", 430, text, 0), ("open_tree", 428, -100, text, 1),
            ("kexec_load", 246, 0, 0, 0, 0), ("setuid", 105, 0), ("setgid", 106, 0), ("setgroups", 116, 1, room),
            ("statmount", 457, room, room, 99, 0), ("listmount", 458, room, room, 99, 0), ("io_setup", 206, 9, room),
        ):
            if call(number, *given) is not None:
                if not (name in ("setuid", "setgid") and os.getuid() == 0): breach(name)
        done()
        """,
    ),
    Attack(
        "more privileges",
        """
        import resource
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        sets = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)
        if libc.capset(header, sets) == 0: breach("capset")
        libc.capget(header, sets)
        if any(sets): breach(list(sets))
        if any(libc.prctl(23, number, 0, 0, 0) == 1 for number in range(41)): breach("bounding set")
        if libc.prctl(39, 0, 0, 0, 0) != 1: breach("no_new_privs")
        for which in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE,
                      resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
            soft, hard = resource.getrlimit(which)
            if soft != hard or hard == resource.RLIM_INFINITY: breach(which)
            if attempt(lambda: [resource.setrlimit(which, (hard + 1, hard + 1))]): breach(which)
        if attempt(lambda: [os.setpriority(os.PRIO_PROCESS, 0, -20)]): breach("priority")
        if attempt(lambda: [os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))]): breach("real time")
        done()
        """,
    ),
    Attack(
        "devices",
        """
        if sorted(os.listdir("/dev")) != ["null", "random", "urandom", "zero"]: breach(os.listdir("/dev"))
        for name in ("mem", "kmsg", "sda", "vda", "tty", "console", "fuse", "kvm", "shm/x", "pts/0", "ptmx"):
            for mode in ("rb", "wb"):
                if attempt(open, "/dev/" + name, mode): breach(name)
        done()
        """,
    ),
    # --- output
    Attack(
        "endless printing",
        """
        for stream in (1, 2):
            for _ in range(2000): os.write(stream, bytes(2**20))
        print("x" * 10**6, file=sys.stderr)
        done()
        """,
    ),
    Attack(
        "a report without a bottom", "os.write(3, b'[' * 1_900_000); os._exit(0)", "the program sent a false"
    ),
    Attack(
        "a number without an end",
        """
        os.write(3, b'{"error": "", "values": {"line": [' + b'9' * 1_900_000 + b']}}'); os._exit(0)
        """,
    ),
    Attack("calls that do nothing", "os.write = lambda *_: 0; done()"),
    Attack("an exit that does nothing", "os._exit = lambda *_: None; done()"),
    Attack(
        "an error that is a flood",
        """
        class Flood(Exception):
            def __str__(self): return "x" * 2**29
        raise Flood
        """,
        "an error without a text|Flood: x{250}",
    ),
    Attack(
        "an error that paints the terminal",
        r"raise type('\x1b[31m\n' * 1000, (Exception,), {})('\u202e')",
        r"(\[31m ?){50}",
    ),
    Attack(
        "a line that does not end",
        """
        import itertools, matplotlib.pyplot as plt
        plt.plot([1])
        plt.gca().lines[0].get_ydata = lambda: itertools.cycle([1.0])
        plt.show()
        """,
    ),
    Attack(
        "higher limits",
        """
        import resource
        for which in range(16):
            soft, hard = resource.getrlimit(which)
            if hard == resource.RLIM_INFINITY: continue
            if attempt(lambda: resource.setrlimit(which, (soft, hard + 1)) or True): breach(which)
        if attempt(lambda: os.nice(-5)) is not None: breach("nice")
        done()
        """,
    ),
    Attack("deep brackets", "x = " + "(" * 5000 + ")" * 5000, "SyntaxError|MemoryError|RecursionError"),
    Attack("many signs", "x = " + "-" * 45_000 + "1", "MemoryError|RecursionError|SyntaxError"),
    Attack(
        "an endless report",
        "while True: os.write(3, bytes(2**20))",
        "the program sent more than|BrokenPipeError",
    ),
    Attack(
        "a forged report", "os.write(3, b'{\"error\": 3'); os._exit(0)", "the program sent a false report"
    ),
    Attack("a deep report", "os.write(3, b'[' * 10**6); os._exit(0)", "the program sent a false report"),
    Attack(
        "a report of noise", "os.write(3, os.urandom(10**6)); os._exit(0)", "the program sent a false report"
    ),
    Attack("a closed report", "os.close(3); done()", "the program ended its process"),
    Attack(
        "pickles",
        "import pickle; os.write(3, pickle.dumps({'error': '', 'values': {}})); os._exit(0)",
        "the program sent a false report",
    ),
    # --- ends
    Attack("an early end", "os._exit(0)", "the program ended its process"),
    Attack("an error's end", "sys.exit('no')", "SystemExit: no"),
    Attack("abort", "os.abort()", "the program was ended by the signal SIG"),
    Attack("a crash", "ctypes.string_at(0)", "the program was ended by the signal SIGSEGV"),
    Attack("deep recursion", "def f(n): return f(n + 1)\nf(0)", "RecursionError"),
    Attack(
        "bottomless recursion",
        "sys.setrecursionlimit(10**9)\ndef f(n): return [f(n + 1) for _ in range(1)]\nf(0)",
        f"the program was ended by the signal SIGSEGV|MemoryError|RecursionError|SystemError|{TOO_LONG}",
    ),
    Attack("no Python", "this is no program (", "SyntaxError"),
    Attack(
        "nested Python",
        "x = " + "(" * 5000 + ")" * 5000,
        "SyntaxError|MemoryError|RecursionError|the program was ended by the signal SIGSEGV",
    ),
    Attack("a null byte", "x = '\0'", "SyntaxError|ValueError"),
    Attack("half a character", "x = '\udc80'; done()"),
    Attack(
        "an error without a text",
        "class E(BaseException):\n    def __str__(self): raise self\nraise E",
        "an error",
    ),
    Attack("a long error", "raise ValueError('x\\n\\x1b[31m' * 10**6)", "ValueError: x"),
    # --- what we read
    Attack(
        "our own code",
        """
        import json, builtins
        import inside.program, inside.syscall_filter, inside.figures
        for module in (inside.program, inside.syscall_filter, inside.figures, json, os):
            for name in list(vars(module)):
                if callable(getattr(module, name)) and name not in ("write",):
                    attempt(setattr, module, name, lambda *_, **__: "forged")
        """,
        ".*",
    ),
    Attack(
        "a figure without numbers",
        "import matplotlib.pyplot as plt; plt.plot(['a', 'b'], ['1', '2']); plt.show()",
    ),
]
