# SPDX-License-Identifier: GPL-2.0-only
"""The block layer's events: for a read and a write they match the requests to the disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.cpu.ramdisk import RamDisk
from emu.machine import Machine
from tests.lib.event_lines import EventLine, events_of

_SECTORS = re.compile(r"1,0 (\w+) (?:(\d+) )?(?:\(\) )?(\d+) \+ (\d+) \[(.*)\]")


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=2, ramdisk=RamDisk(1 << 20)) as machine:
        yield machine


def sectors(line: EventLine) -> tuple[str, int, int]:
    """The kind of request, the first sector and the number of sectors."""
    match = _SECTORS.fullmatch(line.text)
    assert match, line
    if match[2]:
        assert int(match[2]) == 512 * int(match[4])
    return match[1], int(match[3]), int(match[4])


def named(lines: list[EventLine], name: str) -> list[EventLine]:
    return [line for line in lines if line.name == name]


def test_every_sector_of_a_read_goes_from_queue_to_complete(machine: Machine) -> None:
    lines = events_of(machine, "block:*", "cat /dev/ram0 > /dev/null")
    queued = [sectors(line) for line in named(lines, "block_bio_queue")]
    assert [start for _, start, _ in queued] == list(range(0, 2048, queued[0][2]))
    assert {how for how, _, _ in queued} == {"R"}
    got, merged = named(lines, "block_getrq"), named(lines, "block_bio_backmerge")
    assert sorted(sectors(line) for line in got + merged) == queued and merged

    inserted, issued, completed = (
        [sectors(line) for line in named(lines, f"block_rq_{name}")] for name in ("insert", "issue", "complete")
    )
    assert sorted(inserted) == sorted(issued) == sorted(completed)
    assert len(issued) == len(got)
    assert sum(count for _, _, count in completed) == 2048
    assert all(line.text.endswith("[0]") and line.flags[2] == "s" for line in named(lines, "block_rq_complete"))
    for request in issued:
        names = [line.name for line in lines if line.text.startswith("1,0 R") and sectors(line)[1] == request[1]]
        steps = ["block_bio_queue", "block_getrq", "block_rq_insert", "block_rq_issue", "block_rq_complete"]
        assert [name for name in names if name in steps] == steps


def test_a_plug_counts_its_requests(machine: Machine) -> None:
    lines = events_of(machine, "block:*", "cat /dev/ram0 > /dev/null")
    plugs = [line for line in lines if line.name in ("block_plug", "block_unplug")]
    assert [line.name for line in plugs] == ["block_plug", "block_unplug"] * (len(plugs) // 2)
    assert all(line.text.startswith("[cat]") for line in plugs)
    assert sum(int(line.text.split()[-1]) for line in plugs[1::2]) == len(named(lines, "block_rq_insert"))


def test_a_write_makes_buffers_dirty(machine: Machine) -> None:
    lines = events_of(machine, "block:*", "dd if=/dev/zero of=/dev/ram0 bs=4096 count=4 && sync")
    dirty = {line.text for line in named(lines, "block_dirty_buffer")}
    size = int(min(dirty).rpartition("=")[2])
    assert dirty == {f"1,0 sector={n} size={size}" for n in range(16384 // size)}
    written = [sectors(line) for line in named(lines, "block_rq_complete") if sectors(line)[0].startswith("W")]
    assert {sector for _, start, count in written for sector in range(start, start + count)} >= set(range(32))


def test_what_fails_is_an_error(arch: str, tmp_path: Path) -> None:
    path = tmp_path / "disk"
    path.write_bytes(bytes(1 << 20))
    disk = RamDisk.of_file(path, writable=True)
    with Machine(arch=arch, cpus=1, ramdisk=disk) as machine:
        real, disk._descriptor = disk._descriptor, 1 << 20  # a closed descriptor
        lines = events_of(machine, "block:*", "cat /dev/ram0 > /dev/null; true")
        disk._descriptor = real
    errors = named(lines, "block_rq_error")
    assert errors and all(re.fullmatch(r"1,0 R \(\) \d+ \+ \d+ \[-5\]", line.text) for line in errors)
    assert [line.text for line in errors] == [line.text for line in named(lines, "block_rq_complete")]
