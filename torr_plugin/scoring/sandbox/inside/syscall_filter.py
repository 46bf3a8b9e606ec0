"""Which system calls a chart's program may not use, as a filter for seccomp(2).

Namespaces keep a program from what is outside. The filter keeps it from multiplying, and from the parts of
the kernel that drawing never needs, where holes in walls have been found.
"""

from __future__ import annotations

import platform
import struct

_ARCHITECTURES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}

# name, its numbers on x86_64 and aarch64; - where there is no such call
_FORBIDDEN = """
fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, ptrace 101 117, process_vm_readv 310 270
process_vm_writev 311 271, process_madvise 440 440, kcmp 312 272, pidfd_open 434 434, pidfd_getfd 438 438
pidfd_send_signal 424 424, unshare 272 97, setns 308 268
socket 41 198, socketpair 53 199
memfd_create 319 279, memfd_secret 447 447, mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51
open_tree 428 428, move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433
mount_setattr 442 442, name_to_handle_at 303 264, open_by_handle_at 304 265, fanotify_init 300 262
quotactl 179 60, swapon 167 224, swapoff 168 225, acct 163 89
shmget 29 194, msgget 68 186, semget 64 190, mq_open 240 180, add_key 248 217, request_key 249 218
keyctl 250 219
bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, io_uring_setup 425 425, io_setup 206 0
syslog 103 116, init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104
kexec_file_load 320 294, reboot 169 142, settimeofday 164 170, clock_settime 227 112, clock_adjtime 305 266
adjtimex 159 171, sethostname 170 161, setdomainname 171 162, personality 135 92, iopl 172 -, ioperm 173 -
modify_ldt 154 -
"""
"""Other processes and programs; the network; files that are no files, and mounts; memory and messages that
outlive a process; the machine."""
_CLONE, _CLONE3 = (56, 220), (435, 435)
_FIRST_UNKNOWN = 451  # calls of Linux 6.5 and later, and on x86_64 those of its x32 variant
_CLONE_THREAD = 0x0001_0000
_NO_SUCH_CALL, _NOT_PERMITTED = 38, 1
_ALLOW, _KILL, _ERROR = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06


def is_known(machine: str = "") -> bool:
    """Whether there is a filter for the machine's architecture."""
    return (machine or platform.machine()) in _ARCHITECTURES


def drawing_alone(machine: str = "", *, threads: bool = True) -> bytes:
    """The filter: no processes, no sockets, no mounts, no programs; threads where they can be limited.

    Args:
        machine: as :func:`platform.machine` names it; empty for this one.
        threads: whether any may be started.

    Raises:
        KeyError: no filter for its architecture (see :func:`is_known`).
    """
    architecture, column = _ARCHITECTURES[machine or platform.machine()]
    numbers = [call.split()[1 + column] for call in _FORBIDDEN.replace(",", "\n").strip().splitlines()]
    forbidden = [int(number) for number in numbers if number != "-"]
    checks = [
        *([(_EQUAL, number, "refuse")] for number in forbidden),
        [(_EQUAL, _CLONE3[column], "unknown")],  # the C library then takes clone, whose flags can be read
        [(_AT_LEAST, _FIRST_UNKNOWN, "unknown")],
    ]
    lines: list[tuple[int, int, str]] = [
        (_LOAD, 4, ""),
        (_EQUAL, architecture, "next or kill"),
        (_LOAD, 0, ""),
        *(line for check in checks for line in check),
        (_EQUAL, _CLONE[column], "next or allow"),
        (_LOAD, 16, ""),
        (_ANY_BIT, _CLONE_THREAD if threads else 0, "allow or refuse"),
    ]
    ends = {
        "allow": _ALLOW,
        "refuse": _ERROR | _NOT_PERMITTED,
        "unknown": _ERROR | _NO_SUCH_CALL,
        "kill": _KILL,
    }
    places = {name: len(lines) + index for index, name in enumerate(ends)}
    code = [_instruction(index, *line, places) for index, line in enumerate(lines)]
    return b"".join([*code, *(struct.pack("=HBBI", _RETURN, 0, 0, value) for value in ends.values())])


def _instruction(index: int, operation: int, value: int, jump: str, places: dict[str, int]) -> bytes:
    """One instruction; ``jump`` names where to go if the check holds, ``or`` where to go if not."""
    held, _, otherwise = jump.partition(" or ")
    steps = [places[name] - index - 1 if name in places else 0 for name in (held, otherwise)]
    return struct.pack("=HBBI", operation, *steps, value)
