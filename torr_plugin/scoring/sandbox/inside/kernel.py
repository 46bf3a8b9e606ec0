"""Linux's calls that Python 3.10 has no names for: namespaces, mounts, privileges."""

from __future__ import annotations

import ctypes
import os
import struct

NEW_MOUNTS, NEW_PIDS = 0x0002_0000, 0x2000_0000
"""The flags of clone(2) for namespaces of mounts and of processes."""

NO_SUID, NO_DEVICES, NO_EXEC = 2, 4, 8
"""The flags of mount(2)."""

_SET_DUMPABLE, _SET_SECCOMP, _DROP_BOUND, _SET_NO_NEW_PRIVILEGES, _AMBIENT = 4, 22, 24, 38, 47
_CLEAR_AMBIENT, _FILTER = 4, 2
_CAPABILITIES = 64

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> int:
    result = int(getattr(_libc, name)(*arguments))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Move this process, or with ``NEW_PIDS`` its next children, to namespaces of their own."""
    _call("unshare", ctypes.c_int(flags))


def own_children_again(myself: int) -> None:
    """Take back ``unshare(NEW_PIDS)``: the next children are in this process's own namespace.

    Args:
        myself: a file descriptor of this process (``os.pidfd_open``).
    """
    _call("setns", ctypes.c_int(myself), ctypes.c_int(NEW_PIDS))


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system."""
    texts = [os.fsencode(each) for each in (source, target, kind)]
    _call("mount", *texts, ctypes.c_ulong(flags), options.encode())


def drop_privileges(user: int | None) -> None:
    """Keep no privilege, and gain none by any program that is run later.

    Args:
        user: the user and group to become; None to stay the same.
    """
    for capability in range(_CAPABILITIES):
        _libc.prctl(_DROP_BOUND, ctypes.c_ulong(capability), 0, 0, 0)  # fails for those it does not know
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    _call("prctl", _AMBIENT, ctypes.c_ulong(_CLEAR_AMBIENT), ctypes.c_ulong(0), ctypes.c_ulong(0), 0)
    header = struct.pack("=Ii", 0x2008_0522, 0)
    _call("capset", header, bytes(24))
    gain_no_privileges()


def gain_no_privileges() -> None:
    """No program that is run later has more privileges; nothing of this process is ever dumped."""
    _call("prctl", _SET_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), 0)
    _call("prctl", _SET_DUMPABLE, ctypes.c_ulong(0), 0, 0, 0)


def install_filter(program: bytes) -> None:
    """Install a filter of system calls for the rest of this process's life.

    Args:
        program: instructions of classic BPF, 8 bytes each.
    """
    code = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _call("prctl", _SET_SECCOMP, ctypes.c_ulong(_FILTER), filter_, 0, 0)
