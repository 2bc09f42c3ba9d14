# SPDX-License-Identifier: GPL-2.0-only
"""The state of timing models depends only on what a machine does: not on time, place or other machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.cpu.timing.core_timing import CoreTiming
from emu.machine import LimitReached, Machine
from emu.native.cache import cache_directory

COMMAND = "ls /bin | wc; busy 2 1"
_MEMORY = 32 << 20
_IN_A_PROCESS = """
import hashlib, json
from emu.machine import Machine
with Machine(cpus=2, timing="caches", memory=32 << 20, seed=5) as machine:
    machine.tracefs.write("current_tracer", "function")
    output = machine.run({command!r}).output
    trace = hashlib.sha256(machine.tracefs.read("trace").encode()).hexdigest()
    made = machine.board.arch.summaries(machine.board.timing.core).made
    found = machine.board.timing.digest(), [cpu.cycles for cpu in machine.board.cpus], trace, output.decode(), machine.warnings
    print(json.dumps([made, found]))
"""


def timing_of(machine: Machine) -> CoreTiming:
    assert machine.board.timing is not None
    return machine.board.timing


def state(machine: Machine) -> tuple[object, ...]:
    timing = timing_of(machine)
    cycles = [(cpu.cycles, cpu.instructions) for cpu in machine.board.cpus]
    return timing.digest(), cycles, [dict(timing.counts(index)) for index in range(len(cycles))]


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with Machine(cpus=2, timing="caches", memory=_MEMORY, quantum=300) as machine:
        yield machine


# Processes


def in_a_process(cache: Path) -> tuple[int, Any]:
    """The number of summaries made by a process that boots and runs COMMAND, and its results."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _IN_A_PROCESS.format(command=COMMAND)],
        env={**os.environ, "EMU_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    made, found = json.loads(done.stdout)
    return made, found


def without_tables(cache: Path) -> Path:
    """Makes a cache with all compiled code, and no tables of blocks."""
    known = cache_directory()
    assert known is not None
    for group in known.glob("emu.*"):
        (cache / group.name).symlink_to(group)
    return cache


def test_two_processes_end_alike_whether_they_know_the_blocks_or_not(machine: Machine, tmp_path: Path) -> None:
    del machine  # it has compiled the code that they need
    cache = without_tables(tmp_path)
    (cold_made, cold), (warm_made, warm) = in_a_process(cache), in_a_process(cache)
    assert cold == warm
    assert cold_made > 5_000 and warm_made < cold_made / 20  # the second process has found the table of the first
    assert cold[-2].split() and cold[-1] == []


# Checkpoints


def test_a_machine_that_is_put_back_does_the_same_again(machine: Machine) -> None:
    machine.run("ls /bin")
    checkpoint, begin = machine.checkpoint(), state(machine)
    ends = []
    for _ in range(3):
        assert state(machine) == begin
        machine.run(COMMAND)
        ends.append(state(machine))
        machine.restore(checkpoint)
    assert ends[0] == ends[1] == ends[2] != begin


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.integers(0, 400_000), after=st.integers(1, 100_000))
def test_a_machine_can_be_put_back_to_any_instant(machine: Machine, before: int, after: int) -> None:
    """In the middle of programs, while CPUs compete for lines, and whatever has been recorded since."""
    start = machine.checkpoint()
    with pytest.raises(LimitReached):
        machine.run("while true; do ls /bin | wc; done & busy 2 100000", limit=before)
    checkpoint, then = machine.checkpoint(), state(machine)
    machine.advance(after)
    end = state(machine)
    machine.run("cat /proc/meminfo | wc; ls -l /etc", limit=3_000_000_000)
    machine.restore(checkpoint)
    assert state(machine) == then
    machine.advance(after)
    assert state(machine) == end
    machine.restore(start)


# Concurrent machines


def test_machines_with_other_timing_do_not_matter(machine: Machine) -> None:
    checkpoint = machine.checkpoint()
    machine.run(COMMAND)
    alone = state(machine)
    machine.restore(checkpoint)

    def of_static(beside: bool) -> tuple[bytes, int, int]:
        with Machine(cpus=2, memory=_MEMORY) as static:
            output = b""
            for command in COMMAND.split("; "):
                output += static.run(command).output
                if beside:
                    machine.run(command)
            return output, static.board.now, sum(cpu.instructions for cpu in static.board.cpus)

    with Machine(cpus=1, timing="pipeline", memory=_MEMORY) as other:
        other.run("ls")
        assert of_static(beside=True) == of_static(beside=False)
        other.run("ls")
    machine.restore(checkpoint)
    machine.run(COMMAND)
    assert state(machine) == alone
