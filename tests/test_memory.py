# SPDX-License-Identifier: GPL-2.0-only
"""Programs' memory: what mappings promise, and what happens when there is none left."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import Machine


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=2) as made:
        yield made


def test_mappings_are_what_programs_may_expect(machine: Machine) -> None:
    """Rights hold for programs and for the kernel on their behalf, copies are private, files and memory agree, limits count."""
    done = machine.run("memcheck")
    assert re.fullmatch(rb"memcheck: \d+ checks, 0 errors\n", done.output), done.output.decode()
    assert done.status == 0


KILLED = re.compile(
    r"memhog invoked oom-killer: gfp_mask=0x[0-9a-f]+\(GFP_KERNEL\), order=0, oom_score_adj=0\n"
    r"(?:.*\n)*?.*Out of memory: Killed process (\d+) \(memhog\) total-vm:\d+kB, anon-rss:(\d+)kB, file-rss:\d+kB, "
    r"shmem-rss:0kB, UID:0 pgtables:\d+kB oom_score_adj:0\n"
)


def test_out_of_memory_kills_the_program_that_has_most(machine: Machine) -> None:
    small = machine.run("memhog 10 1 > /small & memhog 300; echo status $?; wait $!; echo small $?; cat /small")
    output = small.output.decode()
    killed = KILLED.search(output)
    assert killed, output
    assert int(killed[2]) > 90 * 1024
    assert output.endswith("Killed\nstatus 137\nsmall 0\nmemhog: 10 MiB\n")
    assert machine.run("memhog 60; busy 2 1").status == 0  # all of it has come back


def counted(machine: Machine) -> dict[str, int]:
    """Pages that are free and objects in each cache, once all that has ended is gone."""
    machine.advance(20_000_000)
    text = machine.run("cat /proc/meminfo /proc/slabinfo").output.decode()
    free = re.search(r"MemFree: +(\d+) kB", text)
    assert free
    caches = re.findall(r"^(\S+) +(\d+) +\d+ +\d+ +\d+ +\d+ : tunables", text, re.MULTILINE)
    assert len(caches) > 10
    return {"free": int(free[1]), **{name: int(active) for name, active in caches}}


def test_nothing_is_lost_when_programs_have_ended(machine: Machine) -> None:
    work = "busy 4 3; memcheck > /dev/null; ls /bin | sed s/a/b/ > /dev/null; chrt -d -T 1000000 -P 10000000 0 true"
    machine.run(work)
    before = counted(machine)
    machine.run(work)
    after = counted(machine)
    assert {name: after[name] for name in before if name.startswith(("task", "mm_", "vm_", "sig", "pid", "file"))} == {
        name: before[name] for name in before if name.startswith(("task", "mm_", "vm_", "sig", "pid", "file"))
    }
    assert abs(after["free"] - before["free"]) < 512  # caches of slabs may have grown


@pytest.mark.parametrize("gibibytes", [2, 4])
def test_a_large_machine_boots_and_costs_no_more(arch: str, gibibytes: int) -> None:
    with Machine(arch=arch, memory=128 << 20) as machine:
        booted = machine.board.now
    with Machine(arch=arch, memory=gibibytes << 30) as machine:
        assert machine.board.now < 2 * booted
        total = int(machine.run("grep MemTotal: /proc/meminfo").output.split()[1])
        assert 0.97 * (gibibytes << 20) < total < gibibytes << 20
        # Modules must be within reach of the kernel, wherever other memory comes from.
        done = machine.run("modprobe sample_timer && grep -c '^sample_timer' /proc/modules && rmmod sample_timer")
        assert (done.status, done.output.splitlines()[0]) == (0, b"1")
        assert machine.warnings == []
