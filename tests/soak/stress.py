# SPDX-License-Identifier: GPL-2.0-only
"""Everything at once on four CPUs: each job checks its own results, and at the end nothing may be left over."""

from __future__ import annotations

import functools
import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from emu.cpu.ramdisk import RamDisk
from emu.machine import Machine
from tests.lib.disks import make_ext2
from tests.lib.witness import Witness, by_context, recorded, shown

__all__ = ["CPUS", "Outcome", "stress"]

CPUS = 4
_DISK = 8 << 20  # bytes
# The mount loads ext2, which is removed afterwards.
BLOCKS = (
    "mount /dev/ram0 /disk && dd if=/dev/urandom of=/disk/first bs=4k count=40 2> /dev/null && cp /disk/first /disk/second && "
    "sync && cmp /disk/first /disk/second && mkdir -p /disk/a/b && mv /disk/second /disk/a/b/ && rm -r /disk/a /disk/first && "
    "umount /disk && rmmod ext2"
)
# Each must succeed and print nothing; all run at the same time.
JOBS = {
    "processes": "busy 4 2 > /dev/null",
    "fifo": "chrt -f 20 busy 1 1 > /dev/null",
    "round robin": "chrt -r 30 spin 4 & chrt -r 30 spin 4; wait",
    "deadline": "chrt -d --sched-runtime 1000000 --sched-deadline 5000000 --sched-period 5000000 0 spin 6",
    "batch": "chrt -b 0 busy 1 1 > /dev/null; chrt -i 0 spin 1",
    "nice": "nice -n 15 spin 4; taskset -c 1,3 busy 2 1 > /dev/null",
    "signals": (
        "for what in handler queue restart altstack suspend timedwait faults stop; do signals $what > /dev/null || exit 1; done"
    ),
    "threads": "for what in count hand futex exec; do threads -n 6 $what > /dev/null || exit 1; done",
    "memory": "for size in 1 3 2; do memhog $size > /dev/null || exit 1; done",
    "faults": "for what in segv kernel exec; do (fault $what) 2> /dev/null; [ $? -eq 139 ] || exit 1; done",
    "modules": (
        "insmod /lib/modules/sample_timer.ko period=2; insmod /lib/modules/sample_export.ko; "
        "insmod /lib/modules/sample_use.ko count=3 || exit 1; insmod /lib/modules/sample_fail.ko 2> /dev/null && exit 1; "
        "usleep 5000; rmmod sample_use sample_export && rmmod sample_timer"
    ),
    "blocks": f"for turn in 1 2; do {BLOCKS} || exit 1; done",
    # The filters always contain an existing function: otherwise they would select all functions when ext2 is removed.
    "tracing": (
        "cd /sys/kernel/tracing; for tracer in function function_graph; do echo panic '*:mod:ext2' > set_ftrace_filter; "
        "echo $tracer > current_tracer; usleep 20000; echo 'ext2_get_*:mod:ext2' > set_ftrace_notrace; usleep 20000; "
        "echo '!*:mod:ext2' >> set_ftrace_filter; echo > set_ftrace_notrace; usleep 1000; done 2> /dev/null; "
        "echo nop > current_tracer; echo > set_ftrace_filter"
    ),
    "pipes": "hackbench -g 1 -f 4 -l 20 > /dev/null; [ $(while echo y; do :; done | head -n 2000 | wc -l) -eq 2000 ]",
}
# The modules' messages while it works.
_MESSAGES = re.compile(
    rb"\[ *[\d.]+\] (sample_timer: \d+ beats|sample_use: the sum is 14|sample_fail: there is no such device)\n"
)
# Filters under which the trace is compared with a witness's log: the names, and the module (None: any), of the functions
# that they leave. `panic` as above.
TRACED: dict[str, tuple[str, str | None]] = {
    "": ("*", None),
    "panic *:mod:ext2": ("*", "ext2"),
    "panic ext2_[a-m]*:mod:ext2": ("ext2_[a-m]*", "ext2"),
}
_IDLE = 330  # seconds
_SETTLING = 2  # rounds after which nothing is used for the first time
_COUNTED = 4  # the minimum number of rounds in which a leak would show
_COUNTS = "sync; ls -d /proc/[0-9]* | wc -l; sleep 1; exec cat /proc/meminfo /proc/slabinfo"  # others have been freed by then


def _script() -> str:
    started = " ".join(f'( {command} ) & jobs="$jobs $!:{name.replace(" ", "_")}";' for name, command in JOBS.items())
    return f"jobs=; {started} for job in $jobs; do wait ${{job%%:*}} || echo ${{job##*:}} failed; done"


class StressFailure(AssertionError):
    """The guest made an error, or did not free something."""


@dataclass
class Outcome:
    """The results of a run. `digest`: of all output of the guest, of the trace and of RAM at the end."""

    instructions: int
    rounds: int
    entries: int  # of the traced rounds
    digest: str
    left: dict[str, int] = field(default_factory=dict)  # what grows with every round


def _disk() -> RamDisk:
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image"
        make_ext2(image, _DISK)
        return RamDisk.of_file(image)


def _counts(machine: Machine) -> Counter[str]:
    """The number of objects in each slab cache, of other pages in use, and of tasks.

    Slabs may keep pages whose objects are free, and the page cache those of files.
    """
    machine.advance(_IDLE * machine.board.frequency)  # deferred frees are done, and idle workers have exited
    done = machine.run(_COUNTS)
    if done.status:
        raise StressFailure(f"the guest cannot be counted: {done.output.decode(errors='replace')}")
    counts = Counter[str]()
    for line in done.output.decode().splitlines():
        if found := re.match(r"(MemTotal|MemFree|Cached|Slab): +(\d+) kB", line):
            pages = (int(found[2]) << 10) // machine.board.arch.page_size
            counts["pages"] += pages if found[1] == "MemTotal" else -pages
        elif found := re.match(r"([\w-]+) +(\d+) +\d+ +\d+ +\d+ +\d+ : ", line):
            counts[f"{found[1]} objects"] = int(found[2])
        elif line.isdigit():
            counts["tasks"] = int(line)
    return counts


def _round(machine: Machine) -> bytes:
    done = machine.run(_script())
    unexpected = _MESSAGES.sub(b"", done.output)
    if done.status or unexpected:
        raise StressFailure(f"status {done.status}: {unexpected.decode(errors='replace')}")
    return done.output


def _traced_round(machine: Machine, witness: Witness, words: str) -> tuple[int, str]:
    """A round in which the function trace must equal an independent witness's log. Returns the number of entries, and the trace.

    Args:
        words: a filter of `TRACED`.
    """
    machine.tracefs.write("tracing_on", "0")
    machine.tracefs.write("buffer_size_kb", "100000")
    machine.tracefs.write("set_ftrace_filter", words)
    machine.tracefs.write("current_tracer", "function")
    machine.advance(machine.board.frequency // 20)  # a call must not have begun already: its entry would be of the trace alone
    machine.tracefs.write("tracing_on", "1")
    witness.clear()
    witness.on = True
    done = machine.run(f"busy 4 1 & chrt -f 10 busy 1 1 & threads -n 3 count & signals restart & {BLOCKS}; wait")
    machine.advance(machine.board.frequency // 20)
    witness.on = False
    machine.tracefs.write("tracing_on", "0")
    name, module = TRACED[words]

    @functools.cache
    def is_left(address: int) -> bool:
        function = machine.kernel.symbols.function_at(address)
        return function is not None and fnmatchcase(function[0].name, name) and module in (None, function[1])

    logs = [recorded(machine, cpu) for cpu in range(CPUS)]
    seen = [[shown(entry) for entry in witness.entries(cpu) if is_left(entry.address)] for cpu in range(CPUS)]
    if by_context(logs) != by_context(seen):
        raise StressFailure(f"the trace is not what the witness saw, filter '{words}': {done.output.decode(errors='replace')}")
    text = machine.tracefs.read("trace")
    machine.tracefs.write("current_tracer", "nop")
    machine.tracefs.write("set_ftrace_filter", "")
    machine.tracefs.write("trace", "")
    return sum(map(len, logs)), text


def stress(arch: str, instructions: int, seed: int, progress: Callable[[float], None] = lambda done: None) -> Outcome:
    """Runs rounds of all jobs until the guest has executed that many instructions.

    Args:
        progress: gets the finished share, from 0 to 1.

    Raises:
        StressFailure: a job's result is wrong, the trace is not what happened, or something was not freed.
        GuestPanic: the guest panicked.
    """
    digest = hashlib.sha256()
    with Machine(arch=arch, cpus=CPUS, seed=seed, ramdisk=_disk()) as machine:

        witness = Witness(machine)  # its hooks stay as long as the machine

        def executed() -> int:
            return sum(cpu.instructions for cpu in machine.board.cpus)

        machine.run("mkdir -p /disk")
        digest.update(_round(machine))
        entries = 0
        for words in TRACED:
            count, text = _traced_round(machine, witness, words)
            digest.update(text.encode())
            entries += count
        for _ in range(_SETTLING - 1):
            digest.update(_round(machine))
        before, rounds = _counts(machine), _SETTLING
        while executed() < instructions or rounds < _SETTLING + _COUNTED:
            digest.update(_round(machine))
            rounds += 1
            progress(min(executed() / instructions, 1.0))
        # Memory that is allocated once is no leak; a leak grows by at least one with every round.
        left = {what: more for what, more in (_counts(machine) - before).items() if more >= rounds - _SETTLING}
        if machine.warnings:
            raise StressFailure("\n".join(machine.warnings))
        if modules := machine.run("cat /proc/modules").output:
            raise StressFailure(f"modules are left: {modules.decode(errors='replace')}")
        digest.update(machine.board.ram)
        return Outcome(executed(), rounds, entries, digest.hexdigest(), left)
