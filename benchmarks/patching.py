# SPDX-License-Identifier: GPL-2.0-only
"""Switching every site of the guest between nop and call, with 4 busy CPUs, by both protocols.
The peers are each other: what the breakpoints cost beside stopping all CPUs.

    ./venv python benchmarks/patching.py [SWITCHES]
"""

from __future__ import annotations

import sys
import time

from emu.machine import Machine

WORKLOAD = "busy 8 1000000 &"
CPUS = 4


def switch(protocol: str, switches: int) -> float:
    """Microseconds of host time a switch; prints one line."""
    with Machine(cpus=CPUS) as machine:
        machine.engine.protocol = protocol
        machine.tracefs.write("tracing_on", "0")
        machine.run(WORKLOAD)
        before = machine.board.now
        start = time.perf_counter()
        for n in range(switches):
            machine.tracefs.write("current_tracer", "nop" if n % 2 else "function")
        taken = (time.perf_counter() - start) / switches
        guest = machine.board.nanoseconds(machine.board.now - before) / switches
        hits = machine.engine.driver.breakpoints_hit
        print(
            f"{protocol:>12}: {switches} switches of {len(machine.engine.sites)} sites, {taken * 1e3:6.2f} ms host and "
            f"{guest / 1e3:6.1f} us guest time each, {hits} breakpoints hit"
        )
        assert not machine.warnings, machine.warnings
        return taken


def main() -> None:
    switches = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    synced = switch("breakpoint", switches)
    stopped = switch("stop_machine", switches)
    print(f"breakpoints cost {synced / stopped:.2f} times what stopping the machine does")


if __name__ == "__main__":
    main()
