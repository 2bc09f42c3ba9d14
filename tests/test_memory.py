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
    r"(?:.*\n)*?.*oom-kill:constraint=CONSTRAINT_NONE,.*,task=memhog,pid=(\d+),uid=0\n"
    r".*Out of memory: Killed process \1 \(memhog\) total-vm:\d+kB, anon-rss:(\d+)kB, file-rss:\d+kB, shmem-rss:0kB, UID:0 "
    r"pgtables:\d+kB oom_score_adj:0\n"
)


def test_out_of_memory_kills_the_program_that_has_most(machine: Machine) -> None:
    small = machine.run("memhog 10 1 > /small & memhog 300; echo status $?; wait $!; echo small $?; cat /small")
    output = small.output.decode()
    killed = KILLED.search(output)
    assert killed, output
    assert int(killed[2]) > 90 * 1024
    assert output.endswith("Killed\nstatus 137\nsmall 0\nmemhog: 10 MiB\n")
    assert machine.run("memhog 60; busy 2 1").status == 0  # all of it has come back
