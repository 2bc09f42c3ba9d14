# SPDX-License-Identifier: GPL-2.0-only
"""Damaged trace.dat files: each is read, or refused in one line that names a byte; --salvage reads the intact part."""

from __future__ import annotations

import random
import struct
import tempfile
import time
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path

from emu.trace import Trace, TraceFileError
from emu.trace.convert import FORMATS, CannotConvert, ConvertOptions
from emu.trace.data_frames import MissingLibrary
from emu.trace.report import Report, ReportOptions
from emu.trace.trace_text import trace_text
from tests.fuzz import Outcome
from tests.lib.golden import GOLDEN
from tests.lib.other_kernels import KERNELS, file_of
from tests.lib.trace_dat import Dat, Pages, event_id, linux_formats

__all__ = ["ENOUGH", "mutated", "run", "sample", "sample_parts"]

ENOUGH = 20.0  # the most seconds for reading one file
_SCHED = ("name: sched_switch", "name: sched_process_exec")
_FORMATS = {
    "ftrace": linux_formats()["ftrace"],
    "sched": [text for text in linux_formats()["sched"] if text.splitlines()[0] in _SCHED],
    "irq": linux_formats()["irq"],
}
_NUMBERS = (0, 1, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, (1 << 64) - 1, 1 << 40)
_TEXT = 0xFFFFFFFF81000000


@cache
def sample(order: str, version: int, compressed: bool) -> bytes:
    """A small intact file with events of many kinds, on two CPUs and in an instance."""
    dat = sample_parts(order, version, compressed)
    return dat.version7() if version == 7 else dat.version6()


def sample_parts(order: str, version: int, compressed: bool) -> Dat:
    """The content of the sample."""
    cpus = []
    for cpu in range(2):
        pages = Pages(order)
        for n in range(200):
            when = 1000 + n * 997 + cpu
            for entry in _entries(order, n):
                pages.add(when, entry)
            if n % 50 == 49:
                pages.lose(n if cpu else -1)
            if n == 20:
                pages.padding(12)
                pages.stamp(pages._last + 5)
        pages.flush()
        cpus.append(pages.data)
    return Dat(
        cpus,
        formats=_FORMATS,
        kallsyms="".join(f"{_TEXT + 64 * n:x} T fn_{n}\n" for n in range(20)),
        cmdlines="5 name\n",
        printk='0xffffffff82000000 : "fmt %d and %s\\n"\n',
        order=order,
        instances={"foo": cpus[:1]} if version == 7 else {},
        compression="zlib" if compressed else "none",
        compress=zlib.compress if compressed else None,
    )


def _entries(order: str, n: int) -> list[bytes]:
    """An entry of each kind."""

    def entry(kind: int, layout: str, *values: object) -> bytes:
        return struct.pack(f"{order}HBBi{layout}", kind, 1, 2, 5, *values)

    function = _TEXT + 64 * (n % 20)
    found = [
        entry(1, "QQ", function, function + 8),
        entry(11, "Qi", function, n % 7),
        entry(10, "QiIQQ", function, n % 7, 0, n * 900, n * 1000),
        entry(event_id("sched", "sched_switch"), "16siiq16sii", b"one", n, 120, n % 3, b"other", n + 1, 100),
        entry(event_id("sched", "sched_process_exec"), "IIii8s", 24 | 8 << 16, 0, 5, 5, b"/bin/ls"),
        entry(4, "iIQQ", 2, 0, function, _TEXT),
        entry(5, "Q8s", function, b"hello\n"),
    ]
    return found if n % 3 else found[:3]


def mutated(data: bytes, choose: random.Random) -> bytes:
    """The file with a few changes."""
    found = bytearray(data)
    for _ in range(choose.choice([1, 1, 2, 5])):
        at = choose.choice([choose.randrange(len(found)), choose.randrange(min(len(found), 4096)), len(found) - 1])
        match choose.randrange(6):
            case 0:
                found[at] ^= 1 << choose.randrange(8)
            case 1:
                number = choose.choice([*_NUMBERS, len(found), choose.getrandbits(64)])
                size = choose.choice([2, 4, 8])
                number &= (1 << 8 * size) - 1
                found[at : at + size] = number.to_bytes(size, choose.choice(["little", "big"]))  # type: ignore[arg-type]
            case 2:
                del found[at:]
            case 3:
                del found[at : at + choose.randrange(1, 64)]
            case 4:
                found[at:at] = choose.randbytes(choose.randrange(1, 64))
            case 5:
                start = choose.randrange(len(found))
                found[at : at + 32] = found[start : start + 32]
        if not found:
            break
    return bytes(found)


def _read(path: Path, *, salvage: bool) -> int:
    """Reads everything. Returns the number of lines."""
    trace = Trace.open(path, salvage=salvage)
    lines = b"".join(Report(trace).pieces()).count(b"\n")
    for piece in Report(trace, ReportOptions(raw=True)).pieces():
        lines += piece.count(b"\n")
    for table in trace.events.values():
        for name in table:
            assert len(table[name]) == table.count
    for name in trace.calls:
        assert len(trace.calls[name]) == trace.calls.count
    for format_ in FORMATS.values():
        with suppress(CannotConvert, MissingLibrary):
            b"".join(format_.pieces(trace, ConvertOptions()))
    return lines


def _problem(path: Path, *, salvage: bool) -> str | None:
    """The error, if the file is refused; None if it can be read."""
    try:
        _read(path, salvage=salvage)
    except TraceFileError as error:
        text = str(error)
        assert text.startswith("byte ") and "\n" not in text, text
        return text
    try:
        b"".join(trace_text(Trace.open(path, salvage=salvage), ReportOptions()))
    except TraceFileError as error:
        return str(error)
    return None


def run(arch: str, seed: int, numbers: range) -> Outcome:
    """Tries the files with some numbers. Those of SPARC are big-endian."""
    outcome, order = Outcome(), ">" if arch.startswith("sparc") else "<"
    goldens = sorted(GOLDEN.glob("tracecmd-*.dat"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.dat"
        for number in numbers:
            choose = random.Random(f"{seed} {number}")
            if goldens and number % 50 == 49:
                good = choose.choice(goldens).read_bytes()
            elif number % 5 == 4:
                good = file_of(choose.choice(list(KERNELS.values())), choose.choice([6, 7]))
            else:
                good = sample(order, *choose.choice([(6, False), (7, False), (7, True)]))
            path.write_bytes(mutated(good, choose))
            start = time.monotonic()
            try:
                refused = _problem(path, salvage=False)
                outcome.counts["refused" if refused else "accepted"] += 1
                outcome.counts["salvaged"] += _problem(path, salvage=True) is None
            except Exception as error:  # a crash
                outcome.findings.append(f"seed {seed}, number {number}: {type(error).__name__}: {error}")
            if time.monotonic() - start > ENOUGH:
                outcome.findings.append(f"seed {seed}, number {number}: took {time.monotonic() - start:.0f} s")
    return outcome
