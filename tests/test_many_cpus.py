# SPDX-License-Identifier: GPL-2.0-only
"""As many CPUs as the architecture has: they boot, and traces show which is which."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from emu.cpu import arch as cpu_arch
from emu.machine import Machine

GIB = 1 << 30
TICK = ("run_local_timers", "hrtimer_run_queues", "raise_softirq", "softlockup_tick", "__touch_softlockup_watchdog")
BUSY = (2, 64, 127)  # CPUs; the others sleep, without a tick


def test_sparc64_has_128() -> None:
    assert cpu_arch.load("sparc64").max_cpus == 128
    with pytest.raises(ValueError, match="129 CPUs: sparc64 has 1 to 128"):
        Machine(arch="sparc64", cpus=129)


# A process begins with the peak of the one that it was forked from: here a small one stands between.
MEASURE = """\
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_all_of_them_boot_within_2_gib(arch: str, tmp_path: Path) -> None:
    cpus = cpu_arch.load(arch).max_cpus
    Machine(arch=arch, cpus=1).close()  # compiles what is native, once
    machine = ["--arch", arch, "--cpus", str(cpus), "-o", str(tmp_path / "trace.txt")]
    command = [sys.executable, "-c", MEASURE, sys.executable, "-m", "emu", "run", *machine, "--", "exit 7"]
    measured = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    status, kib = map(int, measured.split())
    assert status == 7
    assert kib * 1024 < 2 * GIB


def test_a_tick_on_a_cpu_of_three_digits_is_that_of_seed_004() -> None:
    with Machine(arch="sparc64", cpus=128, quantum=20_000) as machine:
        machine.tracefs.write("set_ftrace_filter", " ".join(TICK))
        machine.tracefs.write("current_tracer", "function_graph")
        assert machine.run("".join(f"taskset -c {cpu} spin 30 & " for cpu in BUSY) + "wait").status == 0
        text = machine.tracefs.read("trace")
    assert text.startswith("# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n")
    rows = [line for line in text.splitlines() if re.match(r" [ \d]{3}\) ", line) and " => " not in line]
    width = len("  64)   2.637 us    |")
    assert {line[width - 1] for line in rows} == {"|"}
    calls = {cpu: [line[width:] for line in rows if int(line[1:4]) == cpu] for cpu in BUSY}
    tick = [
        "  run_local_timers() {",
        "    hrtimer_run_queues();",
        "    raise_softirq();",
        "    softlockup_tick() {",
        "      __touch_softlockup_watchdog();",
        "    }",
        "  }",
    ]
    # A tick that interrupts what cannot be preempted does not touch the watchdog.
    for lines in calls.values():
        assert any(lines[first : first + len(tick)] == tick for first in range(len(lines)))
