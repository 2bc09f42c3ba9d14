# SPDX-License-Identifier: GPL-2.0-only
"""What comes from outside comes again, and what goes outside goes once."""

from __future__ import annotations

from pathlib import Path

from emu.cpu.ramdisk import RamDisk
from emu.history.stops import Breakpoint, Reason
from emu.history.travel import Travel
from emu.machine import Machine, Share
from tests.history.states import State

SMALL = 64 << 20  # bytes of RAM


def test_files_of_the_host_are_read_and_written_once(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("first\n")
    with Machine(memory=SMALL, shares=[Share(tmp_path, "/mnt", writable=True)]) as m:
        travel, state = Travel(m), State(m.board, "x86_64")
        travel.begin("cat /mnt/in > /mnt/out; echo more >> /mnt/out; mkdir /mnt/d; cat /mnt/out; ls /mnt")
        travel.add(Breakpoint(m.kernel.image.symbol("vfs_write")))
        stops = []
        while (stop := travel.go()).reason == Reason.BREAKPOINT:
            stops.append((stop.instant, state()))
        end = state()
        assert (stop.status, (tmp_path / "out").read_text()) == (0, "first\nmore\n")
        (tmp_path / "in").write_text("second\n")
        (tmp_path / "out").write_text("mine")
        (tmp_path / "d").rmdir()
        for instant, known in stops[::-1]:
            assert travel.back().instant == instant
            assert state() == known
        for instant, known in stops[1:]:
            assert travel.go().instant == instant
            assert state() == known
        assert travel.go().reason == Reason.ENDED
        assert state() == end
        assert (tmp_path / "out").read_text() == "mine"
        assert not (tmp_path / "d").exists()


def test_another_branch_reads_and_writes_anew(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("first\n")
    with Machine(memory=SMALL, shares=[Share(tmp_path, "/mnt", writable=True)]) as m:
        travel = Travel(m)
        travel.begin("cat /mnt/in > /mnt/out")
        travel.go()
        (tmp_path / "in").write_text("second\n")
        travel.goto(travel.first)
        travel.begin("cat /mnt/in > /mnt/out")
        assert travel.go().status == 0
        assert (tmp_path / "out").read_text() == "second\n"


def test_a_disk_that_is_a_file_is_read_and_written_once(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(1 << 20))
    with Machine(memory=SMALL, ramdisk=RamDisk.of_file(disk, writable=True)) as m:
        travel, state = Travel(m), State(m.board, "x86_64")
        travel.begin("echo hello > /dev/ram0; cat /dev/ram0 | wc -c")
        assert travel.go().status == 0
        end, written = state(), disk.read_bytes()
        assert written.startswith(b"hello")
        disk.write_bytes(b"other" + written[5:])
        travel.goto(travel.first)
        assert travel.go().reason == Reason.ENDED
        assert state() == end
        assert disk.read_bytes().startswith(b"other")


def test_what_is_typed_comes_again_at_its_instant() -> None:
    output = bytearray()
    with Machine(memory=SMALL, console=output.extend) as m:
        travel, state = Travel(m), State(m.board, "x86_64")
        travel.begin("cat", stdin=None)
        output.clear()
        assert travel.go().reason == Reason.IDLE
        travel.type(b"one\n")
        assert travel.go().reason == Reason.IDLE
        assert output == b"one\n"
        between = travel.now, state()
        travel.type(b"two\n")
        travel.type(b"")
        assert travel.go().reason == Reason.ENDED
        end = travel.now, state()
        travel.goto(travel.first)
        while travel.go().reason == Reason.IDLE:
            pass
        assert (travel.now, state()) == end
        travel.goto(between[0])
        assert travel.now == between[0]
        assert output == b"one\ntwo\n"
