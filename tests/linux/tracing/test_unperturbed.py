# SPDX-License-Identifier: GPL-2.0-only
"""A run that is traced is the run that is not traced: RAM, registers, counts, interrupts, console and output."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from emu.ftrace.tracefs import TraceFS
from emu.linux.checkpoint import LinuxCheckpoint
from emu.linux.machine import LinuxMachine
from tests.lib.busybox_code import busybox_functions
from tests.lib.linux_kernel import machines_kept_in
from tests.lib.random_probes import define_probes
from tests.linux.tracing.conftest import forget_events, leave_as_found

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

JOBS = (
    "for n in 1 2 3; do (dd if=/dev/zero bs=16k count=20 | sha1sum; uname | cat; sleep 0.003; sh -c 'kill -9 $$'; "
    "echo $n > /tmp/$n; cat /tmp/$n; echo '<1>a line' > /dev/kmsg) >> /tmp/out 2>&1 & done"
)
REST = "sleep 0.2; sort /tmp/out; cat /proc/interrupts /proc/uptime /proc/stat /proc/vmstat"
PIECES, PIECE = 4, 20_000_000  # the run is looked at so often, after so many cycles

Run = tuple[object, ...]
Change = Callable[[TraceFS, int], None]
Started = tuple[LinuxMachine, LinuxCheckpoint, bytearray]  # a machine, its state after the boot, and its console


def state(machine: LinuxMachine, console: bytearray) -> Run:
    """What a machine is, and what its CPUs have done."""
    cpus = machine.board.cpus
    counts = [(cpu.cycles, cpu.instructions, cpu.record.taken, cpu.record.slept, cpu.record.status) for cpu in cpus]
    registers = [dict(cpu.registers()) for cpu in cpus]
    return counts, registers, bytes(console), hashlib.sha256(machine.board.ram).hexdigest()


def run(machine: LinuxMachine, console: bytearray, change: Callable[[int], None] = lambda piece: None) -> Run:
    """A busy command; `change` is called before it, and in its midst."""
    console.clear()
    change(0)
    started = machine.run(JOBS)
    for piece in range(1, PIECES):
        machine.advance(PIECE)
        change(piece)
    done = machine.run(REST)
    assert (done.status, done.errors) == (0, b"")
    return started, done.output, *state(machine, console)


def first(*writes: tuple[str, str]) -> Change:
    """Tracing is set up before the run."""

    def change(fs: TraceFS, piece: int) -> None:
        for path, text in writes if piece == 0 else ():
            fs.write(path, text)

    return change


def nothing_any_more(fs: TraceFS, piece: int) -> None:
    """Everything was traced, and no longer is."""
    for tracer in ("function_graph", "function", "nop") if piece == 0 else ():
        fs.write("current_tracer", tracer)


def other_filters(fs: TraceFS, piece: int) -> None:
    tracer, chosen, graphs, notrace = (
        ("function_graph", "", "vfs_*", ""), ("function_graph", "*lock*", "", "*spin*"), ("function_graph", "", "do_exit", "*"),
        ("function", "", "", "schedule"),
    )[piece]  # fmt: skip
    for path, text in (("set_ftrace_filter", chosen), ("set_ftrace_notrace", notrace), ("current_tracer", tracer)):
        fs.write(path, text)
    fs.write("set_graph_function", graphs)
    fs.read("trace")


def instances(fs: TraceFS, piece: int) -> None:
    fs.mkdir(f"instances/n{piece}")
    fs.write(f"instances/n{piece}/current_tracer", "function")
    fs.write(f"instances/n{piece}/set_ftrace_filter", f"*{'aeiou'[piece]}t*")
    fs.write("current_tracer", "function_graph" if piece % 2 else "function")
    if piece > 1:
        fs.rmdir(f"instances/n{piece - 2}")


def uprobes(fs: TraceFS, piece: int) -> None:
    """Of functions of the program that all commands share, their entries and returns; other ones in each piece."""
    fs.write("events/uprobes/enable", "0") if piece else None
    fs.write("uprobe_events", "")
    for offset in busybox_functions()[50 * piece : 50 * piece + 50]:
        fs.append("uprobe_events", f"p:p{offset:x} /bin/sh:{offset:#x} first=%di text=+0(%si):ustring")
        fs.append("uprobe_events", f"r:r{offset:x} /bin/sh:{offset:#x} $retval")
    fs.write("events/uprobes/enable", "1")


def probes(count: int) -> Change:
    """Kprobes at random instructions and at returns, with a histogram and an event of an event."""

    def change(fs: TraceFS, piece: int) -> None:
        if piece == 0:
            define_probes(fs, count, seed=count)
            fs.append("dynamic_events", "p:h vfs_read count\nr:g vfs_write got=$retval\ne:d kprobes.h n=$count if count > 9\n")
            fs.append("events/kprobes/h/trigger", "hist:keys=count")
            for system in ("kprobes", "eprobes"):
                fs.write(f"events/{system}/enable", "1")
        elif piece == 2:
            fs.write("events/kprobes/n0/enable", "0")

    return change


ALL: dict[str, Change] = {
    "nothing any more": nothing_any_more,
    "function": first(("current_tracer", "function")),
    "graph": first(("current_tracer", "function_graph")),
    "stacks": first(("options/func_stack_trace", "1"), ("current_tracer", "function"), ("set_ftrace_filter", "*lock* do_*")),
    "pids": first(("options/function-fork", "1"), ("set_ftrace_pid", "1"), ("current_tracer", "function_graph")),
    "commands": first(("set_ftrace_filter", "vfs_read:traceoff:2"), ("current_tracer", "function")),
    "other filters": other_filters,
    "instances": instances,
    "uprobes": uprobes,
    "syscalls": first(
        ("syscall_user_buf_size", "63"), ("events/syscalls/enable", "1"), ("events/raw_syscalls/enable", "1"),
        ("events/syscalls/sys_exit_read/trigger", "stacktrace"), ("events/syscalls/sys_enter_openat/filter", 'comm == "cat"'),
    ),
    "all events": first(("set_event", "*:*")),
    "arguments": first(("current_tracer", "function_graph"), ("options/funcgraph-args", "1")),
    "1000 probes": probes(1000),
    "50 probes": probes(50),
    **{tracer: first(("current_tracer", tracer)) for tracer in ("irqsoff", "preemptoff", "preemptirqsoff", "wakeup")},
}
SHORT = {(2, "graph"), (2, "other filters"), (2, "50 probes"), (2, "uprobes"), (2, "syscalls")}


@functools.cache
def untraced(kernel: Path, folder: Path, cpus: int) -> Run:
    """On a machine at which nothing has ever looked."""
    console = bytearray()
    with machines_kept_in(folder), LinuxMachine(kernel=kernel, cpus=cpus, console=console.extend) as machine:
        return run(machine, console)


@pytest.fixture(scope="module")
def machines(real_kernel: Path, machines_folder: Path) -> Iterator[Callable[[int], Started]]:
    made: dict[int, Started] = {}

    def machine_with(cpus: int) -> Started:
        if cpus not in made:
            console = bytearray()
            with machines_kept_in(machines_folder):
                machine = LinuxMachine(kernel=real_kernel, cpus=cpus, console=console.extend)
            made[cpus] = machine, machine.checkpoint(), console
        return made[cpus]

    yield machine_with
    for machine, _, _ in made.values():
        machine.close()


LONG = pytest.mark.long("many ways, and many CPUs, take long")
CASES = [pytest.param(cpus, how, marks=() if (cpus, how) in SHORT else LONG) for cpus in (1, 2, 8) for how in ALL]


@pytest.mark.parametrize(("cpus", "how"), CASES)
def test_the_run_is_the_same(
    real_kernel: Path,
    machines_folder: Path,
    machines: Callable[[int], Started],
    cpus: int,
    how: str,
) -> None:
    machine, after_boot, console = machines(cpus)
    expected = untraced(real_kernel, machines_folder, cpus)
    machine.restore(after_boot)
    fs = machine.tracefs
    fs.write("tracing_on", "1")
    found = run(machine, console, lambda piece: ALL[how](fs, piece))
    if how not in ("nothing any more", "wakeup"):  # tasks of one priority wake each other
        assert fs.read("trace").count("\n") > 25
    leave_as_found(fs)
    forget_events(fs)
    assert found == expected
    assert b"a line" in console


@functools.cache
def booted(kernel: Path, cpus: int, how: str | None) -> Run:
    """A machine after its boot, which was traced from the first instruction on."""
    console = bytearray()

    def prepare(machine: LinuxMachine) -> None:
        if how is not None:
            machine.tracefs.write("tracing_on", "1")
            ALL[how](machine.tracefs, 0)

    with LinuxMachine(kernel=kernel, cpus=cpus, console=console.extend, fresh=True, prepare=prepare) as machine:
        assert how is None or machine.tracefs.read("trace").count("\n") > 25
        return state(machine, console)


@pytest.mark.long("a boot for each way, and many CPUs")
@pytest.mark.parametrize("how", ["function", "graph", "stacks", "arguments", "preemptirqsoff", "wakeup"])
@pytest.mark.parametrize("cpus", [1, 2, 8])
def test_the_boot_is_the_same(real_kernel: Path, cpus: int, how: str) -> None:
    assert booted(real_kernel, cpus, how) == booted(real_kernel, cpus, None)
