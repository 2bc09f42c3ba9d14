# SPDX-License-Identifier: GPL-2.0-only
"""Dumps of the trace on the guest's console: requested through /proc/sysrq-trigger, or caused by an oops or a panic."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import GuestPanic, Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import TRACING, shell
from tests.lib.golden import read_golden

CRASH = "insmod /lib/modules/sample_crash.ko"
ON_OOPS = "/proc/sys/kernel/ftrace_dump_on_oops"
RULE = "-" * 33
EMPTY = ["Dumping ftrace buffer:", "   (ftrace buffer empty)"]
LINE = re.compile(r"(.{8})-(?P<pid>\d+) +(?P<cpu>\d+)(?P<flags>[a-zA-Z.]{3}[\da-f.]{2}) *(?P<us>\d+)us : (?P<text>.*)")


@pytest.fixture
def fresh(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as booted:
        yield booted


def messages(console: str) -> list[str]:
    """The kernel's messages on the console, without their time stamps."""
    return re.findall(r"^\[ *\d+\.\d{6}\] (.*)$", console, re.MULTILINE)


def dump_in(lines: list[str]) -> list[str]:
    """The lines between the two separators of a dump, which must be the only one."""
    assert lines.count("Dumping ftrace buffer:") == 1
    start = lines.index("Dumping ftrace buffer:")
    assert lines[start + 1] == RULE
    end = lines.index(RULE, start + 2)
    return lines[start + 2 : end]


def z(machine: Machine) -> list[str]:
    return messages(shell(machine, "echo z > /proc/sysrq-trigger"))


def test_a_dump_looks_as_a_real_kernels(fresh: Machine) -> None:
    script = "echo 1 > events/sched/sched_switch/enable; usleep 50000; dmesg -C; echo z > /proc/sysrq-trigger"
    console = messages(shell(fresh, script))
    assert messages(shell(fresh, "dmesg")) == console
    golden = messages(read_golden("dmesg-sysrq-z-dump.txt"))
    assert console[:3] == golden[:3] == ["sysrq: Dump ftrace buffer", "Dumping ftrace buffer:", RULE]
    assert console[-1] == golden[-1] == RULE
    columns = set()
    for lines in (console[3:-1], golden[3:-1]):
        found = [LINE.fullmatch(line) for line in lines]
        assert len(found) > 5 and all(found)
        times = [int(one["us"]) for one in found if one]
        assert times == sorted(times)
        columns |= {(one.start("pid"), one.start("cpu"), one.start("flags")) for one in found if one}
        assert {one["cpu"] for one in found if one} == {"0", "1"}
        assert all(one and one["text"].startswith("sched_switch: prev_comm=") for one in found)
    assert len(columns) == 1


def test_a_dump_empties_the_buffer_and_stops_tracing(fresh: Machine) -> None:
    fresh.tracefs.write("trace_marker", "one")
    assert len(dump_in(z(fresh))) == 1
    assert fresh.tracefs.read("tracing_on") == "0\n"
    assert fresh.trace_array.reader.entries(None) == 0
    assert z(fresh) == ["sysrq: Dump ftrace buffer", *EMPTY]
    assert fresh.tracefs.read("tracing_on") == "0\n"


def test_a_dump_has_addresses_of_programs_as_they_are(fresh: Machine) -> None:
    on = "echo 1 > options/userstacktrace; echo 1 > options/sym-userobj; echo 1 > events/syscalls/sys_enter_openat/enable"
    lines = dump_in(messages(shell(fresh, f"{on}; cat trace > /tmp/trace; echo z > /proc/sysrq-trigger")))
    stacks = [line for line in lines if " => " in line]
    assert stacks and all(re.fullmatch(" =>  <[0-9a-f]{16}>", line) for line in stacks)
    assert re.search(r"^ => /bin/\w+\[\+0x\w+\]$", fresh.run("cat /tmp/trace").output.decode(), re.MULTILINE)


@pytest.mark.static_timing("events are counted")
@pytest.mark.parametrize("tracer", ["function", "function_graph", "nop"])
def test_a_dump_has_the_lines_of_the_trace(arch: str, tracer: str) -> None:
    """Those of all CPUs, in order, as with latency-format, but without marks that depend on the next event."""
    with booted_machine(arch, cpus=2) as machine:
        machine.tracefs.write("set_ftrace_filter", "vfs_* *page*")
        machine.tracefs.write("current_tracer", tracer)
        machine.tracefs.write("set_event", "sched syscalls")
        assert machine.run("ls /bin | sed s/[aeiou]/z/g", trace=True).status == 0
        if tracer != "function_graph":
            machine.tracefs.write("options/latency-format", "1")
        trace = [line for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")]
        machine.tracefs.write("options/latency-format", "0")
        lines = dump_in(z(machine))
        assert machine.tracefs.read("trace_options").split().count("nolatency-format") == 1
    assert len(lines) > (200 if tracer == "nop" else 1000)
    assert lines == [re.sub(r"(\dus)\S: ", r"\1 : ", line) for line in trace]


def test_lines_of_a_marker_are_lines_of_the_dump_and_may_be_long(fresh: Machine) -> None:
    for text in ("a\nb", "y" * 990):
        fresh.tracefs.write("trace_marker", text)
    first, second, long = dump_in(z(fresh))
    assert first.endswith(": tracing_mark_write: a") and second == "b"
    assert len(long) == 960 and long.endswith("y")


def test_what_is_recorded_during_a_dump_stays(fresh: Machine) -> None:
    """Tracing is turned on again during the dump, which must end."""
    script = """
        echo '*lock*' > set_ftrace_filter; echo function > current_tracer; ls > /dev/null; echo 0 > tracing_on
        cat per_cpu/cpu*/stats | grep ^entries > /before
        while true; do echo 1 > tracing_on; done &
        echo z > /proc/sysrq-trigger; kill $!; echo 0 > tracing_on; cat /before
    """
    said = fresh.run(f"cd {TRACING}; {script}", limit=5_000_000_000).output.decode()
    before = sum(map(int, re.findall(r"entries: (\d+)", said)))
    assert len(dump_in(messages(said))) >= before > 100
    assert fresh.trace_array.reader.entries(None) > 0


def test_one_cpu_is_dumped_when_asked_for(fresh: Machine) -> None:
    shell(fresh, "for n in 0 1; do taskset -c $n sh -c \"echo on $n > trace_marker\"; done")
    fresh.trace_array.dumps.request(1)
    assert not fresh.trace_array.recorder.recording
    fresh.trace_array.dumps.request(1)
    fresh.trace_array.dumps.request(None)  # one has been requested already
    (line,) = dump_in(messages(fresh.run("true").output.decode()))
    assert line.endswith(": on 1") and "on 0" in fresh.tracefs.read("trace")
    fresh.trace_array.dumps.request(1)
    assert messages(fresh.run("true").output.decode()) == EMPTY
    fresh.trace_array.dumps.request(None)
    (line,) = dump_in(messages(fresh.run("true").output.decode()))
    assert line.endswith(": on 0")


def test_a_dump_that_a_command_made_the_host_ask_for_belongs_to_the_command(fresh: Machine) -> None:
    for number in range(100):
        fresh.tracefs.write("trace_marker", str(number))
    fresh._sink = lambda data: fresh.trace_array.dumps.request(None) if data == b"now\n" else None
    lines = dump_in(messages(shell(fresh, "echo now")))
    assert [line.rpartition(" ")[2] for line in lines] == list(map(str, range(100)))


@pytest.mark.parametrize("where", ["sysctl", "parameter"])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_an_oops_dumps(arch: str, mode: int, where: str) -> None:
    word = f"ftrace_dump_on_oops={mode or 'no'}" if where == "parameter" else ""
    with Machine(arch=arch, cpus=2, command_line=word) as machine:
        if where == "sysctl":
            shell(machine, f"echo {mode} > {ON_OOPS}")
        assert shell(machine, f"cat {ON_OOPS}") == f"{mode}\n"
        mark = "for n in 0 1; do taskset -c $n sh -c \"echo on $n > trace_marker\"; done"
        said = shell(machine, f"{mark}; taskset -c 1 {CRASH} how=null; cat tracing_on")
        lines = messages(said)
        assert said.endswith("1\n" if mode == 0 else "0\n")
        assert len(machine.warnings) == 1
        rest = machine.tracefs.read("trace")
    if mode == 0:
        assert "Dumping ftrace buffer:" not in lines and "on 0" in rest and "on 1" in rest
        return
    dumped = dump_in(lines)
    assert [line[-1] for line in dumped] == (["0", "1"] if mode == 1 else ["1"])
    assert ("on 0" in rest, "on 1" in rest) == (mode == 2, False)
    modules = next(n for n, line in enumerate(lines) if line.startswith("Modules linked in:"))
    assert modules < lines.index("Dumping ftrace buffer:") < lines.index("---[ end trace 0000000000000000 ]---")


@pytest.mark.static_timing("cycles are counted")
def test_patching_waits_for_a_cpu_that_dumps_with_interrupts_off(fresh: Machine) -> None:
    """For longer than any other CPU may take for a step of patching."""
    fresh.tracefs.write("set_ftrace_filter", "vfs_read")
    fresh.tracefs.write("current_tracer", "function")
    shell(fresh, f"echo 1 > {ON_OOPS}")
    for _ in range(1000):
        fresh.tracefs.write("trace_marker", "x" * 200)
    start = fresh.board.now
    said = shell(fresh, f"taskset -c 1 {CRASH} how=null & usleep 20000; echo vfs_open > set_ftrace_filter; echo over; wait")
    assert said.index("over") > said.index("end trace")
    assert len(dump_in(messages(said))) > 1000 and fresh.board.now - start > 6_000_000


def test_words_of_the_parameter(arch: str) -> None:
    for word, value in (("ftrace_dump_on_oops", "1"), ("ftrace_dump_on_oops=orig_cpu", "2"), ("traceoff_on_warning", "0")):
        with Machine(arch=arch, cpus=1, command_line=word) as machine:
            assert shell(machine, f"cat {ON_OOPS}") == f"{value}\n"


def test_another_mode_dumps_all(fresh: Machine) -> None:
    shell(fresh, f"echo 7 > {ON_OOPS}; echo here > trace_marker")
    lines = messages(shell(fresh, f"{CRASH} how=null"))
    assert lines[lines.index("Dumping ftrace buffer:") - 1] == "Bad dumping mode, switching to all CPUs dump"
    assert len(dump_in(lines)) == 1


def test_a_panic_dumps_and_ends_the_machine(fresh: Machine) -> None:
    console = bytearray()
    fresh._sink = console.extend
    with pytest.raises(GuestPanic, match=r"guest panic on CPU \d: sysrq triggered crash\n"):
        shell(fresh, f"echo here > trace_marker; echo 1 > {ON_OOPS}; echo c > /proc/sysrq-trigger")
    lines = messages(console.decode())
    assert lines[0] == "sysrq: Trigger a crash"
    (line,) = dump_in(lines)
    assert line.endswith("tracing_mark_write: here")


def test_an_oops_in_an_interrupt_dumps_once(fresh: Machine) -> None:
    """The following panic has nothing left to dump."""
    console = bytearray()
    fresh._sink = console.extend
    with pytest.raises(GuestPanic, match="Fatal exception in interrupt"):
        shell(fresh, f"echo here > trace_marker; echo 1 > {ON_OOPS}; {CRASH} how=null where=timer; usleep 50000")
    lines = messages(console.decode())
    assert lines[-2:] == EMPTY
    assert len(dump_in(lines[:-2])) == 1


def test_a_panic_during_a_dump_ends_the_machine_at_once(fresh: Machine) -> None:
    console = bytearray()
    fresh._sink = console.extend
    script = f"""
        echo 1 > {ON_OOPS}; echo function > current_tracer; ls / > /dev/null
        taskset -c 0 sh -c 'echo z > /proc/sysrq-trigger' &
        taskset -c 1 sh -c 'usleep 20000; echo c > /proc/sysrq-trigger'; wait
    """
    with pytest.raises(GuestPanic, match="sysrq triggered crash"):
        shell(fresh, script)
    lines = messages(console.decode())
    assert lines.count("Dumping ftrace buffer:") == 1 and lines.count(RULE) == 1  # it has begun, and not ended
    assert "sysrq: Trigger a crash" in lines[3:]


def test_other_characters_get_help(fresh: Machine) -> None:
    help_line = "sysrq: HELP : crash(c) dump-ftrace-buffer(z) "
    for word in ("h", "x", "Z", "", "h z"):
        assert messages(shell(fresh, f"echo '{word}' > /proc/sysrq-trigger")) == [help_line], word
    assert messages(shell(fresh, "echo zc > /proc/sysrq-trigger")) == ["sysrq: Dump ftrace buffer", *EMPTY]
    assert shell(fresh, "cat /proc/sysrq-trigger").startswith("cat: ")
    assert shell(fresh, "ls -l /proc/sysrq-trigger").startswith("--w------- ")
    assert shell(fresh, "cat /proc/sys/kernel/printk").split()[0] == "5"


def test_the_same_dump_every_time(arch: str) -> None:
    def dump() -> str:
        with Machine(arch=arch, cpus=2, seed=3) as machine:
            machine.tracefs.write("set_ftrace_filter", "*page*")
            return shell(machine, "echo function > current_tracer; ls; echo z > /proc/sysrq-trigger")

    first = dump()
    assert first == dump() and first.count("page") > 100
