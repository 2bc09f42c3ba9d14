# SPDX-License-Identifier: GPL-2.0-only
"""Uprobes from outside: programs of a Linux guest, at offsets in their files."""

from __future__ import annotations

import errno
import random
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import unicorn

from emu.cpu.internals import add_native_hook
from emu.ftrace.errors import TraceError
from emu.kernel.program_files import UnknownPlace
from emu.linux.checkpoint import LinuxCheckpoint
from emu.linux.machine import LinuxMachine
from tests.cpu.test_listeners import executed
from tests.lib.busybox_code import busybox_entry, busybox_functions
from tests.lib.probed_program import ProbedProgram
from tests.linux.tracing.conftest import forget_events

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

SOURCE = r"""
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
jmp_buf away;
__attribute__((noinline, noipa)) long work(long n, const char *name) { return n * 3 + name[0]; }
__attribute__((noinline, noipa)) long step(long n);
__attribute__((noinline, noipa)) long fact(long n) { return n < 2 ? 1 : n * step(n - 1); }
__attribute__((noinline, noipa)) long step(long n) { return fact(n); }
__attribute__((noinline, noipa)) long leave(long n) { if (n < 3) longjmp(away, 1); return n; }
int main(int argc, char **argv) {
    for (volatile int i = 0; i < 3; i++) {
        long result = work(atoi(argv[1]) + i, argv[2]);
        printf("%d %d %s %ld\n", getpid(), atoi(argv[1]) + i, argv[2], result);
        usleep(1000);
    }
    fact(4);
    for (volatile int i = 0; i < 5; i++)
        if (!setjmp(away)) leave(i);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> ProbedProgram:
    return ProbedProgram("x86_64", SOURCE, tmp_path_factory.mktemp("probed"), "p")


@pytest.fixture(scope="module")
def installed(started: tuple[LinuxMachine, LinuxCheckpoint], program: ProbedProgram) -> LinuxCheckpoint:
    """The machine with the program /tmp/p."""
    machine, after_boot = started
    machine.restore(after_boot)
    machine.run("cat > /tmp/p; chmod +x /tmp/p", stdin=program.file.read_bytes())
    return machine.checkpoint()


@pytest.fixture
def probed(traced: LinuxMachine, installed: LinuxCheckpoint) -> Iterator[LinuxMachine]:
    traced.restore(installed)
    traced.tracefs.write("tracing_on", "1")
    yield traced
    forget_events(traced.tracefs)


def define(machine: LinuxMachine, *lines: str) -> None:
    for line in lines:
        machine.tracefs.append("uprobe_events", f"{line}\n")
    machine.tracefs.write("events/uprobes/enable", "1")


def recorded(machine: LinuxMachine, name: str) -> list[tuple[int, str]]:
    """The pids of an event's entries, and their arguments."""
    found = re.findall(rf"^ *\S+?-(\d+) .*?: {name}: \(.*?\) ?(.*)$", machine.tracefs.read("trace"), re.MULTILINE)
    return [(int(pid), arguments) for pid, arguments in found]


def said(output: bytes) -> list[tuple[int, str, str, str]]:
    lines = [line.split() for line in output.decode().splitlines()]
    return [(int(pid), n, name, result) for pid, n, name, result in lines]


def test_two_processes_execute_one_program(probed: LinuxMachine, program: ProbedProgram) -> None:
    place = f"/tmp/p:{program.offset('work'):#x}"
    define(probed, f"p:work {place} n=%di:s64 name=+0(%si):ustring", f"r:done {place} result=$retval:s64")
    results = said(probed.run("/tmp/p 5 abc & /tmp/p 70 xyz & wait").output)
    assert len({pid for pid, *_ in results}) == 2
    assert Counter(recorded(probed, "work")) == Counter((pid, f'n={n} name="{name}"') for pid, n, name, _ in results)
    assert Counter(recorded(probed, "done")) == Counter((pid, f"result={result}") for pid, *_, result in results)
    assert re.search(rf"done: \(0x[0-9a-f]+ <- {program.address('work'):#x}\)", probed.tracefs.read("trace"))
    assert probed.tracefs.read("uprobe_profile").split() == ["/tmp/p", "work", "6", "/tmp/p", "done", "6"]


def test_a_probe_begins_and_ends_while_the_program_runs(probed: LinuxMachine, program: ProbedProgram) -> None:
    probed.run("(for i in 1 2 3 4 5 6 7 8; do /tmp/p $i x > /dev/null; done; echo done > /tmp/done) &")
    define(probed, f"p:work /tmp/p:{program.offset('work'):#x} n=%di:s64")
    probed.advance(12_000_000)
    probed.tracefs.write("events/uprobes/enable", "0")
    probed.run("while [ ! -e /tmp/done ]; do sleep 0.01; done")
    assert 0 < len(recorded(probed, "work")) < 24


def test_calls_within_calls_return_one_by_one(probed: LinuxMachine, program: ProbedProgram) -> None:
    define(probed, f"r:fact /tmp/p:{program.offset('fact'):#x} $retval:s64")
    probed.run("/tmp/p 1 a")
    assert [arguments for _, arguments in recorded(probed, "fact")] == ["arg1=1", "arg1=2", "arg1=6", "arg1=24"]


def test_calls_that_are_left_without_a_return_are_not_told(probed: LinuxMachine, program: ProbedProgram) -> None:
    define(probed, f"r:leave /tmp/p:{program.offset('leave'):#x} $retval:s64")
    probed.run("/tmp/p 1 a; /tmp/p 1 a")
    assert [arguments for _, arguments in recorded(probed, "leave")] == ["arg1=3", "arg1=4"] * 2


def test_other_tracers_begin_and_end_while_returns_are_awaited(probed: LinuxMachine, program: ProbedProgram) -> None:
    define(probed, f"r:done /tmp/p:{program.offset('work'):#x} result=$retval:s64")
    fs = probed.tracefs
    fs.write("set_ftrace_filter", "vfs_read")
    for tracer, hits in (("nop", 3), ("function_graph", 6), ("nop", 9)):
        fs.write("current_tracer", tracer)
        probed.run("/tmp/p 1 x")
        assert int(fs.read("uprobe_profile").split()[2]) == hits
    fs.append("kprobe_events", "r:reads vfs_read\n")
    for on in ("1", "0"):
        fs.write("events/kprobes/reads/enable", on)
        probed.run("/tmp/p 1 x")
    assert int(fs.read("uprobe_profile").split()[2]) == 15


def test_stacks_of_the_program(probed: LinuxMachine, program: ProbedProgram) -> None:
    """They begin where the program is. There is no stack of the kernel, which does not run."""
    fs, place = probed.tracefs, f"/tmp/p:{program.offset('work'):#x}"
    define(probed, f"p:work {place}", f"r:done {place}")
    for option in ("userstacktrace", "stacktrace"):
        fs.write(f"options/{option}", "1")
    fs.write("events/uprobes/work/trigger", "stacktrace")
    probed.run("/tmp/p 1 x")
    fs.write("events/uprobes/work/trigger", "!stacktrace")
    for option in ("userstacktrace", "stacktrace"):
        fs.write(f"options/{option}", "0")
    stacks = re.findall(r"(work|done): \(0x(\w+)[^\n]*\n[^\n]*<user stack trace>\n =>  <0*(\w+)>", fs.read("trace"))
    assert len(stacks) == 6
    assert all(event == top for _, event, top in stacks)
    assert "<stack trace>" not in fs.read("trace")


def test_a_file_is_found_by_any_of_its_names(probed: LinuxMachine, program: ProbedProgram) -> None:
    probed.run("mkdir /tmp/d; ln /tmp/p /tmp/d/hard; ln -s ../p /tmp/d/soft; ln -s /tmp/d /tmp/e")
    offset = f"{program.offset('work'):#x}"
    names = ("/tmp/p", "/tmp/d/hard", "/tmp/d/soft", "/tmp/e/../d/soft")
    define(probed, *(f"p:e{n} {name}:{offset}" for n, name in enumerate(names)))
    probed.run("/tmp/e/hard 1 x")
    assert [len(recorded(probed, f"e{n}")) for n in range(len(names))] == [3] * len(names)


def test_a_file_that_takes_the_place_of_another_one_is_probed(probed: LinuxMachine, program: ProbedProgram) -> None:
    probed.run("cp /tmp/p /tmp/other")
    define(probed, f"p:work /tmp/p:{program.offset('work'):#x} n=%di:s64")
    for command, hits in (("/tmp/other 1 x", 0), ("/tmp/p 1 x", 3), ("cp /tmp/other /tmp/q; mv /tmp/q /tmp/p; /tmp/p 1 x", 6)):
        probed.run(command)
        assert len(recorded(probed, "work")) == hits


def test_a_file_in_a_large_page(probed: LinuxMachine, program: ProbedProgram) -> None:
    """Its struct pages lead to that of the first page."""
    probed.run("mount -t tmpfs -o huge=always none /mnt; cp /tmp/p /mnt")
    if b" 0 kB" in probed.run("grep ShmemHuge /proc/meminfo").output:
        pytest.skip("the kernel makes no large pages")
    define(probed, f"p:work /mnt/p:{program.offset('work'):#x} n=%di:s64")
    probed.run("/mnt/p 1 x")
    assert len(recorded(probed, "work")) == 3
    assert probed.program_files.contents("/mnt/p") == program.file.read_bytes()


def test_the_program_that_all_commands_share(probed: LinuxMachine) -> None:
    """/bin/sh is a link to busybox, as all commands are."""
    entry = f"/bin/sh:{busybox_entry():#x}"
    define(probed, f"p:begins {entry} count=+0(%sp):u64 name=+0(+8(%sp)):ustring second=+0(+16(%sp)):ustring")
    probed.run("cat /proc/uptime | wc -c; sleep 0.01")
    found = [arguments for _, arguments in recorded(probed, "begins")]
    assert {'count=2 name="cat" second="/proc/uptime"', 'count=2 name="wc" second="-c"'} <= set(found)


def test_many_probes_of_busybox_find_as_many_entries_as_returns(probed: LinuxMachine) -> None:
    offsets = busybox_functions()[:60]
    define(probed, *(f"p:e{offset:x} /bin/sh:{offset:#x}" for offset in offsets))
    define(probed, *(f"r:r{offset:x} /bin/sh:{offset:#x}" for offset in offsets))
    done = probed.run("for i in 1 2 3; do ls -l /bin | wc; done; seq 30 | sort -r | head -n 3")
    assert done.status == 0
    hits = {name: int(count) for _, name, count in map(str.split, probed.tracefs.read("uprobe_profile").splitlines())}
    entries, returns = ([hits[f"{kind}{offset:x}"] for offset in offsets] for kind in "er")
    assert sum(entries) > 10_000
    paired = sum(one == other for one, other in zip(entries, returns, strict=True))
    assert paired > 40  # functions that end with a jump to another one's middle, or with _exit(), have fewer returns
    assert all(one >= other for one, other in zip(entries, returns, strict=True))


def test_a_machine_that_goes_back_keeps_its_probes(
    probed: LinuxMachine, installed: LinuxCheckpoint, program: ProbedProgram
) -> None:
    define(probed, f"p:work /tmp/p:{program.offset('work'):#x} n=%di:s64")
    for _ in range(2):
        probed.run("/tmp/p 1 x")
        assert len(recorded(probed, "work")) == 3
        probed.restore(installed)


@pytest.mark.parametrize(
    ("line", "code", "report"),
    [
        ("p /bin/nope:0x10", errno.ENOENT, "Failed to find the given file"),
        ("p /tmp:0x10", errno.EINVAL, "Not a regular file"),
        ("p /bin/sh:0x10 $arg1", errno.EINVAL, "Invalid $-valiable specified"),
        ("p /bin/sh:0x10(", errno.EINVAL, "Reference counter brace is not closed"),
        ("p /bin/sh:0x10(0x20)", errno.EOPNOTSUPP, ""),
    ],
)
def test_wrong_definitions(probed: LinuxMachine, line: str, code: int, report: str) -> None:
    with pytest.raises(TraceError) as error:
        probed.tracefs.append("uprobe_events", f"{line}\n")
    assert error.value.code == code
    assert report in probed.tracefs.read("error_log")
    assert probed.tracefs.read("uprobe_events") == ""


def test_an_offset_behind_the_end(probed: LinuxMachine) -> None:
    probed.tracefs.append("uprobe_events", "p:e /bin/sh:0x7fffffff\n")
    with pytest.raises(TraceError) as error:
        probed.tracefs.write("events/uprobes/e/enable", "1")
    assert error.value.code == errno.EINVAL


def test_the_offset_of_a_symbol_is_found_in_the_guests_memory(probed: LinuxMachine, program: ProbedProgram) -> None:
    probed.run("ln -s p /tmp/link")
    for path in ("/tmp/p", "/tmp/link"):
        assert probed.program_files.contents(path) == program.file.read_bytes()
        assert probed.program_files.file_offset(path, "work") == program.offset("work")
    for path, why in (("/tmp", "no file"), ("/proc/version", "no file"), ("/bin/sh", "stripped")):
        with pytest.raises(UnknownPlace, match=why):
            probed.program_files.file_offset(path, "work")
    with pytest.raises(UnknownPlace) as unknown:
        probed.program_files.file_offset("/tmp/p", "works")
    assert "work" in unknown.value.names


@pytest.mark.long("every instruction of a machine is counted")
def test_random_instructions_of_busybox_are_told_as_often_as_they_are_executed(
    probed: LinuxMachine, installed: LinuxCheckpoint
) -> None:
    """It is at the same address in each process. What is above 64 KiB is not where emu's init is, too."""
    command = "for i in 1 2 3; do ls -l /bin | wc; done; seq 300 | sort -r | md5sum; sh -c 'echo $((1 + 2))'"
    start, end = 0x410000, 0x600000
    log = np.zeros(2 + end - start, np.uint64)
    log[:2] = start, end - start
    with LinuxMachine(kernel=probed.config.kernel) as counted:
        for cpu in counted.board.cpus:
            add_native_hook(cpu.uc, unicorn.UC_HOOK_CODE, executed.address, log.ctypes.data)
            cpu.forget_all()
        expected = counted.run(command).output
    places = random.Random(9).sample(np.flatnonzero(log[2:]).tolist(), 300)
    base = 0x400000  # of the file's beginning
    define(probed, *(f"p:e{place:x} /bin/sh:{start + place - base:#x}" for place in places))
    probed.tracefs.write("tracing_on", "0")
    assert probed.run(command).output == expected
    hits = {name: int(count) for _, name, count in map(str.split, probed.tracefs.read("uprobe_profile").splitlines())}
    different = [place for place in places if hits[f"e{place:x}"] != log[2 + place]]
    assert len(different) < 6
    assert all(0 < hits[f"e{place:x}"] < log[2 + place] for place in different)  # repeated string instructions
