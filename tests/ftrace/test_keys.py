# SPDX-License-Identifier: GPL-2.0-only
"""Static keys: their branches follow them while CPUs run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import unicorn

from emu.ftrace.errors import TraceError
from emu.kernel.upcalls import Upcall
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.patched_code import branches, keys_on
from tests.lib.stepping import ENDLESS, step

MODULE = "/lib/modules/event_cost.ko"
FIXED = "events/event_cost/event_cost_fixed/enable"
CALLS = "/sys/module/event_cost/parameters/calls"


def test_the_branches_of_a_key_follow_it(arch: str, protocol: str) -> None:
    with booted_machine(arch, cpus=2, patching=protocol) as machine:
        assert machine.run(f"insmod {MODULE}").status == 0
        keys = branches(machine)
        events = [call for call in machine.trace_array.recorder.globals.events.values() if call.key]
        assert {key for call in events for key in call.keys} <= keys.keys()
        machine.tracefs.mkdir("instances/other")
        for call in [*events[::50], *(call for call in events if call.module or call.name == "irq_enable")]:
            for folder, value in (("", 1), ("instances/other/", 1), ("", 0)):
                machine.tracefs.write(f"{folder}events/{call.system}/{call.name}/enable", str(value))
                assert keys_on(machine, keys) == call.keys
            machine.tracefs.write(f"instances/other/events/{call.system}/{call.name}/enable", "0")
            assert not keys_on(machine, keys)


def test_a_key_is_on_before_its_first_branch_and_off_after_its_last(arch: str, protocol: str) -> None:
    with booted_machine(arch, cpus=2, patching=protocol) as machine:
        events = machine.trace_array.recorder.globals.events.values()
        of_events = {key for call in events for key in call.keys}
        found = {key: places for key, places in branches(machine).items() if key in of_events}
        key, places = max(found.items(), key=lambda item: len(item[1]))
        call, *_ = (call for call in events if key in call.keys)
        assert len(places) > 1
        seen: list[int] = []
        write = machine.board.write_code

        def watch(place: int, code: bytes) -> None:
            seen.append(machine.kernel.memory.member(key, "static_key.enabled"))
            write(place, code)

        machine.board.write_code = watch  # type: ignore[method-assign]  # who patches need not know
        for on in (1, 0):
            machine.tracefs.write(f"events/{call.system}/{call.name}/enable", str(on))
            assert len(seen) >= len(places) and set(seen) == {1}
            assert machine.kernel.memory.member(key, "static_key.enabled") == on
            seen.clear()


# CPUs at a branch while it changes


CALLER = f"insmod {MODULE}; taskset -c 1 sh -c 'echo 100000000 > {CALLS}' & usleep 1000"  # CPU 1 executes branches from now on


@contextmanager
def held_up(machine: Machine) -> Iterator[None]:
    """While the body runs, CPU 0 does not answer, so the next step of patching takes that long."""
    kernel, image = machine.kernel, machine.kernel.image
    area = image.symbol("__ftrace_shared")
    kernel.memory.set_member(area, "upcall_stop.released", 0)
    upcall = Upcall(image.symbol("upcall_stop_machine"), area, lambda cpu: None, lambda cpu, result: None)
    kernel.upcalls.post(machine.board.cpus[0], upcall, machine.board.now)
    yield
    kernel.memory.set_member(area, "upcall_stop.released", 1)


@pytest.mark.parametrize("on", [True, False], ids=["on", "off"])
def test_a_cpu_at_a_breakpoint_goes_where_the_branch_will_go(on: bool) -> None:
    with booted_machine("x86_64", cpus=2) as machine:
        machine.run(CALLER)
        (call,) = (call for call in machine.trace_array.recorder.globals.events.values() if call.name == "event_cost_fixed")
        if not on:
            machine.tracefs.write(FIXED, "1")
        before = machine.trace_array.summary().events
        with held_up(machine):
            machine.trace_array.enable_events([call], on)
            machine.advance(20_000)
            recorded = machine.trace_array.summary().events - before
            hits = machine.patching.breakpoints_hit
        machine.settle()
        assert hits > 10
        assert abs(recorded - (hits if on else 0)) <= 1  # CPU 1 may be between branch and entry
        assert machine.warnings == []


@pytest.mark.parametrize("on", [True, False], ids=["on", "off"])
def test_a_cpu_behind_a_branch_goes_on_as_it_went(on: bool) -> None:
    with booted_machine("sparc64", cpus=1) as machine:
        machine.run(CALLER.replace("-c 1", "-c 0"))
        (call,) = (call for call in machine.trace_array.recorder.globals.events.values() if call.name == "event_cost_fixed")
        ((code, target),) = branches(machine)[call.key]
        if not on:
            machine.tracefs.write(FIXED, "1")
        (cpu,) = machine.board.cpus
        machine.advance(50_000)
        for _ in range(ENDLESS):
            if cpu.pc == (code + 4 if on else target):
                break
            step(machine, cpu, 1)
        gone_to = []
        for place in (code + 4, target):
            cpu.uc.hook_add(unicorn.UC_HOOK_CODE, lambda uc, address, size, data: gone_to.append(address), None, place, place)
        cpu.uc.ctl_flush_tb()
        machine.tracefs.write(FIXED, str(int(on)))
        machine.advance(10_000)
        passed, taken = [code + 4], [target, code + 4]  # the jump annuls its delay slot; the unlikely side comes back there
        assert gone_to[:5] == ([*passed, *taken, *taken] if on else [*taken, *passed, *passed, *passed])


def test_a_refused_protocol_leaves_the_key_off(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        call = machine.trace_array.recorder.globals.events.find("sched", "sched_switch")
        assert call is not None
        machine.patching.protocol = lambda patches, breakpoint: [*patches]  # no steps
        with pytest.raises(TraceError, match="which is no step"):
            machine.tracefs.write("set_event", "sched_switch")
        assert machine.kernel.memory.member(call.key, "static_key.enabled") == 0
        machine.patching.protocol = machine.ftrace.arch.protocols[0]
        machine.tracefs.write("set_event", "sched_switch")
        assert machine.kernel.memory.member(call.key, "static_key.enabled") == 1
        assert call.key in keys_on(machine, branches(machine))
