# SPDX-License-Identifier: GPL-2.0-only
"""The report, byte for byte like trace-cmd's: of files of a real Linux 6.1, and of made-up files."""

from __future__ import annotations

import gzip
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from emu.trace import Trace
from emu.trace.report import Report, ReportOptions
from tests.fuzz.trace_dat import sample
from tests.lib.golden import GOLDEN
from tests.lib.trace_dat import Dat, Pages, event_id, linux_formats

NAMES = ("function", "graph", "graph-depth", "graph-openat2", "sched", "syscalls", "i686-funcgraph", "arm64-bprint-print")
TEXT = 0xFFFFFFFF81000000
SYMBOLS = "".join(f"{TEXT + 64 * n:x} T fn_{n}\n" for n in range(20))


def report(path: Path, options: ReportOptions | None = None) -> bytes:
    return b"".join(Report(Trace.open(path), options or ReportOptions()).pieces())


def trace_cmd(*arguments: str | Path) -> bytes:
    """The output of the installed trace-cmd."""
    if shutil.which("trace-cmd") is None:
        pytest.skip("trace-cmd is not installed (on Debian: apt-get install trace-cmd)")
    return subprocess.run(["trace-cmd", *arguments], check=True, capture_output=True).stdout


@pytest.fixture
def file(tmp_path: Path):  # type: ignore[no-untyped-def]  # a function
    def make(data: bytes) -> Path:
        path = tmp_path / "trace.dat"
        path.write_bytes(data)
        return path

    return make


def golden(name: str) -> bytes:
    return gzip.decompress((GOLDEN / f"tracecmd-{name}.txt.gz").read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_of_a_real_linux(name: str) -> None:
    assert report(GOLDEN / f"tracecmd-{name}.dat") == golden(f"{name}.report")


@pytest.mark.parametrize("name", NAMES)
def test_raw_of_a_real_linux(name: str) -> None:
    assert report(GOLDEN / f"tracecmd-{name}.dat", ReportOptions(raw=True)) == golden(f"{name}.report-R")


@pytest.mark.parametrize("name", ["graph-depth", "sched"])
@pytest.mark.parametrize("how", [("6",), ("7", "--compression", "none")], ids=["version 6", "not compressed"])
def test_of_a_file_that_trace_cmd_converted(name: str, how: Sequence[str], tmp_path: Path) -> None:
    path = tmp_path / "trace.dat"
    trace_cmd("convert", "-i", GOLDEN / f"tracecmd-{name}.dat", "-o", path, "--file-version", *how)
    assert report(path) == golden(f"{name}.report")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [6, 7])
def test_of_many_kinds_of_events(order: str, version: int, file) -> None:  # type: ignore[no-untyped-def]
    path = file(sample(order, version, compressed=False))
    assert report(path) == trace_cmd("report", path)


def test_compressed_is_the_same(file) -> None:  # type: ignore[no-untyped-def]
    plain, packed = (report(file(sample(">", 7, compressed))) for compressed in (False, True))
    assert plain == packed


def entry(kind: int, layout: str = "", *values: object, pid: int = 5) -> bytes:
    return struct.pack(f"<HBBi{layout}", kind, 0, 0, pid, *values)


def function(number: int, caller: int, pid: int = 5) -> bytes:
    return entry(1, "QQ", TEXT + 64 * number, TEXT + 64 * caller + 8, pid=pid)


def same_as_trace_cmd(path: Path, *arguments: str, options: ReportOptions | None = None) -> None:
    assert report(path, options).decode() == trace_cmd("report", *arguments, path).decode()


def test_calls_stand_below_their_callers(file) -> None:  # type: ignore[no-untyped-def]
    pages = Pages()
    for n, (called, caller) in enumerate([(1, 2), (3, 1), (4, 3), (5, 1), (6, 3), (7, 9), (8, 7), (1, 15), (0, 0), (1, 0)]):
        pages.add(1000 + n, function(called, caller))
    pages.flush()
    same_as_trace_cmd(file(Dat([pages.data], kallsyms=SYMBOLS, cmdlines="5 name\n").version7()))


def test_durations(file) -> None:  # type: ignore[no-untyped-def]
    pages, when = Pages(), 1000
    for lasted in [0, 999, 9999, 10000, 10001, 100000, 100001, 1000000, 1000001, 99999999, 1000000001, 123456789012345]:
        pages.add(when, entry(11, "Qi", TEXT, 3))
        pages.add(when + 1, entry(10, "QiIQQ", TEXT, 3, 0, 1000, 1000 + lasted))
        pages.add(when + 2, entry(10, "QiIQQ", TEXT, 2, 0, 1000, 1000 + lasted))
        when += 3
    pages.flush()
    same_as_trace_cmd(file(Dat([pages.data], kallsyms=SYMBOLS).version7()))


def test_what_was_lost_is_said_and_times_may_be_far_apart(file) -> None:  # type: ignore[no-untyped-def]
    first, second = Pages(), Pages()
    for n, pages in enumerate((first, second)):
        pages.add(5 + n, function(1, 2, pid=0))
        pages.add(1499 + (n << 40), function(1, 2, pid=123456))
        for lost in (7, -1, 0):
            pages.lose(lost)
            pages.add(10**15 + n, function(3, 4))
        pages.flush()
    dat = Dat([first.data, second.data], kallsyms=SYMBOLS, cmdlines="5 name\n", instances={"foo": [first.data]})
    path = file(dat.version7())
    same_as_trace_cmd(path)
    same_as_trace_cmd(path, "-t", options=ReportOptions(full_times=True))


def test_messages_stacks_and_unknown_events(file) -> None:  # type: ignore[no-untyped-def]
    pages = Pages()
    entries = [
        entry(4, "iIQQQ", 3, 0, TEXT + 8, TEXT + 72, (1 << 64) - 1),
        entry(5, "Q16s", TEXT, b"hello world\n"),
        entry(6, "QQII", TEXT, 0xFFFFFFFF82000000, 5, 7),
        entry(6, "QQII", TEXT, 0xFFFFFFFF83000000, 5, 7),
        entry(14, "QQ", TEXT, 0xFFFFFFFF82000010),
        entry(18, "I8s", 0x42, b"raw"),
        entry(19, "QQHHI", TEXT, TEXT + 64, 5, 1, 2),
        entry(16, "QQQIIIII", *range(1, 9)),
        entry(60000, "8s", b"what"),
    ]
    for n, data in enumerate(entries):
        pages.add(10**10 + n, data)
    pages.flush()
    printk = '0xffffffff82000000 : "fmt %d and %x\\n"\n0xffffffff82000010 : "puts\\n"\n'
    same_as_trace_cmd(file(Dat([pages.data], kallsyms=SYMBOLS, printk=printk, cmdlines="5 name\n").version7()))


def test_a_name_of_two_symbols_is_trace_cmds(file) -> None:  # type: ignore[no-untyped-def]
    symbols = f"{TEXT:x} T zzz\n{TEXT:x} t aaa\n{TEXT:x} t mmm\n{TEXT + 64:x} t one\n{TEXT + 64:x} A abs\n{TEXT + 256:x} T last\n"
    pages = Pages()
    for n, offset in enumerate((0, 4, 64, 68, 256, 264)):
        pages.add(1000 + n, entry(1, "QQ", TEXT + offset, 0))
    pages.flush()
    same_as_trace_cmd(file(Dat([pages.data], kallsyms=symbols).version7()))


def test_states_of_tasks(file) -> None:  # type: ignore[no-untyped-def]
    pages, number = Pages(), event_id("sched", "sched_switch")
    for n, state in enumerate([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 3, 0x81, 0xFF, -1, 0x402]):
        pages.add(1000 + n, entry(number, "16siiq16sii", b"one", 10, -5, state, b"the other", -20, 120))
    pages.flush()
    same_as_trace_cmd(file(Dat([pages.data]).version7()))


def test_filters() -> None:
    path = GOLDEN / "tracecmd-sched.dat"
    lines = report(path).decode().splitlines(keepends=True)
    wakeups = report(path, ReportOptions(events={"sched:sched_wakeup"})).decode()
    assert wakeups == lines[0] + "".join(line for line in lines if ": sched_wakeup: " in line)
    first = report(path, ReportOptions(cpus=[1])).decode()
    assert first == lines[0] + "".join(line for line in lines if "[001]" in line)
    task = report(path, ReportOptions(pids=[15])).decode()
    assert task == lines[0] + "".join(line for line in lines if line[:22].rstrip().endswith("-15"))
    some = report(path, ReportOptions(start=124_613_200_000, end=124_620_000_000)).decode().splitlines()
    assert len(some) == 1 + sum("124.6132" <= line.split()[2].rstrip(":") <= "124.62" for line in lines[1:])


def own_format(number: int, name: str, fields: str, print_fmt: str) -> str:
    """The format file of an event with one-letter fields, which are pointers."""
    common = (("unsigned short", "type", 0, 2), ("unsigned char", "flags", 2, 1), ("unsigned char", "preempt_count", 3, 1))
    lines = [f"\tfield:{type_} common_{of};\toffset:{at};\tsize:{size};\tsigned:0;" for type_, of, at, size in common]
    lines += ["\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;", ""]
    lines += [f"\tfield:void * {of};\toffset:{8 + 8 * n};\tsize:8;\tsigned:0;" for n, of in enumerate(fields)]
    return "\n".join([f"name: {name}", f"ID: {number}", "format:", *lines, "", f"print fmt: {print_fmt}", ""])


def of_own_formats(print_fmts: Sequence[str]) -> bytes:
    """A file with an event for each print fmt; its fields a, b and c are the address of a function."""
    pages, formats = Pages(), []
    for n, print_fmt in enumerate(print_fmts):
        formats.append(own_format(900 + n, f"event_{n}", "abc", print_fmt))
        pages.add(1000 + n, entry(900 + n, "QQQ", *[TEXT + 64] * 3))
    pages.flush()
    symbols = SYMBOLS + f"{TEXT + 0x1000:x} D a_variable\n{TEXT + 0x1040:x} A absolute\n{TEXT + 0x2000:x} D the_end\n"
    return Dat([pages.data], formats={"ftrace": linux_formats()["ftrace"], "own": formats}, kallsyms=symbols).version7()


def test_raw_fields_are_printed_by_the_conversions_that_trace_cmd_finds(file) -> None:  # type: ignore[no-untyped-def]
    orders = ["abc", "acb", "bac", "bca", "cab", "cba", "ac", "c", "ba", "bcba"]
    print_fmts = [f'"{" ".join("%ps" for _ in order)}", {", ".join(f"REC->{of}" for of in order)}' for order in orders]
    print_fmts += ['"%ps %ps %ps end", REC->a, REC->c, REC->b', '"%ps %ps 0x%llx", REC->a, REC->c, (unsigned long long) REC->b']
    path = file(of_own_formats(print_fmts))
    assert report(path, ReportOptions(raw=True)) == trace_cmd("report", "-R", path)


def test_a_kernels_symbols_stand_for_their_addresses(file) -> None:  # type: ignore[no-untyped-def]
    texts = ["((struct page *)a_variable) + (u64) REC->a", "(void *)((unsigned long)(a_variable) + 8)", "absolute", "unknown"]
    same_as_trace_cmd(file(of_own_formats([f'"{conversion}", {text}' for text in texts for conversion in ("%p", "%lx", "%pS")])))


@pytest.mark.parametrize("name", ["hrtimer_start", "hrtimer_expire_entry"])
def test_timers_name_their_functions(name: str, file) -> None:  # type: ignore[no-untyped-def]
    pages, number = Pages(), event_id("timer", name)
    for n, function in enumerate((TEXT, TEXT + 70, TEXT - 1, 0)):
        fields = (function, 5, 6, 7) if name == "hrtimer_start" else (5, function)
        pages.add(1000 + n, entry(number, f"{len(fields) + 1}Q", 1 << 63, *fields))
    pages.flush()
    same_as_trace_cmd(file(Dat([pages.data], kallsyms=SYMBOLS).version7()))


def test_why_a_tlb_was_flushed(file) -> None:  # type: ignore[no-untyped-def]
    pages, number = Pages(), event_id("tlb", "tlb_flush")
    for reason in range(7):
        pages.add(1000 + reason, entry(number, "i4xq", reason, -1))
    pages.flush()
    same_as_trace_cmd(file(Dat([pages.data]).version7()))
