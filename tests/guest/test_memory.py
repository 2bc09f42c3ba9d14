# SPDX-License-Identifier: GPL-2.0-only
"""Programs' memory: the guarantees of mappings, and what happens when memory runs out."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import LimitReached, Machine
from tests.lib.disks import needs_e2fsprogs


def test_mappings_are_what_programs_may_expect(machine: Machine) -> None:
    """Rights hold for programs and for the kernel on their behalf; copies are private; files and memory agree; limits apply."""
    done = machine.run("memcheck")
    assert re.fullmatch(rb"memcheck: \d+ checks, 0 errors\n", done.output), done.output.decode()
    assert done.status == 0


KILLED = re.compile(
    r"memhog invoked oom-killer: gfp_mask=0x100dca\(GFP_HIGHUSER_MOVABLE\|__GFP_ZERO\), order=0, oom_score_adj=0\n"
    r"(?:.*\n)*?.*Out of memory: Killed process (\d+) \(memhog\) total-vm:\d+kB, anon-rss:(\d+)kB, file-rss:\d+kB, "
    r"shmem-rss:0kB, UID:0 pgtables:\d+kB oom_score_adj:0\n"
)


OOM_CALLS = ["dump_stack", "dump_header", "oom_kill_process", "out_of_memory", "__alloc_pages_slowpath", "__alloc_pages"]


def test_out_of_memory_kills_the_program_that_has_most(arch: str) -> None:
    with Machine(arch=arch, memory=32 << 20) as machine:
        done = machine.run("memhog 3 1 > /small & memhog 100; echo status $?; wait $!; echo small $?; cat /small")
        output = done.output.decode()
        killed = KILLED.search(output)
        assert killed, output
        assert int(killed[2]) > 16 * 1024
        assert output.endswith("Killed\nstatus 137\nsmall 0\nmemhog: 3 MiB\n")
        assert machine.run("memhog 18; busy 2 1").status == 0  # all memory has been freed
        log = machine.run("dmesg").output.decode()
    report = log[log.index("memhog invoked oom-killer: ") : log.index("] Mem-Info:")]
    assert re.search(r"\] CPU: \d PID: \d+ Comm: memhog Not tainted 6\.1\.0.*\n.*\] Call Trace:\n", report)
    calls = re.findall(r"\]   (\w+)\+0x", report)
    assert [call for call in calls if call in OOM_CALLS] == OOM_CALLS


def counted(machine: Machine) -> dict[str, int]:
    """The number of free pages, and of objects in each cache, after everything that has ended was freed."""
    machine.advance(20_000_000)
    text = machine.run("cat /proc/meminfo /proc/slabinfo").output.decode()
    free = re.search(r"MemFree: +(\d+) kB", text)
    assert free
    caches = re.findall(r"^(\S+) +(\d+) +\d+ +\d+ +\d+ +\d+ : tunables", text, re.MULTILINE)
    assert len(caches) > 10
    return {"free": int(free[1]), **{name: int(active) for name, active in caches}}


def test_nothing_is_lost_when_programs_have_ended(machine: Machine) -> None:
    work = "busy 4 1; memcheck > /dev/null; ls /bin | sed s/a/b/ > /dev/null; chrt -d -T 1000000 -P 10000000 0 true"
    machine.run(work)
    before = counted(machine)
    machine.run(work)
    after = counted(machine)
    assert {name: after[name] for name in before if name.startswith(("task", "mm_", "vm_", "sig", "pid", "file"))} == {
        name: before[name] for name in before if name.startswith(("task", "mm_", "vm_", "sig", "pid", "file"))
    }
    assert abs(after["free"] - before["free"]) < 512  # slab caches may have grown


def test_nothing_is_lost_when_a_file_with_a_hole_is_gone(machine: Machine) -> None:
    """The first page of the file is far from its beginning."""
    holed = "for i in 1 2 3 4 5; do printf x | dd of=/tmp/holed bs=1 seek=1000000000 2> /dev/null; rm /tmp/holed; done"
    machine.run(holed)
    before = counted(machine)["xa_node"]
    machine.run(holed)
    assert counted(machine)["xa_node"] == before


@pytest.mark.parametrize("gibibytes", [2, 4])
def test_a_large_machine_boots_and_costs_no_more(arch: str, gibibytes: int) -> None:
    with Machine(arch=arch, memory=128 << 20) as machine:
        booted = machine.board.now
    with Machine(arch=arch, memory=gibibytes << 30) as machine:
        assert machine.board.now < 2 * booted
        total = int(machine.run("grep MemTotal: /proc/meminfo").output.split()[1])
        assert 0.97 * (gibibytes << 20) < total < gibibytes << 20
        # Modules must be within reach of the kernel, wherever other memory is allocated.
        done = machine.run("modprobe sample_timer && grep -c '^sample_timer' /proc/modules && rmmod sample_timer")
        assert (done.status, done.output.splitlines()[0]) == (0, b"1")
        assert machine.warnings == []


def test_a_fork_bomb_is_bounded(arch: str) -> None:
    with Machine(arch=arch, cpus=2, memory=64 << 20) as machine:
        before = machine.run("ls -d /proc/[0-9]* | wc -l").output
        most = int(machine.run("cat /proc/sys/kernel/threads-max").output)
        assert 200 < most < 600
        done = machine.run("echo 150 > /proc/sys/kernel/threads-max; f() { f | f & }; f; sleep 2", limit=10 * 10**9)
        assert set(done.output.splitlines()) == {b"sh: 1: Cannot fork"}
        assert machine.run("ls -d /proc/[0-9]* | wc -l").output == before
        # Another bomb is stopped by the time limit while it grows.
        with pytest.raises(LimitReached):
            machine.run("f() { f | f & }; f; while :; do :; done", limit=20 * 10**6)
        assert machine.warnings == []


def test_a_fork_bomb_that_takes_all_memory_ends_by_the_limit(arch: str) -> None:
    """The OOM killer and the bomb may go on for ever; nothing else may happen."""
    with Machine(arch=arch, cpus=2, memory=32 << 20) as machine:
        machine.run("f() { f | f & }; f", limit=10**9)
        machine.advance(machine.board.frequency)
        try:
            assert b"alive\n" in machine.run("echo alive", limit=2 * 10**9).output
        except LimitReached as reached:
            assert "virtual time" in str(reached)
        assert machine.warnings == []


@pytest.fixture(scope="module")
def small(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with 32 MiB of memory, a larger disk at /d, and many small files in /s."""
    folder = tmp_path_factory.mktemp("small")
    image, share = folder / "image", folder / "share"
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext2", "-b", "4096", image, "40M"], check=True)
    for number in range(1200):
        (share / f"{number % 10}").mkdir(parents=True, exist_ok=True)
        (share / f"{number % 10}" / f"{number}").write_text(f"{number}\n")
    with Machine(arch=arch, memory=32 << 20, ramdisk=image, shares=[Share(share, "/s")]) as made:
        assert made.run("mkdir /d; mount -t ext2 /dev/ram0 /d").status == 0
        yield made


def kilobytes(machine: Machine, name: str) -> int:
    found = re.search(rf"{name}: +(\d+) kB", machine.run("cat /proc/meminfo").output.decode())
    assert found
    return int(found[1])


@needs_e2fsprogs
def test_files_larger_than_memory(small: Machine, tmp_path: Path) -> None:
    """Caches release what can be read again: pages, mapped or not, and dentries with their inodes."""
    assert small.run("memcheck /d/mapped 34").output == b"memcheck: 4352 checks, 0 errors\n"
    assert kilobytes(small, "MemFree") < 4096 < kilobytes(small, "MemAvailable")
    assert small.run("dd if=/d/mapped of=/dev/null bs=64k").output.startswith(b"544+0 records in\n")
    assert small.run("ls -R /s | grep -c ^[0-9]").output == b"1210\n"
    done = small.run("memhog 20; dmesg | tail -1")
    assert (done.status, done.output[:15]) == (0, b"memhog: 20 MiB\n")
    assert b"oom-kill" not in done.output
    assert small.run("cat /s/7/* | wc").output.split() == [b"120", b"120", b"489"]
    assert small.run("rm /d/mapped; cp /bin/busy /d; /d/busy 1 1; umount /d").status == 0
    (tmp_path / "image").write_bytes(small.ramdisk.read(0, 40 << 20))
    subprocess.run(["e2fsck", "-fn", tmp_path / "image"], check=True, capture_output=True)


@needs_e2fsprogs
def test_caches_can_be_dropped(small: Machine) -> None:
    small.run("ls -R /s; cat /proc/slabinfo")
    before = {name: counted(small)[name] for name in ("free", "dentry", "inode")}
    assert small.run("echo 3 > /proc/sys/vm/drop_caches").status == 0
    after = counted(small)
    assert before["dentry"] > 1200 > 500 > after["dentry"]
    assert before["inode"] > 1200 > 500 > after["inode"]
    assert after["free"] > before["free"] + 512
    assert re.search(rb"sh \(\d+\): drop_caches: 3\n$", small.run("dmesg").output)
    assert small.run("/bin/echo 5 > /proc/sys/vm/drop_caches").output == b"echo: write error: Invalid argument\n"
    assert small.run("ls /s/3 | wc -l").output == b"120\n"
