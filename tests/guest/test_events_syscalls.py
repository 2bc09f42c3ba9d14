# SPDX-License-Identifier: GPL-2.0-only
"""System calls: every entry has an exit, with the arguments and results that the program sees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.golden import read_golden
from tests.lib.host_compiler import compile_static

SCRIPT = """
echo hello > /tmp/file
cat /tmp/file /no/file
kill -0 99999
ls / | wc -l
sleep 0.001 & wait
recurse 3 20
trap 'echo caught' USR1
kill -USR1 $$
ls -l /bin /dev
"""
NO_RETURN = {"exit", "exit_group", "rt_sigreturn"}

# Linux on x86-64 does not have these, or has other forms of them.
ONLY = {"x86_64": set[str](), "sparc64": {"fstatfs64", "llseek", "nice", "statfs64"}, "riscv64": {"riscv_flush_icache"}}
OTHERWISE = {
    "x86_64": set[str](),
    "sparc64": {"sys_enter_clone", "sys_enter_rt_sigaction"},
    "riscv64": {"sys_enter_clone"},
}

LINE = re.compile(
    r"^ *.+-(\d+) +\[\d+\] (\S+) +[\d.]+: "
    r"(?:sys_(enter|exit): NR (-?\d+) (?:\((.*)\)|= (-?\d+))|(sys_\w+)(?:\((.*)\)| -> (\w+)))$"
)


@dataclass(frozen=True)
class Line:
    """An event of raw_syscalls, which has a number, or of syscalls, which has a name. Entries have `args`, exits `result`."""

    pid: int
    flags: str
    number: int | None
    name: str
    args: Sequence[int] | None
    result: int


def parse(line: str) -> Line:
    match = LINE.match(line)
    assert match, line
    pid, flags, way, number, raw_args, raw_result, name, args, result = match.groups()
    if number is not None:
        values = [int(word, 16) for word in raw_args.split(", ")] if way == "enter" else None
        return Line(int(pid), flags, int(number), "", values, int(raw_result or 0))
    values = [int(word, 16) for word in re.findall(r": (\w+)", args)] if args is not None else None
    signed = int(result or "0", 16)
    return Line(int(pid), flags, None, name.removeprefix("sys_"), values, signed - (signed >> 63 << 64))


@pytest.fixture(params=[1, 4], scope="module")
def machine(arch: str, request: pytest.FixtureRequest) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=request.param) as booted:
        booted.tracefs.write("buffer_size_kb", "20000")
        yield booted
        assert booted.warnings == []


def record(machine: Machine, events: str, command: str) -> list[Line]:
    machine.tracefs.write("trace", "")
    machine.tracefs.write("set_event", events)
    machine.run(command)
    machine.tracefs.write("set_event", "")
    return [parse(line) for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")]


@pytest.fixture(scope="module")
def story(machine: Machine) -> dict[int, list[Line]]:
    """By task, the events of both systems while the script runs."""
    of_task: dict[int, list[Line]] = {}
    for line in record(machine, "raw_syscalls syscalls", SCRIPT):
        of_task.setdefault(line.pid, []).append(line)
    return of_task


def test_each_raw_event_is_followed_by_that_of_its_call(story: dict[int, list[Line]]) -> None:
    for lines in story.values():
        raw = [line for line in lines if line.number is not None and line.number >= 0]
        named = [line for line in lines if line.number is None]
        assert len(raw) == len(named)
        for of_all, of_call in zip(raw, named, strict=True):
            assert of_call.result == of_all.result
            if of_call.args is None or of_all.args is None:
                assert of_call.args is of_all.args is None
            else:
                assert list(of_call.args) == list(of_all.args[: len(of_call.args)])
            assert (of_all.flags, of_call.flags) == (".....", "...1.")


def test_what_begins_ends(story: dict[int, list[Line]]) -> None:
    calls = 0
    for pid, lines in story.items():
        named = [line for line in lines if line.number is None]
        begun = named[0].name if named[0].args is None else ""  # a new task's first event is the exit of its fork
        for line in named:
            if line.args is not None:
                assert begun in ("", *NO_RETURN), (pid, line)
                begun = line.name
                calls += 1
            else:
                assert line.name == begun, (pid, line)
                begun = ""
        assert begun in ("", *NO_RETURN, "wait4", "read", "write", "ioctl"), pid
    assert calls > 200


def test_results_are_what_the_program_sees(story: dict[int, list[Line]]) -> None:
    named = [line for lines in story.values() for line in lines if line.number is None]
    results: dict[str, list[int]] = {}
    for line in named:
        if line.args is None:
            results.setdefault(line.name, []).append(line.result)
    assert results["kill"][0] == -3  # ESRCH, even where the program gets a carry instead of a sign
    assert set(results["execve"]) == {0}
    assert -2 in results["openat"]
    for pid, lines in story.items():
        for line in lines:
            if line.name == "getpid" and line.args is None:
                assert line.result == pid


def test_a_signal_handlers_return_is_no_end_of_a_call(story: dict[int, list[Line]]) -> None:
    lines = [line for lines in story.values() for line in lines]
    returns = [n for n, line in enumerate(lines) if line.name == "rt_sigreturn"]
    assert returns
    for n in returns:
        assert lines[n].args == []
        assert (lines[n + 1].number, lines[n + 1].args) == (-1, None)


def test_only_the_calls_that_are_asked_for(machine: Machine) -> None:
    lines = record(machine, "syscalls:sys_enter_openat syscalls:sys_exit_close", "cat /proc/self/status > /dev/null")
    assert {(line.name, line.args is not None) for line in lines} == {("openat", True), ("close", False)}


def test_formats_are_linuxs(machine: Machine, arch: str) -> None:
    def format_of(text: str) -> str:
        return re.sub(r"ID: \d+", "ID", text).strip()

    texts = read_golden("format-all.txt.gz")
    golden = {}
    for part in texts.split("== events/syscalls/")[1:]:
        path, _, text = part.split("== events/")[0].partition("\n")
        golden[path.split("/")[0]] = format_of(text)
    names = [name for name in machine.tracefs.listdir("events/syscalls") if name.startswith("sys_")]
    assert len(names) > 275
    only = {name for name in names if name not in golden}
    assert only == {f"sys_{way}_{name}" for way in ("enter", "exit") for name in ONLY[arch]}
    for name in names:
        if name in golden and name not in OTHERWISE[arch]:
            assert format_of(machine.tracefs.read(f"events/syscalls/{name}/format")) == golden[name]


def test_a_number_beyond_all_calls_is_only_a_raw_event(arch: str, tmp_path: Path) -> None:
    compile_static(arch, "#include <unistd.h>\nint main(void) { syscall(1000, 1, 2); return 0; }", tmp_path / "beyond")
    with Machine(arch=arch, cpus=1, shares=[Share(tmp_path, "/p")]) as machine:
        lines = record(machine, "raw_syscalls syscalls", "/p/beyond")
    (n,) = (n for n, line in enumerate(lines) if line.number == 1000 and line.args)
    enter, leave = lines[n : n + 2]
    assert enter.args is not None
    assert enter.args[:2] == [1, 2]
    assert (leave.number, leave.result) == (1000, -90 if arch == "sparc64" else -38)  # ENOSYS
