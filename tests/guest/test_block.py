# SPDX-License-Identifier: GPL-2.0-only
"""The RAM disk as the guest's programs and the tracers see it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from emu.cpu.ramdisk import RamDisk
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine


def test_a_disk_is_read_and_written_as_a_file(machine: Machine) -> None:
    machine.ramdisk.write(0, b"first line\nsecond line\n")
    done = machine.run("sed -n '2{p;q}' /dev/ram0; echo HELLO > /dev/ram0")
    assert (done.status, done.output) == (0, b"second line\n")
    assert machine.ramdisk.read(0, 11) == b"HELLO\nline\n"


def test_the_last_close_forgets_what_was_cached(machine: Machine) -> None:
    machine.ramdisk.write(0, b"one\n")
    first = machine.run("sed 1q /dev/ram0").output
    machine.ramdisk.write(0, b"two\n")
    assert first.startswith(b"one\n")
    assert machine.run("sed 1q /dev/ram0").output.startswith(b"two\n")


def test_a_disk_ends_where_it_ends(machine: Machine) -> None:
    assert machine.ramdisk.size == 16 << 20
    done = machine.run("cat /dev/ram0 > /copy && cat /copy /copy > /dev/ram0")
    assert done.status == 1
    assert b"No space left on device" in done.output


def test_a_read_is_plugged_merged_and_completed_by_interrupt(arch: str) -> None:
    """The calls of a read, in order: the bio, the request in the plug, the device, its interrupt, a softirq."""
    with Machine(arch=arch, cpus=1, ramdisk=RamDisk(1 << 20)) as machine:
        machine.tracefs.write(
            "set_ftrace_filter",
            "submit_bio blk_mq_submit_bio bio_attempt_back_merge blk_mq_flush_plug_list blk_mq_dispatch_rq_list "
            "ramdisk_queue_rq blk_mq_start_request ramdisk_interrupt blk_mq_complete_request blk_done_softirq "
            "blk_mq_end_request blk_update_request bio_endio folio_unlock",
        )
        machine.tracefs.write("current_tracer", "function")
        machine.run("sed 1q /dev/ram0 > /dev/null", trace=True)
        trace = machine.tracefs.read("trace")
    calls = re.findall(r": (\w+) <-", trace)
    assert calls.count("bio_attempt_back_merge") > 5
    steps = iter(calls)
    for step in (
        "submit_bio",
        "blk_mq_submit_bio",
        "bio_attempt_back_merge",
        "blk_mq_flush_plug_list",
        "blk_mq_dispatch_rq_list",
        "ramdisk_queue_rq",
        "blk_mq_start_request",
        "ramdisk_interrupt",
        "blk_mq_complete_request",
        "blk_done_softirq",
        "blk_mq_end_request",
        "blk_update_request",
        "bio_endio",
        "folio_unlock",
    ):
        assert step in steps, step  # consumes the steps before it


def test_a_request_ends_on_the_cpu_that_made_it(arch: str) -> None:
    """The disk interrupts CPU 0; an IPI passes the requests of other CPUs on to them."""
    with Machine(arch=arch, cpus=2, seed=3) as machine:
        machine.tracefs.write("set_ftrace_filter", "blk_mq_start_request blk_mq_complete_send_ipi blk_mq_end_request")
        machine.tracefs.write("current_tracer", "function")
        machine.run("busy 1 3 & cat /dev/ram0 > /dev/null; busy 1 3 & cat /dev/ram0 > /dev/null; wait", trace=True)
        trace = machine.tracefs.read("trace")
    calls = re.findall(r"\[(\d+)\].*: (\w+) <-", trace)
    begun = [cpu for cpu, name in calls if name == "blk_mq_start_request"]
    ended = [cpu for cpu, name in calls if name == "blk_mq_end_request"]
    assert len(begun) == len(ended) > 100
    # A task may, rarely, migrate between getting a request and passing it to the disk.
    assert abs(begun.count("001") - ended.count("001")) <= 4 < ended.count("001")
    assert "blk_mq_complete_send_ipi" in {name for _, name in calls}


def test_time_of_the_model() -> None:
    """Setup, a seek unless the command continues the last one, and the transfer; one command at a time."""
    with RamDisk(1 << 20) as disk:
        ram = memoryview(bytearray(8192))
        first = disk.submit(ram, 100, 1, 0, 0, [(0, 4096)])
        assert first == 100 + disk.SETUP + 4096 // disk.BYTES_PER_CYCLE
        second = disk.submit(ram, 200, 2, 0, 100, [(0, 512), (4096, 512)])
        assert second == first + disk.SETUP + disk.SEEK + 1024 // disk.BYTES_PER_CYCLE
        assert disk.completed(first - 1) is None
        assert (disk.completed(second), disk.next_completion, disk.completed(second)) == ((1, 0), second, (2, 0))


def test_a_command_that_cannot_be_done_fails() -> None:
    with RamDisk(4096) as disk:
        ram = memoryview(bytearray(4096))
        for operation, sector, segment in ((0, 8, (0, 512)), (1, 0, (4000, 512)), (2, 0, (0, 512)), (0, 7, (0, 1024))):
            disk.submit(ram, 0, 5, operation, sector, [segment])
            assert disk.completed(1 << 40) == (5, 1)


def test_a_file_is_copied_unless_it_is_to_be_written(tmp_path: Path) -> None:
    path = tmp_path / "image"
    path.write_bytes(b"x" * 2048 + b"rest")
    with RamDisk.of_file(path) as disk:
        assert disk.size == 2048
        disk.write(0, b"changed")
        assert disk.read(0, 8) == b"changedx"
    assert path.read_bytes()[:8] == b"xxxxxxxx"
    with RamDisk.of_file(path, writable=True) as disk:
        disk.write(1024, b"changed")
    assert path.read_bytes()[1020:1032] == b"xxxxchangedx"


def test_a_file_that_somebody_made_shorter_ends_in_zeroes(tmp_path: Path) -> None:
    path = tmp_path / "image"
    path.write_bytes(b"x" * 1024)
    with RamDisk.of_file(path, writable=True) as disk:
        os.truncate(path, 3)
        assert disk.read(0, 512) == b"xxx" + bytes(509)


def test_what_is_no_disk(tmp_path: Path) -> None:
    short = tmp_path / "short"
    short.write_bytes(b"x" * 511)
    with pytest.raises(ValueError, match="511 bytes do not make a disk"):
        RamDisk.of_file(short)
    with pytest.raises(ValueError, match="not a regular file"):
        RamDisk.of_file(tmp_path)
    with pytest.raises(FileNotFoundError):
        RamDisk.of_file(tmp_path / "none")


def test_the_same_again(arch: str) -> None:
    def trace() -> str:
        with Machine(arch=arch, cpus=2, ramdisk=RamDisk(1 << 20)) as machine:
            machine.tracefs.write("set_ftrace_filter", "blk_* bio_* ramdisk_*")
            machine.tracefs.write("current_tracer", "function")
            machine.run("cat /dev/ram0 > /dev/null & cat /dev/ram0 > /dev/null; wait", trace=True)
            return machine.tracefs.read("trace")

    assert trace() == trace()


def test_what_proc_says_of_disks(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        assert machine.run("cat /proc/partitions").output == b"major minor  #blocks  name\n\n   1        0      16384 ram0\n"
        machine.run("dd if=/dev/ram0 of=/dev/null bs=64k count=16 status=none")
        machine.run("dd if=/dev/zero of=/dev/ram0 bs=4k count=2 status=none")
        words = machine.run("cat /proc/diskstats").output.split()
    assert words[:3] == [b"1", b"0", b"ram0"]
    reads, merged, sectors, _, writes, _, written, _, busy = map(int, words[3:12])
    assert (sectors >= 2048, reads < sectors // 8, merged > 0) == (True, True, True)
    assert (writes >= 1, written, busy) == (True, 16, 0)
