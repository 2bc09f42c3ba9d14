# SPDX-License-Identifier: GPL-2.0-only
"""What tracing a Linux from outside costs in processor time of the host, beside Linux's own function_graph under QEMU.

    ./venv python benchmarks/linux_tracing.py [--kernel VMLINUZ] [--rounds N] [--peer DIR] [PART]...

PART is calls, boot, peer or memory; all by default. Rounds take turns, and the least time of each counts. Runs are
deterministic: a traced run executes what the untraced one does, so the difference of their times is the tracer's.

    calls     a busy command in a booted machine, untraced and with each tracer: ns for an entry, or for an entry with its return
    boot      a whole boot, untraced and with all functions recorded from the first instruction
    peer      the same busy command under QEMU's TCG, untraced and with the guest's own function_graph: ns a call
    memory    how much more memory `emu record` takes than `emu run` without a tracer, for about 10,000,000 events
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import linux
import peer

from emu.kernel.arch import load
from emu.kernel.userland import BadUserland, find_busybox
from emu.linux.find import find_kernel
from emu.linux.machine import LinuxMachine

PARTS = ("calls", "boot", "peer", "memory")
ROUNDS = 5
LOOP = "i=0; while [ $i -lt {} ]; do cat /proc/stat >/dev/null; i=$((i+1)); done"
BUSY, LONG = LOOP.format(60), LOOP.format(450)
TRACERS = {
    "untraced": (),
    "function": (("current_tracer", "function"),),
    "function_graph": (("current_tracer", "function_graph"),),
    "function, stacks": (("current_tracer", "function"), ("options/func_stack_trace", "1")),
    "irqsoff": (("current_tracer", "irqsoff"),),
    "preemptirqsoff": (("current_tracer", "preemptirqsoff"),),
    "wakeup": (("current_tracer", "wakeup"),),
}
OF_AN_ENTRY = {"function": 1, "function_graph": 2, "function, stacks": 2}  # events for each call
QEMU_TRACED = (
    "/.emu/busybox mount -t tracefs t /sys/kernel/tracing && cd /sys/kernel/tracing && echo 100 >buffer_size_kb && "
    "echo function_graph >current_tracer && {{ {}; }} && echo nop >current_tracer"
)
QEMU_COUNTED = QEMU_TRACED.replace("&& echo nop", "&& echo 0 >tracing_on && cat per_cpu/cpu0/stats && echo nop")


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def calls(kernel: Path, rounds: int) -> None:
    """Prints the cost of each tracer, a call."""
    least: dict[str, float] = {}
    events: dict[str, int] = {}
    for _ in range(rounds):
        for name, settings in TRACERS.items():
            with LinuxMachine(kernel=kernel, cpus=1) as machine:
                if settings:
                    machine.tracefs.write("tracing_on", "0")
                    machine.tracefs.write("buffer_size_kb", "4096")
                for file, value in settings:
                    machine.tracefs.write(file, value)
                run = partial(machine.run, BUSY, trace=bool(settings))
                run()  # what runs first is also translated
                taken = seconds(run)
                least[name] = min(least.get(name, taken), taken)
                if settings:
                    events[name] = sum(ring.entries + ring.overrun for ring in machine.trace_array.recorder.rings) // 2
    base = least.pop("untraced")
    print(f"\ncalls: '{BUSY}', 1 CPU, untraced {base:.3f} s")
    print(f"{'tracer':20}{'seconds':>10}{'of untraced':>13}{'events':>12}{'ns a call':>11}")
    for name, taken in least.items():
        count = events[name] // OF_AN_ENTRY[name] if name in OF_AN_ENTRY else 0
        cost = f"{(taken - base) / count * 1e9:11.0f}" if count else f"{'-':>11}"
        print(f"{name:20}{taken:10.3f}{taken / base:13.2f}{events[name]:12,}{cost}")


def boot(kernel: Path, rounds: int) -> None:
    """Prints what it costs to record all functions of a boot."""

    def trace(tracer: str) -> Callable[[LinuxMachine], None]:
        return lambda machine: machine.tracefs.write("current_tracer", tracer)

    kinds: dict[str, Callable[[LinuxMachine], None] | None] = {"untraced": None}
    kinds |= {tracer: trace(tracer) for tracer in ("function", "function_graph")}
    least: dict[str, float] = {}
    count: dict[str, int] = {}
    for _ in range(rounds):
        for name, prepare in kinds.items():
            start = time.process_time()
            with LinuxMachine(kernel=kernel, cpus=2, fresh=True, prepare=prepare) as machine:
                taken = time.process_time() - start
                least[name] = min(least.get(name, taken), taken)
                if prepare is not None:
                    count[name] = sum(ring.entries + ring.overrun for ring in machine.trace_array.recorder.rings)
    print("\nboot: from the first instruction to the first command, 2 CPUs")
    for name, taken in least.items():
        print(f"{name:20}{taken:10.3f} s{taken / least['untraced']:8.2f} of untraced {count.get(name, 0):14,} events")


def of_peer(kernel: Path, rounds: int, directory: Path | None) -> None:
    """Prints what a call costs that Linux's own function_graph records, under QEMU."""
    found = peer.fetch(directory)
    busybox = find_busybox(peer.ARCH, load(peer.ARCH).elf_machine)
    with tempfile.NamedTemporaryFile() as root:
        root.write(linux.root_of(busybox, []))
        root.flush()
        qemu = linux.Qemu(linux.Files(found / "qemu", kernel, busybox, Path(root.name)), 1, "QEMU")
        plain = QEMU_TRACED.format(BUSY).replace("echo function_graph", "echo nop")
        pairs = [(qemu.run(plain), qemu.run(QEMU_TRACED.format(BUSY))) for _ in range(rounds)]
        text = qemu.output(QEMU_COUNTED.format(BUSY))
    stats = (line.split(b":") for line in text.splitlines() if line.startswith((b"entries", b"overrun")))
    traced_calls = sum(int(words[1]) for words in stats) // 2
    untraced, traced = (min(column) for column in zip(*pairs, strict=True))
    cost = (traced - untraced) / traced_calls * 1e9
    print(f"\npeer: QEMU, function_graph inside: {untraced:.2f} s untraced, {traced:.2f} s traced")
    print(f"{traced_calls:,} calls, {cost:.0f} ns a call")


def memory(kernel: Path) -> None:
    """Prints how much memory a long recording takes beside an untraced run."""

    def peak(words: Sequence[str]) -> int:
        """The most memory that a command had, in KiB."""
        process = subprocess.Popen([sys.executable, "-m", "emu", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, process.args)
        return usage.ru_maxrss

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.dat"
        machine = [f"--linux={kernel}", "--cpus", "2"]
        plain = peak(["run", *machine, "--", LONG])
        traced = peak(["record", *machine, "-p", "function", "-o", str(file), "--", LONG])
        size = file.stat().st_size
    print(f"\nmemory: {plain >> 10} MiB untraced, {traced >> 10} MiB while {size / 1e6:.0f} MB were recorded")
    print(f"{traced - plain >> 10} MiB more")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", type=Path, metavar="VMLINUZ", help="default: the one that `emu linux list` marks")
    parser.add_argument("--peer", type=Path, metavar="DIR", help="the folder of QEMU")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    arguments = parser.parse_intermixed_args()
    kernel = arguments.kernel or find_kernel(None)
    chosen = arguments.parts or PARTS
    print(f"{kernel}, {arguments.rounds} rounds")
    if "calls" in chosen:
        calls(kernel, arguments.rounds)
    if "boot" in chosen:
        boot(kernel, arguments.rounds)
    if "peer" in chosen:
        try:
            of_peer(kernel, arguments.rounds, arguments.peer)
        except (peer.NoPeer, BadUserland, linux.Failed) as why:
            print(f"\npeer: not measured: {why}")
    if "memory" in chosen:
        memory(kernel)


if __name__ == "__main__":
    main()
