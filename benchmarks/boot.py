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
        subprocess.run(command, check=True)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    whole = seconds([sys.executable, "-m", "emu", "run", "--", "true"])
    resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    peer = seconds([sys.executable, "-c", IMPORTS])
    guest = float("inf")
    for _ in range(ROUNDS):
        machine = Machine(cpus=2, defer_boot=True)
        start = time.perf_counter()
        machine.boot()
        guest = min(guest, time.perf_counter() - start)
        instructions = sum(cpu.instructions for cpu in machine.board.cpus)
        machine.close()
    print(f"emu run -- true        {whole:6.2f} s, {whole / peer:.1f} times importing its libraries ({peer:.2f} s)")
    print(f"guest boot, 2 CPUs     {guest:6.2f} s, {instructions / 1e6:.1f} million instructions")
    print(f"resident, 2 CPUs       {resident:6d} MiB")


if __name__ == "__main__":
    main()
