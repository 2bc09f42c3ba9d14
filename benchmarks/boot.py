# SPDX-License-Identifier: GPL-2.0-only
"""How long `emu run -- true` takes as a whole process, how much of that is the guest's boot, and how much memory it needs, on
each architecture. The peer is a bare Python that imports the same libraries.

    ./venv python benchmarks/boot.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from arches import ARCHES

from emu.machine import Machine

ROUNDS = 3
CPUS = 2
IMPORTS = "import unicorn, numba, numpy, capstone, elftools, click"


def best_of(command: list[str]) -> tuple[float, int]:
    """Seconds and MiB that a process takes: the shortest of several runs, and its peak resident memory."""
    best, resident = float("inf"), 0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        best = min(best, time.perf_counter() - start)
        resident = max(resident, used.ru_maxrss >> 10)
    return best, resident


class TimedMachine(Machine):
    """A machine that notes how long the guest took to boot."""

    def _boot(self, at: int, booting: Callable[[int], None]) -> None:
        start = time.process_time()
        super()._boot(at, booting)
        self.boot_seconds = time.process_time() - start


def main() -> None:
    peer, _ = best_of([sys.executable, "-c", IMPORTS])
    print(f"importing the libraries takes {peer:.2f} s")
    print(f"{'':10}{'emu run -- true':>16}{'/ importing':>13}{'resident':>10}   guest boot, {CPUS} CPUs")
    # Before this process makes machines: a forked process starts with the peak memory of its parent.
    run = [sys.executable, "-m", "emu", "run", "-o", os.devnull, "--cpus", str(CPUS)]
    processes = {arch: best_of([*run, "--arch", arch, "--", "true"]) for arch in ARCHES}
    for arch, (whole, resident) in processes.items():
        boots = [TimedMachine(arch=arch, cpus=CPUS) for _ in range(ROUNDS)]
        guest = min(machine.boot_seconds for machine in boots)
        instructions = sum(cpu.instructions for cpu in boots[0].board.cpus)
        print(
            f"{arch:10}{whole:14.2f} s{whole / peer:13.1f}{resident:6} MiB   {guest:.2f} s of processor time, "
            f"{instructions / 1e6:.1f} million instructions"
        )


if __name__ == "__main__":
    main()
