# SPDX-License-Identifier: GPL-2.0-only
"""Events are switched on and off at random while four CPUs work, and instances and a module with events come and go: nothing is
lost, torn or different."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass

from emu.machine import Machine
from tests.lib.event_entries import Entry, entries
from tests.lib.key_turns import turn_under_load
from tests.lib.switches import SwitchLog, told

__all__ = ["Toggled", "toggle", "turn"]

_CPUS = 4
_LOAD = "(ls /bin | sed s/[aeiou]/z/g > /names; busy 6 1; threads -n 3 count; memhog 1) > /busy.log 2>&1 &"
_MODULE = "insmod /lib/modules/event_cost.ko; echo 100 > /sys/module/event_cost/parameters/calls"
_COLLECTED = 50  # toggles between reads of all entries
_BUFFER_KB = 4000
_INSTANCES = ("one", "two", "three")
_MEMORY = 64 << 20
_LONGEST = 20_000  # cycles between two toggles


class ToggleFailure(AssertionError):
    """The guest made an error."""


@dataclass
class Toggled:
    """The results of a run. `digest`: of everything recorded, and of RAM at the end."""

    toggles: int
    entries: int
    kinds: int  # of recorded events
    digest: str


def turn(arch: str, turns: int, seed: int) -> int:
    """Switches all static keys `turns` times by each protocol. Returns the number of breakpoint hits meanwhile.

    Raises:
        AssertionError: the load was affected, or the function trace differs from a witness's log.
    """
    with Machine(arch=arch, cpus=_CPUS, seed=seed) as machine:
        turn_under_load(machine, turns)
        return machine.patching.breakpoints_hit


def toggle(arch: str, toggles: int, seed: int) -> Toggled:
    """Switches random events of random arrays `toggles` times by each protocol.

    Raises:
        ToggleFailure: the load was affected.
        AssertionError: an entry was lost or is torn, or a task switch is not recorded.
    """
    choose = random.Random(seed)
    digest = hashlib.sha256()
    kinds: set[str] = set()
    count = 0
    with Machine(arch=arch, cpus=_CPUS, seed=seed, memory=_MEMORY) as machine:
        machine.run(_LOAD)
        right = _worked(machine)
        switches = SwitchLog(machine)
        under_way: list[list[tuple[int, int]]] = [[] for _ in range(_CPUS)]  # for CPUs between the event and the switch
        switches.on = True
        machine.tracefs.mkdir("instances/switches")  # must miss none, whatever happens to the others
        machine.tracefs.write("instances/switches/events/sched/sched_switch/enable", "1")
        machine.tracefs.write("buffer_size_kb", str(_BUFFER_KB))
        for protocol in machine.ftrace.arch.protocols:
            machine.patching.protocol = protocol
            machine.tracefs.write("events/enable", "1")
            for n in range(toggles):
                if n % _COLLECTED == 0:
                    machine.run(_LOAD)
                _change(machine, choose)
                machine.advance(choose.randrange(_LONGEST))
                if (n + 1) % _COLLECTED == 0 or n + 1 == toggles:
                    if (result := _worked(machine)) != right:
                        raise ToggleFailure(result.decode(errors="replace"))
                    for cpu, recorded in enumerate(entries(machine.trace_array.instances["switches"])):
                        begun = under_way[cpu] + told(recorded)
                        done = [(before, after) for _, before, after in switches.switches(cpu)]
                        under_way[cpu] = begun[len(done) :]
                        assert begun[: len(done)] == done and len(under_way[cpu]) <= 1
                    switches.clear()
                    for entry in _collected(machine):
                        count += 1
                        kinds.add(entry.call.path)
                        digest.update(entry.time.to_bytes(8))
                        digest.update(entry.data)
            machine.tracefs.write("events/enable", "0")
        for name in machine.tracefs.listdir("instances"):
            machine.tracefs.rmdir(f"instances/{name}")
        if machine.warnings:
            raise ToggleFailure("\n".join(machine.warnings))
        digest.update(machine.board.ram)
    return Toggled(toggles * len(machine.ftrace.arch.protocols), count, len(kinds), digest.hexdigest())


def _worked(machine: Machine) -> bytes:
    """The load's output after it has ended."""
    while machine.advance(20_000_000):
        pass
    return machine.run("cat /busy.log").output


def _collected(machine: Machine) -> Iterator[Entry]:
    """Takes everything that was recorded."""
    for array in (machine.trace_array, *machine.trace_array.instances.values()):
        for found in entries(array):
            yield from found
        array.recorder.clear()


def _change(machine: Machine, choose: random.Random) -> None:
    """Adds or removes a module or an instance, or switches some events of an array."""
    tracefs = machine.tracefs
    if choose.random() < 0.05:
        if machine.run("rmmod event_cost" if list(machine.kernel.modules) else _MODULE).status:
            raise ToggleFailure("a module cannot come or go")
        return
    name = choose.choice(_INSTANCES)
    exists = tracefs.exists(f"instances/{name}")
    if choose.random() < 0.1:
        (tracefs.rmdir if exists else tracefs.mkdir)(f"instances/{name}")
        return
    folder = f"instances/{name}/" if exists and choose.random() < 0.5 else ""
    events = machine.trace_array.recorder.globals.events
    systems = [system for system in events.systems() if system != "ftrace"]
    system = choose.choice(systems)
    on = choose.choice("01")
    match choose.randrange(8):
        case 0:
            tracefs.write(f"{folder}events/enable", on)
        case 1 | 2 | 3:
            tracefs.write(f"{folder}events/{system}/enable", on)
        case _:
            call = choose.choice(events.of_system(system))
            tracefs.write(f"{folder}events/{system}/{call.name}/enable", on)
