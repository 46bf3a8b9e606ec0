"""What a chart's program may use."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 2**20


@dataclass(frozen=True)
class ChartLimits:
    """The limits of one chart. A program that goes beyond one ends, with an error of its own or by a signal.

    Attributes:
        seconds: of wall-clock time, kept from outside; 15 is RealHiTBench's own.
        processor_seconds: of processor time, all threads together.
        memory: bytes of address space, beyond what Python and its libraries take.
        disk: bytes of all files in its temporary folder, and of each.
        entries: files and folders in its temporary folder.
        files: open ones.
        threads: in its one process, one where root cannot limit them; it can start no other process.
        values: y values of a kind of mark that are read from a figure.
        report: bytes that are read from the program's process.
    """

    seconds: float = 15
    processor_seconds: int = 15
    memory: int = 1024 * _MIB
    disk: int = 64 * _MIB
    entries: int = 2048
    files: int = 256
    threads: int = 64
    values: int = 20_000
    report: int = 2 * _MIB
