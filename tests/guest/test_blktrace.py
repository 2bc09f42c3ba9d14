# SPDX-License-Identifier: GPL-2.0-only
"""The tracer blk in the guest: its output matches the block layer's events, and the requests to the disk."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import pytest

from emu.cpu.ramdisk import Operation, RamDisk
from emu.machine import Machine
from tests.lib import disks
from tests.lib.booted_machine import booted_machine

FILES = "/sys/block/ram0/trace"
ALL = "read,write,flush,sync,queue,requeue,issue,complete,fs,pc,notify,ahead,meta,discard,drv_data,fua"
DISK = 4 << 20  # bytes

EVENTS = {
    "block_bio_queue": "Q", "block_getrq": "G", "block_bio_backmerge": "M", "block_bio_frontmerge": "F", "block_plug": "P",
    "block_unplug": "U", "block_rq_insert": "I", "block_rq_issue": "D", "block_rq_complete": "C",
}  # fmt: skip


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as machine:
        yield machine


# With the clock `counter`, so that lines are in the order of the events
_TASK = r"^ *\S.*?-(?P<pid>\d+) +\[(?P<cpu>\d+)\] (?P<flags>\S{5}) +[\d.]+: "
_BLK = re.compile(
    _TASK + r"  1,0 +(?P<action>\w+) +(?P<how>\w+) (?:(?P<sector>\d+) \+ (?P<count>\d+) )?\[(?P<last>.*)\](?: (?P<depth>\d+))?$"
)
_EVENT = re.compile(
    _TASK + r"(?P<event>\w+): (?:1,0 (?P<how>\w+) (?:\d+ )?(?:\(\) )?(?P<sector>\d+) \+ (?P<count>\d+) )?"
    r"\[(?P<last>.*)\](?: (?P<depth>\d+))?$"
)


@dataclass(frozen=True)
class Step:
    """A step of a bio or a request. `last`: the task, or the error. A plug has no `how` and no sectors."""

    pid: int
    cpu: int
    flags: str
    action: str
    how: str
    sector: int
    count: int
    last: str
    depth: int

    @property
    def end(self) -> int:
        return self.sector + self.count


def steps(text: str, pattern: re.Pattern[str]) -> list[Step]:
    """The steps in the lines that match a pattern."""
    found = []
    for line in filter(None, map(pattern.match, text.splitlines())):
        at = line.groupdict()
        action = EVENTS[at["event"]] if "event" in at else at["action"].removesuffix("T")
        how = "" if action in "PU" else at["how"]
        numbers = (int(at[name] or 0) for name in ("sector", "count"))
        found.append(Step(int(at["pid"]), int(at["cpu"]), at["flags"], action, how, *numbers, at["last"], int(at["depth"] or 0)))
    return found


@contextmanager
def disk_log(disk: RamDisk) -> Iterator[list[tuple[int, int, int]]]:
    """The requests to the disk while the body runs: operation, first sector, number of sectors."""
    log: list[tuple[int, int, int]] = []
    submit = disk.submit

    def logged(
        ram: memoryview, now: int, tag: int, operation: int, sector: int, segments: Sequence[tuple[int, int]]
    ) -> int:
        log.append((operation, sector, sum(size for _, size in segments) // 512))
        return submit(ram, now, tag, operation, sector, segments)

    with patch.object(disk, "submit", logged):
        yield log


@dataclass
class Requests:
    """Follows bios and requests through the block layer. Each is queued, joined, inserted, issued and completed once."""

    queued: dict[int, Step] = field(default_factory=dict)  # by task: the bio that it has queued but not joined
    joined: dict[int, Step] = field(default_factory=dict)  # by first sector: the bios in requests that are not issued yet
    inserted: dict[int, Step] = field(default_factory=dict)
    issued: dict[int, Step] = field(default_factory=dict)
    plugged: set[int] = field(default_factory=set)  # tasks
    kinds: set[str] = field(default_factory=set)
    log: list[tuple[int, int, int]] = field(default_factory=list)  # in the form of the disk's

    def follow(self, step: Step) -> None:
        self.kinds.add(step.action)
        match step.action:
            case "Q":
                assert self.queued.setdefault(step.pid, step) is step
            case "G" | "M" | "F":
                bio = self.queued.pop(step.pid)
                assert (bio.how, bio.sector, bio.count) == (step.how, step.sector, step.count)
                assert self.joined.setdefault(step.sector, step) is step
            case "P":
                assert step.pid not in self.plugged
                self.plugged.add(step.pid)
            case "U":
                assert step.depth > 0
                self.plugged.remove(step.pid)
            case "I":
                assert self._parts(step)
                assert self.inserted.setdefault(step.sector, step) is step
            case "D":
                for part in self._parts(step):
                    del self.joined[part.sector]
                (before,) = [one for one in self.inserted.values() if step.sector <= one.sector and one.end <= step.end]
                del self.inserted[before.sector]
                assert self.issued.setdefault(step.sector, step) is step
                self.log.append((Operation.WRITE if step.how.startswith("W") else Operation.READ, step.sector, step.count))
            case "C":
                request = self.issued.pop(step.sector)
                assert (request.how, request.count, step.last, step.flags[2]) == (step.how, step.count, "0", "s")

    def _parts(self, request: Step) -> list[Step]:
        """The bios of a request, which must cover it without gaps."""
        parts, sector = [], request.sector
        while sector < request.end:
            parts.append(self.joined[sector])
            assert parts[-1].how[0] == request.how[0]
            sector = parts[-1].end
        assert sector == request.end
        return parts

    def finish(self) -> None:
        assert not (self.queued or self.joined or self.inserted or self.issued or self.plugged)


def file_operations(seed: int) -> str:
    """A script of tasks that change and read files of /mnt at the same time."""
    chance = random.Random(seed)
    choose = chance.choice

    def operation(task: int) -> str:
        file, other = (f"{task}/{choose('abcd')}" for _ in range(2))
        size, at, count = choose((512, 1024, 3000, 4096)), chance.randrange(40), chance.randrange(1, 30)
        return choose((
            f"dd if=/dev/zero of={file} bs={size} seek={at} count={count} conv=notrunc",
            f"dd if={other} of={file} bs={size} count={count}",
            f"cat */{choose('abcd')}",
            f"echo {at} >> {file}; sync",
            f"mkdir {task}/{chance.randrange(9)}",
            f"mv {other} {file}",
            f"rm {file}",
            "sync",
            "echo 3 > /proc/sys/vm/drop_caches",
        ))  # fmt: skip

    tasks = ["; ".join(f"{operation(task)} > /dev/null 2>&1" for _ in range(12)) for task in range(3)]
    return f"cd /mnt; mkdir 0 1 2; {' '.join(f'({task}) &' for task in tasks)} wait; cd /; umount /mnt"


def test_files_show_what_is_traced(machine: Machine) -> None:
    """All files after each write, or the failure of the write."""
    lines = [
        ("act_mask", "Complete,,READ"), ("act_mask", "0x30041"), ("act_mask", ""), ("enable", "0"), ("enable", "7"),
        ("act_mask", "fua"), ("enable", "1"), ("pid", "010"), ("start_lba", "0x10"),
        ("act_mask", "read,bogus"), ("act_mask", "read write"), ("enable", "on"), ("pid", "-1"), ("end_lba", "1 2"),
        ("enable", "0"), ("end_lba", "100"),
    ]  # fmt: skip
    show = "cat enable act_mask pid start_lba end_lba"
    writes = (f"(echo '{text}' > {file}) 2> /dev/null && {show} || echo refused" for file, text in lines)
    done = machine.run(f"ls /sys/block; cd {FILES}; ls; {show}; {'; '.join(writes)}; cat /sys/block/sda/trace/enable")
    size = machine.ramdisk.size // 512
    expected = "ram0 act_mask enable end_lba pid start_lba 0" + " disabled" * 4
    for mask in ("read,complete", "read,issue", "", None, ALL, "fua", "fua"):
        expected += f" 1 {mask} 0 0 {size}" if mask is not None else " 0" + " disabled" * 4
    expected += f" 1 fua 8 0 {size} 1 fua 8 16 {size}" + " refused" * 5
    expected += " 0" + " disabled" * 4 + f" 1 {ALL} 0 0 100"  # the write turns tracing on, with defaults for everything else
    output, _, error = done.output.decode().partition("cat: ")
    assert output.split() == expected.split()
    assert error == "/sys/block/sda/trace/enable: No such file or directory\n"


def test_files_choose(machine: Machine) -> None:
    """A task reads the first sectors and writes some: blk records what the files select, only in the top array."""
    machine.tracefs.write("current_tracer", "blk")
    machine.tracefs.mkdir("instances/other")

    def recorded(choice: str) -> list[tuple[str, str, int]]:
        """What a command records after tracing has been turned on with a selection."""
        machine.tracefs.write("trace", "")
        command = "dd if=/dev/ram0 of=/dev/null bs=64k count=1; dd if=/dev/zero of=/dev/ram0 bs=16k seek=2 count=1"
        machine.run(f"cd {FILES}; echo 0 > enable; {choice}; ({command}) 2> /dev/null")
        return sorted((step.action, step.how, step.sector) for step in steps(machine.tracefs.read("trace"), _BLK))

    everything = recorded("echo 1 > enable")
    assert {action for action, _, _ in everything} >= set("QGMPUIDC")
    assert {how for _, how, _ in everything} == {"", "R", "WS"}
    of_requests = [one for one in everything if one[0] in "DC"]
    assert recorded("echo issue,complete > act_mask") == of_requests
    assert recorded("echo fs > act_mask") == [one for one in everything if one[0] in "IDC"]
    assert recorded("echo sync > act_mask") == [one for one in everything if one[1] == "WS"]
    assert recorded("echo 64 > start_lba; echo 95 > end_lba") == [one for one in everything if one[2] in (0, *range(64, 96))]
    assert recorded("echo $$ > pid") == recorded("echo 0 > enable") == []
    machine.tracefs.write("current_tracer", "nop")
    assert recorded("echo 1 > enable") == []
    assert "entries-written: 0/0" in machine.tracefs.read("instances/other/trace")
    machine.tracefs.rmdir("instances/other")


def test_classic_is_without_context(machine: Machine) -> None:
    """Whether blk is set or not."""
    machine.tracefs.write("options/blk_classic", "1")
    assert machine.tracefs.read("options/context-info") == "0\n"
    machine.tracefs.write("current_tracer", "blk")
    assert machine.tracefs.read("trace_options").splitlines()[-1] == "blk_classic"
    machine.run(f"echo 1 > {FILES}/enable; dd if=/dev/ram0 of=/dev/null bs=4k count=1", trace=True)
    header, _, body = machine.tracefs.read("trace").partition("|   |   |\n")
    assert header.startswith("# tracer: blk\n#\n# DEV   CPU")
    assert re.fullmatch(r"(  1,0    [01] +\d+\.\d{9} +\d+ +\w+ +[RN] [^\n]*\[\S+\](?: \d+)?\n)+", body)
    machine.tracefs.write("trace_options", "noblk_classic")
    assert machine.tracefs.read("options/context-info") == "1\n"


@disks.needs_e2fsprogs
def test_every_request_is_queued_merged_issued_and_completed_once(arch: str, tmp_path: Path) -> None:
    check_requests(arch, tmp_path, seed=1)


def check_requests(arch: str, folder: Path, seed: int) -> None:
    """Compares blk's output for random file operations with the block layer's events, and with the requests to the disk."""
    disks.make_ext2(folder / "image", DISK, ("-b", "1024", "-N", "64"))
    with booted_machine(arch, cpus=2) as machine:
        machine.ramdisk.write(0, (folder / "image").read_bytes())
        assert machine.run("mkdir /mnt; mount -t ext2 /dev/ram0 /mnt; sync").status == 0
        for file, value in (("trace_clock", "counter"), ("set_event", "block:*"), ("current_tracer", "blk")):
            machine.tracefs.write(file, value)
        assert machine.run(f"echo 1 > {FILES}/enable").status == 0
        with disk_log(machine.ramdisk) as log:
            done = machine.run(file_operations(seed))
        assert done.status == 0, done.output.decode()
        assert machine.trace_array.summary().lost == 0
        text = machine.tracefs.read("trace")
        assert machine.warnings == []
    traced = steps(text, _BLK)
    assert [(*vars(one).values(),) for one in traced if one.flags[0] != "d"] == []
    requests = Requests()
    for step in traced:
        requests.follow(step)
    requests.finish()
    assert requests.kinds >= set("QGMPUIDC")
    assert sorted(requests.log) == sorted(log)
    # An interrupt, or another task, may come between an event and blk's record of it.
    assert [told(one) for one in sorted(traced, key=context)] == [told(one) for one in sorted(steps(text, _EVENT), key=context)]


def context(step: Step) -> tuple[str, int]:
    """A task, or the softirqs of a CPU: within it, steps are in order."""
    return step.flags[2], step.cpu if step.flags[2] == "s" else step.pid


def told(step: Step) -> tuple[str, str, int, int, str, int]:
    """What both forms show. The task may have got another name or CPU in between."""
    return step.action, step.how, step.sector, step.count, step.last if step.action == "C" else "", step.depth
