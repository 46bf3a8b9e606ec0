"""The filter of system calls, run as the kernel would, for machines that we do not have too."""

from __future__ import annotations

import struct

import pytest

from torr_plugin.scoring.sandbox.inside.syscall_filter import drawing_alone, is_known

ALLOW, REFUSE, UNKNOWN, KILL = 0x7FFF_0000, 0x0005_0001, 0x0005_0026, 0x8000_0000
ARCHITECTURE = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
CALLS = {
    "x86_64": {"fork": 57, "clone": 56, "clone3": 435, "execve": 59, "socket": 41, "openat": 257, "mmap": 9},
    "aarch64": {"clone": 220, "clone3": 435, "execve": 221, "socket": 198, "openat": 56, "mmap": 222},
}


def verdict(program: bytes, number: int, architecture: int, argument: int = 0) -> int:
    """What classic BPF says of a call; the argument is the first one's lower half."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, argument, 0, 0, 0, 0, 0)
    lines = list(struct.iter_unpack("=HBBI", program))
    value, at = 0, 0
    while True:
        operation, held, otherwise, operand = lines[at]
        if operation == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        elif operation == 0x06:
            return int(operand)
        else:
            found = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[operation]
            at += held if found else otherwise
        at += 1


@pytest.mark.parametrize("machine", ARCHITECTURE)
def test_the_filters_verdicts(machine: str) -> None:
    program, own, calls = drawing_alone(machine), ARCHITECTURE[machine], CALLS[machine]
    for name in {"fork", "execve", "socket"} & calls.keys():
        assert verdict(program, calls[name], own) == REFUSE
    for name in ("openat", "mmap"):
        assert verdict(program, calls[name], own) == ALLOW
    assert verdict(program, calls["clone"], own, 17) == REFUSE  # a process, SIGCHLD
    assert verdict(program, calls["clone"], own, 0x003D_0F00) == ALLOW  # a thread, as the C library makes it
    alone = drawing_alone(machine, threads=False)
    assert [verdict(alone, calls["clone"], own, flags) for flags in (17, 0x003D_0F00)] == [REFUSE, REFUSE]
    assert verdict(program, calls["clone3"], own) == UNKNOWN
    assert verdict(program, 0x4000_0039, own) == UNKNOWN  # x32's fork
    assert verdict(program, 999, own) == UNKNOWN
    assert verdict(program, calls["openat"], 0x4000_0003) == KILL  # i386


def test_other_machines_have_none() -> None:
    assert is_known("x86_64")
    assert is_known("aarch64")
    assert not is_known("riscv64")
