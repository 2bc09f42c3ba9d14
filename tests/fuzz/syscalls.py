# SPDX-License-Identifier: GPL-2.0-only
"""Random system calls with random arguments: nothing that a program does may harm the kernel or the host.

    python -m tests.fuzz.syscalls [COUNT [SEED [ARCH]]]
"""

from __future__ import annotations

import sys

from emu.machine import Machine

__all__ = ["run"]

CALLS_PER_MACHINE = 20_000


def run(count: int, seed: int, arch: str) -> str:
    """Makes `count` calls, on machines that differ by their seed. Returns what the guest says of the last of them.

    Raises:
        GuestPanic: a program has ended the kernel.
        AssertionError: the guest is no longer well.
    """
    said = ""
    while count > 0:
        calls = min(count, CALLS_PER_MACHINE)
        with Machine(arch=arch, cpus=2, seed=seed) as machine:
            done = machine.run(f"syscallfuzz {seed} {calls}")
            said = done.output.decode()
            assert done.status == 0, (seed, said)
            assert machine.run("ls / | sed s/bin/well/ | cat").output.startswith(b"well\n"), seed
            assert machine.warnings == [], (seed, machine.warnings)
        count -= calls
        seed += 1
    return said


def main() -> None:
    count, seed = (int(text) for text in [*sys.argv[1:3], "100000", "1"][:2]) if len(sys.argv) > 2 else (100_000, 1)
    for arch in sys.argv[3:] or ["x86_64", "sparc64"]:
        print(arch, run(count, seed, arch).strip(), flush=True)


if __name__ == "__main__":
    main()
