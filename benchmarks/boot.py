# SPDX-License-Identifier: GPL-2.0-only
"""How long `emu run -- true` takes as a whole process, how much of it is the guest's boot, and how much memory it needs.
The peer is a bare Python that imports the same libraries.

    ./venv python benchmarks/boot.py
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from emu.machine import Machine

ROUNDS = 3
IMPORTS = "import unicorn, numba, numpy, capstone, elftools, click, rich"


def seconds(command: list[str]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best


class TimedMachine(Machine):
    """Notes how long the guest took to boot."""

    def _boot(self, at: int) -> None:
        start = time.perf_counter()
        super()._boot(at)
        self.boot_seconds = time.perf_counter() - start


def main() -> None:
    whole = seconds([sys.executable, "-m", "emu", "run", "--", "true"])
    resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    peer = seconds([sys.executable, "-c", IMPORTS])
    boots = [TimedMachine(cpus=2) for _ in range(ROUNDS)]
    guest = min(machine.boot_seconds for machine in boots)
    instructions = sum(cpu.instructions for cpu in boots[0].board.cpus)
    print(f"emu run -- true        {whole:6.2f} s, {whole / peer:.1f} times importing its libraries ({peer:.2f} s)")
    print(f"guest boot, 2 CPUs     {guest:6.2f} s, {instructions / 1e6:.1f} million instructions")
    print(f"resident, 2 CPUs       {resident:6d} MiB")


if __name__ == "__main__":
    main()
