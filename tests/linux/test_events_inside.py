# SPDX-License-Identifier: GPL-2.0-only
"""The guest's own events, enabled inside, are the witness of those from outside: in one run, event by event, per CPU."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from emu.linux.machine import LinuxMachine
from tests.lib.events_on_both_sides import Comparison, TextEvent, compare, kernel_of, on_both_sides
from tests.lib.linux_kernel import insert

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

SHORT = "ls / | cat; sh -c 'kill -9 $$'; sleep 0.002"
LONG = (
    "for i in 1 2 3; do /bin/true; done; sleep 0.02; ls /bin | sort | tail -3; echo hi > /tmp/x; cat /tmp/x; "
    "kill -9 $(sleep 5 > /dev/null & echo $!); for n in 1 2; do (dd if=/dev/zero bs=16k count=5 | sha1sum) & done; "
    "nice uname -a; sh -c '/bin/nothing; kill -USR1 $$'; wait; true"
)
BLOCK = "dd if=/tmp/file of=/dev/nullb0 bs=4k; sync; dd if=/dev/nullb0 of=/dev/null bs=64k count=4"
MODULES = "rmmod null_blk; insmod /tmp/null_blk.ko; rmmod null_blk; insmod /tmp/null_blk.ko"
NODE = (
    "rm -f /dev/nullb0; mknod /dev/nullb0 b $(grep nullb /proc/devices | cut -d' ' -f1) 0; "
    "dd if=/dev/urandom of=/tmp/file bs=4k count=9 2>/dev/null"
)

LATE = 200_000  # cycles: what interrupts, and recording inside, take at most
IN_INTERRUPT = "hHsSzZ"
GONE, NAMED = re.compile(r"(?<=func=)0x[0-9a-f]{16}"), re.compile(r"(?<=func=)\w+\+0x0/0x[0-9a-f]+ \[\w+\]")
RESCHED = "NnpBbLl"  # that a CPU will reschedule


class Explained:
    """What is not the same on both sides, by the rule that says why. `left` has what no rule explains.

    Inside, an event is recorded some hundred instructions after its tracepoint's nop, at which it is seen from outside. Meanwhile

    * an interrupt may come: its events are then before the event inside, and after it outside;
    * another CPU may ask this one to reschedule, or the CPU may do so itself: then only the flag of that differs.

    A text is made when the trace is read. Inside, functions that only initialise a module have no name any more.
    """

    def __init__(self, found: Comparison, outside: list[TextEvent]) -> None:
        self.counts: Counter[str] = Counter()
        self._outside = outside
        theirs = list(found.outside_only)
        self.left: list[tuple[str, TextEvent]] = []
        for event in found.inside_only:
            other = next((other for other in theirs if self._rule(event, other)), None)
            if other is None:
                self.left.append(("inside", event))
            else:
                theirs.remove(other)
                self.counts[self._rule(event, other)] += 1
        self.left += [("outside", event) for event in theirs]

    def _rule(self, inside: TextEvent, outside: TextEvent) -> str:
        if (inside.cpu, inside.pid) != (outside.cpu, outside.pid) or abs(inside.time - outside.time) > LATE:
            return ""
        if inside.text != outside.text:
            is_freed = inside.flags == outside.flags and GONE.sub("", inside.text) == NAMED.sub("", outside.text)
            return "freed" if is_freed and inside.text.startswith("initcall_") else ""
        if inside.flags == outside.flags:
            return "interrupted" if self._is_interrupted(inside, outside) else ""
        return "asked to reschedule" if _without_resched(inside.flags) == _without_resched(outside.flags) else ""

    def _is_interrupted(self, inside: TextEvent, outside: TextEvent) -> bool:
        first, last = sorted((inside.time, outside.time))
        return any(
            event.cpu == inside.cpu and first <= event.time <= last and (set(event.flags) & set(IN_INTERRUPT))
            for event in self._outside
        )  # fmt: skip


def _without_resched(flags: str) -> str:
    return flags.translate(str.maketrans(RESCHED, "." * len(RESCHED)))


def check(machine: LinuxMachine, events: list[str], command: str, *, before: str = ":") -> Comparison:
    """Runs a command, and compares. What is not the same on both sides must be explained."""
    inside, outside = on_both_sides(machine, events, command, before=before)
    found = compare(inside, outside)
    explained = Explained(found, outside)
    assert not explained.left, explained.left[:20]
    assert not found.other_tasks
    assert sum(explained.counts.values()) <= len(inside) // 200 + 2, explained.counts
    return found


def test_scheduling_interrupts_and_signals(machine: LinuxMachine) -> None:
    found = check(machine, ["sched", "irq", "signal"], SHORT)
    assert found.same > 80
    names = {"sched_switch", "sched_waking", "sched_process_exec", "softirq_entry", "signal_deliver", "signal_generate"}
    assert names <= found.names.keys()
    machine.tracefs.write("set_event", "")


SYSTEMS = {
    "scheduler": (["sched", "irq", "signal", "irq_vectors", "timer", "task", "workqueue", "power"], LONG, 25),
    "system calls": (["syscalls", "raw_syscalls", "exceptions"], LONG, 40),
    "memory": (["kmem", "exceptions", "pagemap", "mmap_lock", "vmscan"], LONG, 10),
    "files": (["filelock", "writeback", "block", "jbd2", "iomap", "filemap"], LONG + "; sync", 3),
    "block": (["block", "irq", "sched:sched_switch", "workqueue"], BLOCK, 12),
    "modules": (["module", "sched", "printk", "kmem:kfree", "initcall"], MODULES, 10),
}


@pytest.mark.long("several kernels, and thousands of events")
@pytest.mark.parametrize("systems", SYSTEMS)
@pytest.mark.parametrize("version", ["6.1.", "6.12."])
def test_events_are_the_guests_own(version: str, systems: str) -> None:
    events, command, names = SYSTEMS[systems]
    kernel = kernel_of(version).path
    with LinuxMachine(kernel=kernel, warn=lambda text: None) as machine:
        available = {line.partition(":")[0] for line in machine.tracefs.read("available_events").splitlines()}
        if systems in ("block", "modules"):
            for module in ("configfs", "null_blk"):
                insert(machine, kernel, module)
        chosen = [event for event in events if event.partition(":")[0] in available]
        found = check(machine, chosen, command, before=NODE if systems == "block" else ":")
    assert len(found.names) >= names, dict(found.names)


def test_a_difference_is_found(machine: LinuxMachine) -> None:
    """One event less, another field, another order: each is left unexplained."""
    inside, outside = on_both_sides(machine, ["sched:sched_switch", "sched:sched_waking"], "ls / | cat")
    machine.tracefs.write("set_event", "")
    assert not compare(inside, outside).inside_only
    middle = len(inside) // 2
    event = inside[middle]
    at = next(n for n, other in enumerate(outside) if other.same == event.same and other.time <= event.time)
    for changed in (
        [*outside[:at], *outside[at + 1 :]],
        [*outside[:at], outside[at]._replace(text=outside[at].text + "0"), *outside[at + 1 :]],
        [*outside[:at], outside[at]._replace(flags="d.h4."), *outside[at + 1 :]],
        [*outside[:at], outside[at], *outside[at:]],
    ):
        assert Explained(compare(inside, changed), changed).left
