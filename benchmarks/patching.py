# SPDX-License-Identifier: GPL-2.0-only
"""Switching every call site of the guest between nop and call, with 4 busy CPUs, on each architecture by each of its protocols.
The protocols are each other's peers: what patching costs while CPUs run, and what it costs when all of them are stopped.

    ./venv python benchmarks/patching.py [SWITCHES]
"""

from __future__ import annotations

import sys
import time

from arches import ARCHES

from emu.ftrace import arch as ftrace_arch
from emu.machine import Machine

WORKLOAD = "busy 8 1000000 &"
CPUS = 4


def switch(arch: str, protocol: str, switches: int) -> float:
    """Seconds of processor time for a switch; prints one line."""
    with Machine(arch=arch, cpus=CPUS, timing="static") as machine:
        machine.patching.protocol = protocol
        machine.tracefs.write("tracing_on", "0")
        machine.run(WORKLOAD)
        before = machine.board.now
        start = time.process_time()
        for n in range(switches):
            machine.tracefs.write("current_tracer", "nop" if n % 2 else "function")
        taken = (time.process_time() - start) / switches
        guest = machine.board.nanoseconds(machine.board.now - before) / switches
        hits = machine.patching.breakpoints_hit
        print(
            f"{arch:>8} {protocol:>12}: {switches} switches of {len(machine.ftrace.sites)} sites, {taken * 1e3:6.2f} ms of "
            f"processor time and {guest / 1e3:6.1f} us guest time each, {hits} breakpoints hit"
        )
        assert not machine.warnings, machine.warnings
        return taken


def main() -> None:
    switches = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for arch in ARCHES:
        costs = {protocol: switch(arch, protocol, switches) for protocol in ftrace_arch.load(arch).protocols}
        default, *others = costs
        for other in others:
            print(f"{arch:>8} {default} costs {costs[default] / costs[other]:.2f} times what {other} does")


if __name__ == "__main__":
    main()
