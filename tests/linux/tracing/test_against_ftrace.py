# SPDX-License-Identifier: GPL-2.0-only
"""Linux's own ftrace and the host record the same run of the same machine: both see the same calls, nestings and stacks.

Calls that only the host sees must have a reason. There are two: inside, tracing was not on yet or no longer; or the function was
not chosen there. Calls that only Linux sees do not exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.linux.find import kernels
from emu.linux.machine import LinuxMachine
from tests.lib.inside_trace import Call, Frame, Pairs, calls_of, frames_of, inside, on_both_sides, outside, pair
from tests.lib.linux_kernel import machines_kept_in

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

FEW = "*lock* *page* vfs_* do_*"  # to switch on fast
SHORT = "(sleep 0.01; uname) | cat"
BUSY = (
    "for i in 1 2 3 4; do (uname | cat; sleep 0.01; dd if=/dev/zero bs=4k count=20 | sha1sum) 2>/dev/null & done; wait; "
    "ls -lR /sys/kernel/mm | wc -l; mount -t tmpfs x /mnt; echo > /mnt/f; sync; umount /mnt"
)
FEWER = "vfs_* handle_mm_fault try_to_wake_up do_exit copy_process tick_* *alloc_pages*"
TRAMPOLINE = 0x7FFF_FFFF  # FTRACE_TRAMPOLINE_MARKER
HARDIRQ = 0x08
NEED_RESCHED = 0x24  # the bits NEED_RESCHED and PREEMPT_RESCHED


def versions() -> list[object]:
    """The kernel of the other tests, and all that are here."""
    long = pytest.mark.long("switches all functions on, inside")
    return [None, *(pytest.param(kernel.path, id=kernel.version, marks=long) for kernel in kernels())]


@pytest.fixture
def machine(request: pytest.FixtureRequest, real_kernel: Path, machines_folder: Path) -> Iterator[LinuxMachine]:
    """A machine of its own: the guest's ftrace stays on."""
    with machines_kept_in(machines_folder), LinuxMachine(kernel=request.param or real_kernel) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", "200000")
        yield machine
        assert machine.warnings == []


def both_sides(machine: LinuxMachine, tracer: str, long: bool, option: str = "") -> None:
    on_both_sides(machine, tracer, BUSY if long else SHORT, functions="" if long else FEW, option=option)


def chosen(machine: LinuxMachine) -> set[int]:
    """The functions that are traced inside."""
    names = machine.run("cut -d' ' -f1 /sys/kernel/tracing/enabled_functions").output.decode().split()
    functions = machine._tracing.functions
    return {ip for name, ip in zip(functions.functions.names, functions.addresses.tolist(), strict=True) if name in names}


def check(machine: LinuxMachine, pairs: Pairs, least: int) -> None:
    assert len(pairs.both) > least and pairs.inside_only == []
    traced = chosen(machine)
    names = machine._tracing.kernel.symbols
    assert [names.describe(call.function) for call in pairs.unexplained(lambda call: call.function not in traced)] == []


@pytest.mark.parametrize("machine", versions()[1:], indirect=True)
def test_functions(machine: LinuxMachine) -> None:
    both_sides(machine, "function", long=True)
    pairs = pair(calls_of(inside(machine)), calls_of(outside(machine)))
    check(machine, pairs, 300_000)
    for ours, theirs in pairs.both:
        assert ours.preempt_count == theirs.preempt_count
        assert ours.flags == theirs.flags or ours.flags == theirs.flags | NEED_RESCHED  # another CPU has asked meanwhile


def is_around(call: Frame | None, other: Call) -> bool:
    """Whether a call had been recorded, and its return not, when another one was recorded, inside.

    Outside, a call lasts a little longer. What interrupts it before Linux has recorded it, or after that has recorded its return,
    is a call of the function around it inside.
    """
    if call is None or (call.number > other.number if call.cpu == other.cpu else call.time > other.time):
        return False
    return call.returned is None or call.returned[0] != other.cpu or call.returned[1] > other.number


def has_returned(call: Frame, other: Frame) -> bool:
    """Whether a call had returned before another one began, outside.

    Of functions that ended with jumps to each other, all return at once; Linux records one return after the other, and may be
    interrupted between two.
    """
    return call.returned is not None and call.returned[0] == other.cpu and call.returned[1] < other.number


@pytest.mark.parametrize("machine", versions(), indirect=True)
def test_graph(machine: LinuxMachine, request: pytest.FixtureRequest) -> None:
    """Also what calls what, and which calls return."""
    long = request.node.callspec.params["machine"] is not None
    both_sides(machine, "function_graph", long)
    theirs, ours = frames_of(inside(machine)), frames_of(outside(machine))
    pairs = pair(theirs, ours)
    check(machine, pairs, 300_000 if long else 2000)
    partner = {id(outer): inner for inner, outer in pairs.both if isinstance(inner, Frame)}
    outside_of = {id(inner): outer for inner, outer in pairs.both if isinstance(outer, Frame)}
    last: dict[int, int] = {}
    late = 0
    for _, outer in pairs.both:
        last[outer.cpu] = max(last.get(outer.cpu, 0), outer.number)
    for inner, outer in pairs.both:
        assert isinstance(inner, Frame) and isinstance(outer, Frame)
        around = outer.parent
        while around is not None and not is_around(partner.get(id(around)), inner):
            around = around.parent
        if (around and partner[id(around)]) is not inner.parent:
            late += 1
            assert inner.parent is not None and has_returned(outside_of[id(inner.parent)], outer)
        if inner.returned is None and outer.returned is not None:
            cpu, number = outer.returned
            assert number > last[cpu]  # when inside, tracing was off
        else:
            assert (inner.returned is None) == (outer.returned is None)
    assert late * 1000 < len(pairs.both)


def is_trampoline(machine: LinuxMachine, address: int) -> bool:
    """Whether an address is in a trampoline of the guest's ftrace: Linux's mark for them, or memory without a name."""
    return address == TRAMPOLINE or machine._tracing.kernel.symbols.describe(address).startswith("0x")


@pytest.mark.parametrize("machine", versions()[1:], indirect=True)
def test_stacks(machine: LinuxMachine) -> None:
    """Linux's begin with a mark for its own trampoline; then both are equal, address by address."""
    machine.tracefs.write("set_ftrace_filter", FEWER)
    on_both_sides(machine, "function", BUSY, functions=FEWER, option="func_stack_trace")
    pairs = pair(calls_of(inside(machine)), calls_of(outside(machine)))
    assert len(pairs.both) > 3000 and pairs.inside_only == []
    last = {call.cpu: call for call, _ in sorted(pairs.both, key=lambda both: both[0].number)}
    equal = 0
    for theirs, ours in pairs.both:
        ours_and_more = theirs.stack[1 : 1 + len(ours.stack)] == ours.stack and is_trampoline(machine, theirs.stack[0])
        if not ours_and_more:
            assert theirs is last[theirs.cpu] and theirs.stack == ()  # tracing was switched off between the call and its stack
        elif len(theirs.stack) == 1 + len(ours.stack):
            equal += 1
        else:  # an interrupt of Linux's recording: outside, nothing is known of the guest's own trampolines
            assert is_trampoline(machine, theirs.stack[1 + len(ours.stack)])
    assert equal > 0.95 * len(pairs.both)
    # While Linux records a stack on a CPU, it records no call of an interrupt there.
    assert all(call.flags & HARDIRQ for call in pairs.unexplained(lambda call: False))
