# SPDX-License-Identifier: GPL-2.0-only
"""What events and probes of a Linux cost from outside, in processor time of the host on top of the untraced run.

    ./venv python benchmarks/linux_events.py [--kernel VMLINUZ] [--rounds N] [PART]...

PART is events, probe or hackbench; all by default. Rounds take turns, and the least time of each counts. Runs are deterministic:
a traced run executes what the untraced one does, so the difference of their times is the tracer's.

    events      a busy command with some events on: ns for an event
    probe       a kprobe in the midst of a block with one argument: ns for a hit
    hackbench   many processes that send each other messages through pipes, untraced and with sched, irq and syscalls on
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from emu.ftrace.tracefs import TraceFS
from emu.linux.find import find_kernel
from emu.linux.machine import LinuxMachine

PARTS = ("events", "probe", "hackbench")
ROUNDS = 5
KB = 60_000  # of each CPU's ring buffer: nothing is overwritten
BUSY = "i=0; while [ $i -lt 150 ]; do /bin/true; cat /proc/stat > /dev/null; i=$((i+1)); done"
EVENTS: Mapping[str, Sequence[str]] = {
    "sched:sched_switch": ("sched:sched_switch",),
    "sched": ("sched",),
    "raw_syscalls": ("raw_syscalls",),
    "syscalls": ("syscalls",),
    "kmem": ("kmem",),
}
GOAL_EVENT, GOAL_PROBE, GOAL_HACKBENCH = 120, 200, 1.2  # ns, ns, times the untraced run
IN_HACKBENCH = ("sched", "irq", "syscalls")
FUNCTION = "vfs_write"
SIZES = {"GROUPS": 4, "PAIRS": 8, "MESSAGES": 100}
HACKBENCH = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { SIZE = 100 };
static void sender(int to[]) {
    char data[SIZE] = { 0 };
    for (int n = 0; n < MESSAGES; n++)
        for (int i = 0; i < PAIRS; i++)
            if (write(to[i], data, SIZE) != SIZE) _exit(1);
    _exit(0);
}
static void receiver(int from) {
    char data[SIZE];
    for (int n = 0, got; n < MESSAGES * PAIRS * SIZE; n += got)
        if ((got = read(from, data, SIZE)) <= 0) _exit(1);
    _exit(0);
}
int main(void) {
    int left = 0, status, failed = 0;
    for (int g = 0; g < GROUPS; g++) {
        int to[PAIRS];
        for (int i = 0; i < PAIRS; i++, left++) {
            int ends[2];
            if (pipe(ends)) return 1;
            if (!fork()) { close(ends[1]); receiver(ends[0]); }
            close(ends[0]);
            to[i] = ends[1];
        }
        for (int i = 0; i < PAIRS; i++, left++)
            if (!fork()) sender(to);
        for (int i = 0; i < PAIRS; i++) close(to[i]);
    }
    while (left--) failed |= wait(&status) < 0 || status;
    return failed;
}
"""


class Subject:
    """A machine that runs one command again and again, each time from the same state, with something on or nothing.

    Args:
        kernel: of the guest.
        command: what is run.
        prepare: puts something into the guest.
    """

    def __init__(self, kernel: Path, command: str, prepare: Callable[[LinuxMachine], None] = lambda machine: None) -> None:
        self._kernel, self._command, self._prepare = kernel, command, prepare
        self.least: dict[str, float] = {}
        self.entries: dict[str, int] = {}

    def measure(self, name: str, setup: Callable[[TraceFS], None] | None) -> None:
        """Runs the command twice in a new machine; what runs first is also translated."""
        with LinuxMachine(kernel=self._kernel, cpus=2, warn=lambda text: None) as machine:
            self._prepare(machine)
            if setup is not None:
                fs = machine.tracefs
                fs.write("buffer_size_kb", str(KB))
                setup(fs)
                fs.write("tracing_on", "1")
            start = machine.checkpoint()
            machine.run(self._command)
            machine.restore(start)
            before = self._count(machine) if setup is not None else 0
            began = time.process_time()
            done = machine.run(self._command)
            taken = time.process_time() - began
            if done.status:
                raise SystemExit(f"{self._command}: {done}")
            if setup is not None:
                self.entries[name] = self._count(machine) - before
        self.least[name] = min(self.least.get(name, taken), taken)

    @staticmethod
    def _count(machine: LinuxMachine) -> int:
        return sum(ring.entries + ring.overrun for ring in machine.trace_array.recorder.rings)

    def table(self, title: str, goal: str) -> None:
        """Prints what each setting costs."""
        base = self.least["untraced"]
        print(f"\n{title}: untraced {base:.3f} s; goal: {goal}")
        print(f"{'on':24}{'seconds':>10}{'of untraced':>13}{'entries':>10}{'ns an entry':>13}")
        for name, taken in self.least.items():
            if name != "untraced":
                count = self.entries[name]
                cost = f"{(taken - base) / count * 1e9:13.0f}" if count else f"{'-':>13}"
                print(f"{name:24}{taken:10.3f}{taken / base:13.3f}{count:10,}{cost}")


def turning_on(events: Sequence[str]) -> Callable[[TraceFS], None]:
    def setup(fs: TraceFS) -> None:
        for event in events:
            fs.append("set_event", event)

    return setup


def events(kernel: Path, rounds: int) -> None:
    """Prints the cost of each group of events."""
    subject = Subject(kernel, BUSY)
    for _ in range(rounds):
        subject.measure("untraced", None)
        for name, chosen in EVENTS.items():
            subject.measure(name, turning_on(chosen))
    subject.table("events", f"{GOAL_EVENT} ns an event")


def probe(kernel: Path, rounds: int) -> None:
    """Prints the cost of a kprobe within a function."""
    subject = Subject(kernel, "dd if=/dev/zero of=/dev/null bs=1 count=60000")

    def setup(offset: int, argument: str) -> Callable[[TraceFS], None]:
        def define(fs: TraceFS) -> None:
            fs.append("kprobe_events", f"p:here {FUNCTION}+{offset}{argument}")
            fs.write("events/kprobes/here/enable", "1")

        return define

    with LinuxMachine(kernel=kernel, cpus=2) as machine:
        offset = within(machine.tracefs)
    kinds = {f"{FUNCTION}+{offset}": setup(offset, ""), f"{FUNCTION}+{offset} x=%di": setup(offset, " x=%di:x64")}
    for _ in range(rounds):
        subject.measure("untraced", None)
        for name, kind in kinds.items():
            subject.measure(name, kind)
    subject.table("probe", f"{GOAL_PROBE} ns a hit")


def within(fs: TraceFS) -> int:
    """The offset of an instruction behind the first ones of FUNCTION: a probe can be there."""
    for offset in range(7, 40):
        try:
            fs.write("kprobe_events", f"p:here {FUNCTION}+{offset}")
        except (OSError, ValueError):
            continue
        fs.write("kprobe_events", "")
        return offset
    raise SystemExit(f"no probe can be in the midst of {FUNCTION}")


def hackbench(kernel: Path, rounds: int) -> None:
    """Prints what it costs to record a command that keeps the scheduler busy."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "hackbench.c", Path(folder) / "hackbench"
        source.write_text(HACKBENCH)
        sizes = [f"-D{name}={size}" for name, size in SIZES.items()]
        subprocess.run(["gcc", "-O2", "-static", *sizes, "-o", program, source], check=True)
        code = program.read_bytes()

    def prepare(machine: LinuxMachine) -> None:
        machine.run("cat > /tmp/hackbench && chmod +x /tmp/hackbench", stdin=code)

    subject = Subject(kernel, "/tmp/hackbench", prepare)
    for _ in range(rounds):
        subject.measure("untraced", None)
        for name in IN_HACKBENCH:
            subject.measure(name, turning_on((name,)))
        subject.measure(", ".join(IN_HACKBENCH), turning_on(IN_HACKBENCH))
    subject.table("hackbench", f"{GOAL_HACKBENCH} times the untraced run")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", type=Path, metavar="VMLINUZ", help="default: the one that `emu linux list` marks")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    arguments = parser.parse_intermixed_args()
    kernel = arguments.kernel or find_kernel(None)
    chosen = arguments.parts or PARTS
    print(f"{kernel}, {arguments.rounds} rounds")
    for name, part in {"events": events, "probe": probe, "hackbench": hackbench}.items():
        if name in chosen:
            part(kernel, arguments.rounds)


if __name__ == "__main__":
    main()
