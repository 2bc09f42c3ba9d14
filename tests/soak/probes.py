# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes at every instruction of random functions, one function after the other, and at many instructions at once, while four
CPUs work: the load is not affected, and the number of hits of each probe equals a witness's count for the instruction."""

from __future__ import annotations

import errno
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from emu.ftrace.errors import TraceError
from emu.ftrace.probes.placing import ProbePlace
from emu.machine import Machine
from tests.lib.counting_probes import probe, remove
from tests.lib.instruction_witness import InstructionWitness

__all__ = ["Probed", "every_instruction", "many_at_once"]

_CPUS = 4
_MEMORY = 64 << 20
_LOAD = "(ls /bin | sed s/[aeiou]/z/g > /names; busy 4 1; threads -n 2 count; memhog 1) > /busy.log 2>&1 &"
_MEANWHILE = 500_000  # cycles between two changes
# While there are any left, every second function is one of these, so that there are many hits.
_BUSY = (
    "vfs_read", "vfs_write", "pipe_read", "pipe_write", "__schedule", "try_to_wake_up", "enqueue_task_fair", "find_vma",
    "dequeue_task_fair", "update_curr", "handle_mm_fault", "kmem_cache_alloc", "kmem_cache_free", "_raw_spin_lock",
    "_raw_spin_unlock", "hrtimer_interrupt", "scheduler_tick", "copy_process", "do_exit", "finish_task_switch", "__do_softirq",
)  # fmt: skip


@dataclass
class Probed:
    """The results of a run."""

    probes: int = 0
    hits: int = 0
    refused: int = 0

    def __add__(self, other: Probed) -> Probed:
        return Probed(self.probes + other.probes, self.hits + other.hits, self.refused + other.refused)


@dataclass
class _Places:
    """The addresses in functions that can be probed, those of them that follow a probed instruction directly, and the number of
    refused instructions."""

    found: list[int] = field(default_factory=list)
    following: set[int] = field(default_factory=set)
    refused: int = 0


def every_instruction(arch: str, functions: range, seed: int) -> Probed:
    """Probes every instruction of some functions, given by their numbers, one function after the other.

    Raises:
        AssertionError: the load was affected, or a probe's hits do not equal the number of times a CPU reached the instruction.
    """
    done = Probed()
    with Machine(arch=arch, cpus=_CPUS, seed=seed, memory=_MEMORY) as machine:
        witness = InstructionWitness(machine)
        right = _run_load(machine)
        for begin, size in _functions(machine, seed)[functions.start : functions.stop]:
            machine.run(_LOAD)
            places = _Places()
            _look(machine, begin, size, places)
            done.refused += places.refused
            machine.advance(_MEANWHILE)
            done += _probe(machine, witness, places.found, places.following)
        _finish(machine, right)
    return done


def many_at_once(arch: str, count: int, rounds: int, seed: int) -> Probed:
    """Adds and removes `count` probes `rounds` times, at random instructions and the next ones.

    Raises:
        AssertionError: as `every_instruction`.
    """
    choose = random.Random(seed)
    done = Probed()
    with Machine(arch=arch, cpus=_CPUS, seed=seed, memory=_MEMORY) as machine:
        witness = InstructionWitness(machine)
        right = _run_load(machine)
        places = _Places()
        for begin, size in _functions(machine, seed)[: 2 * len(_BUSY)]:
            _look(machine, begin, size, places)
        pairs = [pair for pair in pairwise(places.found) if pair[1] in places.following]
        for _ in range(rounds):
            machine.run(_LOAD)
            machine.advance(choose.randrange(_MEANWHILE))
            chosen = choose.sample(pairs, count // 2)
            probed = sorted({place for pair in chosen for place in pair})
            done += _probe(machine, witness, probed, {second for _, second in chosen})
        _finish(machine, right)
    return done


def _functions(machine: Machine, seed: int) -> list[tuple[int, int]]:
    """Addresses and sizes of functions that can be probed, in random order: first busy ones and others alternate."""
    choose, image = random.Random(seed), machine.kernel.image
    functions = {found.name: found for site in image.sites.tolist() if (found := image.function_at(site)) is not None}
    busy = [name for name in _BUSY if name in functions]
    others = [name for name in functions if name not in busy]
    choose.shuffle(busy)
    choose.shuffle(others)
    names = [name for pair in zip(busy, others, strict=False) for name in pair] + others[len(busy) :]
    return [(functions[name].address, functions[name].size) for name in names if functions[name].size]


def _look(machine: Machine, begin: int, size: int, places: _Places) -> None:
    """Adds the places of a function."""
    adjacent = False  # whether a breakpoint is possible at the previous instruction
    for address in range(begin, begin + size, machine.board.arch.instruction_alignment):
        try:
            machine.ftrace.kprobes.check(ProbePlace(address=address))
        except TraceError as error:
            assert error.why
            if error.errno == errno.EINVAL:
                places.refused += 1
                adjacent = False
            continue
        places.found.append(address)
        by_breakpoint = address != begin and address not in machine.ftrace.sites
        if adjacent and by_breakpoint:
            places.following.add(address)
        adjacent = by_breakpoint


def _probe(machine: Machine, witness: InstructionWitness, places: Sequence[int], following: Collection[int]) -> Probed:
    """Probes places for a while, and compares. At both ends, a CPU may be between an instruction and its handler."""
    probes = probe(machine, *(ProbePlace(address=address) for address in places))
    witness.clear()
    before = [one.hits for one in probes]
    machine.advance(_MEANWHILE)
    hits = {place: one.hits - first for place, one, first in zip(places, probes, before, strict=True)}
    wrong = {hex(place): (hits[place], witness.count(place)) for place in following if hits[place] != witness.count(place)}
    assert sum(abs(ours - theirs) for ours, theirs in wrong.values()) <= 2 * _CPUS, wrong
    remove(machine, probes)
    return Probed(len(probes), sum(hits.values()))


def _run_load(machine: Machine) -> bytes:
    machine.run(_LOAD)
    return _worked(machine)


def _worked(machine: Machine) -> bytes:
    """The load's output after it has ended."""
    while machine.advance(20_000_000):
        pass
    return machine.run("cat /busy.log").output


def _finish(machine: Machine, right: bytes) -> None:
    assert _worked(machine) == right
    assert machine.warnings == []
    assert machine.ftrace.kprobes.text() == ""
