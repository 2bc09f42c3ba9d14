# SPDX-License-Identifier: GPL-2.0-only
"""The events of the page cache, of writeback and of reclaim, on a machine with an ext2 disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.cpu.ramdisk import RamDisk
from emu.machine import Machine
from tests.lib import disks
from tests.lib.commands import run
from tests.lib.event_lines import EventLine, events_of

pytestmark = disks.needs_e2fsprogs
_DISK = 8 << 20


@pytest.fixture(scope="module")
def machine(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    path: Path = tmp_path_factory.mktemp(arch) / "image"
    disks.make_ext2(path, _DISK)
    disk = RamDisk(_DISK)
    disk.write(0, path.read_bytes())
    with Machine(arch=arch, cpus=2, memory=32 << 20, ramdisk=disk) as machine:
        run(machine, "mkdir /mnt && mount -t ext2 /dev/ram0 /mnt")
        yield machine
        assert machine.warnings == []


def named(lines: list[EventLine], *names: str) -> list[EventLine]:
    return [line for line in lines if line.name in names]


def number(line: EventLine, name: str) -> int:
    """The number after NAME= in a line."""
    match = re.search(rf"\b{name}=(?:0x)?([0-9a-f]+)", line.text)
    assert match, line
    return int(match[1], 16 if f"{name}=0x" in line.text else 10)


def test_a_page_comes_into_the_cache_and_goes(machine: Machine) -> None:
    run(machine, "dd if=/dev/zero of=/mnt/cached bs=8192 count=4")
    inode = int(run(machine, "ls -i /mnt/cached").split()[0])
    lines = events_of(machine, "filemap:* pagemap:*", "sync; echo 1 > /proc/sys/vm/drop_caches; cat /mnt/cached > /dev/null")
    mine = [line for line in lines if line.text.startswith(f"dev 1:0 ino {inode:x} ")]
    added, deleted = (named(mine, f"mm_filemap_{name}_page_cache") for name in ("add_to", "delete_from"))
    assert len(added) == len(deleted) > 1
    page = number(added[1], "ofs")
    assert [number(line, "ofs") for line in added] == list(range(0, 32768, page))
    assert sorted(number(line, "ofs") for line in deleted) == list(range(0, 32768, page))
    inserted = {number(line, "pfn") for line in named(lines, "mm_lru_insertion")}
    assert {number(line, "pfn") for line in added} <= inserted
    assert all(" lru=2 flags= f" in line.text for line in named(lines, "mm_lru_insertion"))


def test_an_inode_is_marked_dirty_before_it_is_written(machine: Machine) -> None:
    run(machine, "echo 20 > /proc/sys/vm/dirty_writeback_centisecs; echo 50 > /proc/sys/vm/dirty_expire_centisecs")
    lines = events_of(machine, "writeback:*", "echo text > /mnt/dirty; sleep 1.5")
    inode = int(run(machine, "ls -i /mnt/dirty").split()[0])
    mine = [line.name for line in lines if re.search(rf"^(bdi 1:0:|dev 1,0) ino[= ]{inode} ", line.text)]
    story = [
        "writeback_mark_inode_dirty",
        "writeback_dirty_inode_start",
        "writeback_dirty_inode",
        "writeback_dirty_inode_enqueue",
        "writeback_dirty_folio",
        "writeback_single_inode_start",
        "writeback_write_inode_start",
        "writeback_write_inode",
        "writeback_single_inode",
    ]
    at = [mine.index(name) for name in story]
    assert at == sorted(at)

    done = next(line for line in lines if line.name == "writeback_single_inode" and f"ino={inode} " in line.text)
    assert done.comm.startswith("kworker") and number(done, "wrote") == 1 and "state= " in done.text
    enqueued = next(line for line in lines if line.name == "writeback_dirty_inode_enqueue" and f"ino {inode} " in line.text)
    assert f"dirtied {number(done, 'dirtied_when')} state I_DIRTY_SYNC|I_DIRTY_DATASYNC" in enqueued.text


def test_work_starts_and_has_written(machine: Machine) -> None:
    run(machine, "echo 20 > /proc/sys/vm/dirty_writeback_centisecs; echo 50 > /proc/sys/vm/dirty_expire_centisecs")
    lines = events_of(machine, "writeback:*", "dd if=/dev/zero of=/mnt/work bs=8192 count=3; sleep 1.5")
    steps = ["writeback_start", "writeback_written", "writeback_pages_written"]
    works = named(lines, *steps)
    assert [line.name for line in works] == steps * (len(works) // 3)
    assert all(" kupdate=1 range_cyclic=1 background=0 reason=periodic " in line.text for line in works[0::3])
    written = sum(int(line.text) for line in works[2::3])
    pages = [line for line in named(lines, "wbc_writepage") if line.comm.startswith("kworker")]
    assert len(pages) == written > 2
    assert all(" mode=0 kupd=1 bgrd=0 reclm=0 cyclic=1 " in line.text for line in pages)
    left = [number(start, "nr_pages") - number(end, "nr_pages") for start, end in zip(works[0::3], works[1::3], strict=True)]
    assert sum(left) == written


def test_kswapd_wakes_works_and_sleeps(machine: Machine) -> None:
    run(machine, "sync; cat /dev/ram0 > /dev/null")
    lines = events_of(machine, "vmscan:*", "memhog 18")
    woken, wake, sleep = (named(lines, f"mm_vmscan_{name}") for name in ("wakeup_kswapd", "kswapd_wake", "kswapd_sleep"))
    assert woken and all("nid=0 order=0 gfp_flags=GFP_" in line.text for line in woken)
    assert wake[0].comm == "kswapd0" and wake[0].time > woken[0].time
    turns = [line.name for line in named(lines, "mm_vmscan_kswapd_wake", "mm_vmscan_kswapd_sleep")]
    assert turns[0] == "mm_vmscan_kswapd_wake" and "mm_vmscan_kswapd_sleep" in turns
    assert sleep[0].text == "nid=0"
    shrunk = [line for line in named(lines, "mm_vmscan_lru_shrink_inactive") if line.comm == "kswapd0"]
    assert sum(number(line, "nr_reclaimed") for line in shrunk) > 32
    assert all(number(line, "nr_reclaimed") + number(line, "nr_ref_keep") <= number(line, "nr_scanned") <= 32 for line in shrunk)
    assert all(line.text.endswith("flags=RECLAIM_WB_FILE|RECLAIM_WB_ASYNC") for line in shrunk)


def test_who_finds_no_memory_reclaims(machine: Machine) -> None:
    machine.run("ls -lR / > /dev/null; cat /bin/* > /dev/null")  # dentries and inodes that can be reclaimed
    machine.tracefs.write("set_event", "vmscan:*")
    machine.tracefs.write("trace", "")
    machine.run("memhog 100", trace=True)
    machine.tracefs.write("set_event", "")
    text = machine.tracefs.read("trace")
    direct = re.findall(r"memhog-.*: mm_vmscan_direct_reclaim_(\w+): (.*)", text)
    assert [name for name, _ in direct] == ["begin", "end"] * (len(direct) // 2) and direct
    page, page_table = (f"order=0 gfp_flags={flags}|__GFP_ZERO" for flags in ("GFP_HIGHUSER_MOVABLE", "GFP_KERNEL"))
    assert {page} <= {said for _, said in direct[0::2]} <= {page, page_table}  # whichever it needs when there is no memory left
    assert all(re.fullmatch(r"nr_reclaimed=\d+", said) for _, said in direct[1::2])
    slab = re.findall(r": mm_shrink_slab_(start|end): (\w+)\+0x0\S* \S+: nid: 0 .*", text)
    assert {name for _, name in slab} >= {"super_cache_scan"}
    assert [step for step, _ in slab].count("start") == [step for step, _ in slab].count("end")


def test_an_error_of_writeback_is_told_to_who_syncs(arch: str, tmp_path: Path) -> None:
    path = tmp_path / "image"
    disks.make_ext2(path, 2 << 20)
    disk = RamDisk.of_file(path, writable=True)
    with Machine(arch=arch, cpus=1, ramdisk=disk) as machine:
        run(machine, "mkdir /mnt && mount -t ext2 /dev/ram0 /mnt && echo text > /mnt/file && sync && cat /mnt/file")
        real, disk._descriptor = disk._descriptor, 1 << 20  # a closed descriptor
        lines = events_of(
            machine,
            "filemap_set_wb_err file_check_and_advance_wb_err",
            "dd if=/dev/zero of=/mnt/file bs=8192 count=1 conv=notrunc,fsync; true",
        )
        disk._descriptor = real
        machine.run("umount /mnt")
    lost = [line.text for line in named(lines, "filemap_set_wb_err") if "dev=1:0" in line.text]
    assert lost[0].endswith("errseq=0x0") and all(text.endswith("errseq=0x5") for text in lost[1:])
    told = next(line for line in lines if line.name == "file_check_and_advance_wb_err")
    assert told.comm == "dd" and re.fullmatch(r"file=\S+ dev=1:0 ino=0x\w+ old=0x0 new=0x1005", told.text)
