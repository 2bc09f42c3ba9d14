# SPDX-License-Identifier: GPL-2.0-only
"""As many CPUs as the architecture supports: they boot, and traces tell them apart."""

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


def test_sparc64_has_128() -> None:
    assert cpu_arch.load("sparc64").max_cpus == 128
    with pytest.raises(ValueError, match="129 CPUs: sparc64 has 1 to 128"):
        Machine(arch="sparc64", cpus=129)


# A process begins with the peak memory of its parent: here a small process is in between.
MEASURE = """\
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.long("128 CPUs", but="x86_64")
def test_all_of_them_boot_within_2_gib_and_a_trace_says_which_is_which(arch: str, tmp_path: Path) -> None:
    """A tick on the CPU with the highest number is the same as on the others."""
    most = cpu_arch.load(arch).max_cpus
    cpus = (2, most // 2, most - 1)
    Machine(arch=arch, cpus=1).close()  # compiles the native code once
    options = ["--arch", arch, "--cpus", str(most), "--quantum", "20000", "-o", str(tmp_path / "trace.txt")]
    options += ["-p", "function_graph", *(word for function in TICK for word in ("-l", function))]
    work = "".join(f"taskset -c {cpu} spin 8 & " for cpu in cpus) + "wait; exit 7"
    command = [sys.executable, "-c", MEASURE, sys.executable, "-m", "emu", "run", *options, "--", work]
    measured = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    status, kib = map(int, measured.split())
    assert status == 7
    assert kib * 1024 < 2 * GIB
    text = (tmp_path / "trace.txt").read_text()
    assert text.startswith("# tracer: function_graph\n#\n# CPU  DURATION                  FUNCTION CALLS\n")
    digits = len(str(most - 1))
    rows = [line for line in text.splitlines() if re.match(rf" [ \d]{{{digits}}}\) ", line) and " => " not in line]
    width = 1 + digits + len(")   2.637 us    |")
    assert {line[width - 1] for line in rows} == {"|"}
    tick = [
        "  run_local_timers() {",
        "    hrtimer_run_queues();",
        "    raise_softirq();",
        "    softlockup_tick() {",
        "      __touch_softlockup_watchdog();",
        "    }",
        "  }",
    ]
    # A tick that interrupts non-preemptible code does not touch the watchdog.
    for cpu in cpus:
        lines = [line[width:] for line in rows if int(line[1 : 1 + digits]) == cpu]
        assert any(lines[first : first + len(tick)] == tick for first in range(len(lines))), cpu
