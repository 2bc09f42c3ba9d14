# SPDX-License-Identifier: GPL-2.0-only
"""Patching protocols written by the user, most of them wrong: each ends, with a message that says why."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from emu.ftrace.sites.patching import PROTOCOLS, Park, Patch, Release, Synchronise, Write
from emu.machine import BadProtocol, GuestPanic, LimitReached, Machine

SET_TRACER = "echo function > /sys/kernel/tracing/current_tracer"


def writes(patches: Sequence[Patch]) -> list[Any]:
    return [Write(patch.address, patch.old, patch.new) for patch in patches]


def no_release(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
    return [Park(), *writes(patches)]


def no_park(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
    return [*writes(patches), Release()]


def parked_twice(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
    return [Park(), Park(), *writes(patches), Release()]


def synchronised_while_parked(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
    return [Park(), Synchronise(), *writes(patches), Release()]


UNENDING = {
    no_release: "is parked, and no Release follows",
    no_park: "has not answered Release",
    parked_twice: "has not answered Park",
    synchronised_while_parked: "has not answered Synchronise",
}


@pytest.mark.parametrize(("protocol", "who"), [*((protocol, "Python") for protocol in UNENDING), (no_release, "the guest")])
def test_a_protocol_that_does_not_end_says_what_each_cpu_executes(
    arch: str, protocol: Callable[..., list[Any]], who: str
) -> None:
    with Machine(arch=arch, cpus=4, patching=protocol) as machine:
        machine.run("busy 4 30 > /dev/null &")
        with pytest.raises(GuestPanic) as caught:
            if who == "Python":
                machine.tracefs.write("current_tracer", "function")
            else:
                machine.run(SET_TRACER)
        head, *lines = str(caught.value).splitlines()
        assert head == "patching does not end"
        cpus = [int(number) for line in lines for number in re.findall(r"\d+", line.partition(":")[0])]
        assert min(cpus) == 0 and max(cpus) == 3
        assert all(line.endswith(UNENDING[protocol]) for line in lines)
        if protocol is not no_park:
            assert all(", kernel, upcall_stop_machine+0x" in line and ", interrupts off, " in line for line in lines)
        assert machine.patching.busy and machine.patching.awaited == {0, 1, 2, 3}
        assert machine.tracefs.read("trace").startswith("# tracer: function\n")  # it can still be read
        with pytest.raises(GuestPanic, match="patching does not end"):
            machine.run("true")


def test_a_step_under_way_is_the_first_of_those_left(arch: str) -> None:
    with Machine(arch=arch, cpus=2, patching=no_park) as machine:
        machine.tracefs.write("set_ftrace_filter", "vfs_read")
        assert machine.patching.steps == []
        with pytest.raises(GuestPanic):
            machine.tracefs.write("current_tracer", "function")
        assert machine.patching.steps == [Release()]


@pytest.mark.parametrize("limits", [{"limit": 10_000}, {"host_limit": 0.0}])
def test_limits_of_what_runs_the_machine(arch: str, limits: dict[str, Any]) -> None:
    with Machine(arch=arch, cpus=2, patching=no_release) as machine:
        said = "10 us of virtual time have passed\nCPU" if "limit" in limits else "0 s of host time have passed\nCPU"
        for use in (
            lambda: machine.tracefs.write("current_tracer", "function", **limits),
            lambda: machine.settle(**limits),
            lambda: machine.tracefs.append("set_ftrace_filter", "vfs_read", **limits),
            lambda: machine.tracefs.mkdir("instances/a", **limits),
            lambda: machine.tracefs.rmdir("instances/a", **limits),
            lambda: machine.advance(2000, **limits),
        ):
            with pytest.raises(LimitReached, match=said):
                use()


def test_time_passes_up_to_the_lesser_bound(machine: Machine) -> None:
    machine.run("busy 4 30 > /dev/null &")
    before = machine.board.now
    machine.advance(1000, limit=machine.board.nanoseconds(1000))
    assert machine.board.now >= before + 1000
    with pytest.raises(LimitReached, match="20 us of virtual time"):
        machine.advance(1_000_000, limit=20_000)


def raising(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
    return [patches[0].address // 0]


def generator(patches: Sequence[Patch], breakpoint: bytes) -> Iterator[Any]:
    yield from writes(patches)


def endless(patches: Sequence[Patch], breakpoint: bytes) -> Any:
    return itertools.cycle([Synchronise()])


def nothing(patches: Sequence[Patch], breakpoint: bytes) -> None:
    pass


def words(patches: Sequence[Patch], breakpoint: bytes) -> Any:
    return ["Write"]


def outside(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
    return [Write(0x1000, b"a", b"b")]


def longer(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
    return [Write(patches[0].address, b"a", b"bc")]


def text_for_an_address(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
    return [Write("vfs_read", b"a", b"b")]  # type: ignore[arg-type]  # that is the mistake


REFUSED = {
    raising: r"raised ZeroDivisionError: .* \(test_own_protocols.py, line \d+\)",
    generator: r"returned no list of steps, but <generator",
    endless: r"returned no list of steps, but <itertools.cycle",
    nothing: r"returned no list of steps, but None",
    words: r"returned a list with 'Write', which is no step",
    outside: r"writes to 0x1000, which is not in the kernel's text",
    longer: r"writes 2 bytes over 1 at 0x[0-9a-f]+",
    text_for_an_address: r"returned a Write that is not of an int and two bytes",
}


@pytest.mark.parametrize("protocol", REFUSED)
def test_what_is_no_protocol_is_refused_and_changes_no_site(arch: str, protocol: Any) -> None:
    with Machine(arch=arch, cpus=2, patching=protocol) as machine:
        said = rf"^current_tracer: the patching protocol {protocol.__name__} {REFUSED[protocol]}"
        with pytest.raises(BadProtocol, match=said) as caught:
            machine.tracefs.write("current_tracer", "function")
        assert isinstance(caught.value.__cause__, ZeroDivisionError if protocol is raising else type(None))
        assert machine.site("vfs_read").state == "nop" and not machine.patching.busy
        machine.tracefs.write("trace_marker", "goes on")  # operations without patching are not refused
        assert machine.warnings == []
        machine.patching.protocol = machine.ftrace.arch.protocols[0]
        machine.tracefs.append("set_ftrace_filter", "vfs_*")  # the refused request is over
        assert machine.site("vfs_read").state == "call ftrace_caller"


def test_the_same_write_once_more_tries_again(arch: str) -> None:
    with Machine(arch=arch, cpus=2, patching=nothing) as machine:
        for _ in range(2):
            with pytest.raises(BadProtocol, match="returned no list of steps"):
                machine.tracefs.write("current_tracer", "function")
        machine.patching.protocol = machine.ftrace.arch.protocols[0]
        machine.tracefs.write("current_tracer", "function")
        assert machine.site("vfs_read").state == "call ftrace_caller"


def test_a_guest_that_asks_for_what_is_refused_goes_on_and_a_warning_says_so(arch: str) -> None:
    with Machine(arch=arch, cpus=2, patching=nothing) as machine:
        assert machine.run(f"{SET_TRACER}; echo $?; modprobe sample_timer; echo $?").output.endswith(b"0\n")
        assert machine.warnings[0] == "the patching protocol nothing returned no list of steps, but None"
        machine.tracefs.write("trace_marker", "the refusal was the guest's")
        machine.patching.protocol = machine.ftrace.arch.protocols[0]
        machine.run(SET_TRACER.replace("function", "nop"))
        machine.run(SET_TRACER)
        assert machine.site("vfs_read").state == "call ftrace_caller"


def test_a_protocol_that_does_nothing_is_noticed(arch: str) -> None:
    with Machine(arch=arch, cpus=1, patching=lambda patches, breakpoint: []) as machine:
        machine.tracefs.write("set_ftrace_filter", "vfs_read vfs_write")
        machine.tracefs.write("current_tracer", "function")
        (warning,) = machine.warnings
        said = r"is over, and 2 of 2 places do not hold their new instruction; vfs_\w+\+0x\w/0x\w+ holds [0-9a-f ]+$"
        assert re.search(said, warning)


def test_a_breakpoint_that_was_left_ends_the_kernel_where_it_is_hit() -> None:
    def half_done(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
        return PROTOCOLS["breakpoint"](patches, breakpoint)[: len(patches) + 1]

    with Machine(arch="x86_64", cpus=2, patching=half_done) as machine:
        machine.tracefs.write("set_ftrace_filter", "vfs_read")
        machine.tracefs.write("current_tracer", "function")
        assert machine.site("vfs_read").state == "breakpoint"
        said = r"breakpoint at vfs_read\+0x0/0x\w+, a call site that is not being changed\n  task cat"
        with pytest.raises(GuestPanic, match=said) as end:
            machine.run("cat /init > /dev/null")
        assert "\n  sys_read+0x" in str(end.value)


def test_writes_alone_leave_cpus_in_their_old_translations(arch: str) -> None:
    with Machine(arch=arch, cpus=1, patching=lambda patches, breakpoint: writes(patches)) as machine:
        machine.tracefs.write("set_ftrace_filter", "kmem_cache_alloc")
        for _ in range(8):
            machine.run("busy 4 1")  # the CPU has translated the function in every state in which it calls it
        machine.tracefs.write("current_tracer", "function")
        machine.run("busy 4 1")
        assert machine.site("kmem_cache_alloc").state == "call ftrace_caller"
        assert machine.trace_array.recorder.rings[0].entries == 0


def test_one_site_after_the_other_is_right_and_slow(arch: str) -> None:
    """A protocol may take long in total, as long as every step is answered."""

    def one_by_one(patches: Sequence[Patch], breakpoint: bytes) -> list[Any]:
        return [step for patch in patches for step in PROTOCOLS["stop_machine"]([patch], breakpoint)]

    with Machine(arch=arch, cpus=4, patching=one_by_one) as machine:
        machine.tracefs.write("set_ftrace_filter", "vfs_*")
        machine.tracefs.write("current_tracer", "function")
        assert machine.site("vfs_read").state == "call ftrace_caller"


def test_what_is_neither_a_name_nor_a_function(arch: str) -> None:
    with pytest.raises(TypeError, match="3 is no patching protocol: neither a name nor a function"):
        Machine(arch=arch, cpus=1, patching=3)  # type: ignore[arg-type]  # that is the mistake
