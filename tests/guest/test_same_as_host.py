# SPDX-License-Identifier: GPL-2.0-only
"""Programs whose output on the host, a real x86-64 CPU, must equal that in the guest."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.commands import run
from tests.lib.host_compiler import compile_static

HERE = Path(__file__).parent
PROGRAMS = ("string_faults", "fp_flags")
CASES = (
    "scalars",
    "conversions",
    "packed",
    "comparisons",
    "environment",
    "rounding",
    "flushing",
    "x87-apart",
    "x87",
    "areas",
    "signals",
    "tasks",
)


@dataclass(frozen=True)
class Both:
    """A guest, and the same programs on the host."""

    guest: Machine
    folder: Path

    def outputs(self, program: str, argument: str) -> tuple[list[str], list[str]]:
        """The output of a program in the guest and on the host."""
        there = subprocess.run([self.folder / program, argument], stdout=subprocess.PIPE, timeout=20, check=True)
        return run(self.guest, f"/p/{program} {argument}").splitlines(), there.stdout.decode().splitlines()


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        pytest.skip("needs an x86-64 Linux host")
    folder = tmp_path_factory.mktemp("programs")
    for name in PROGRAMS:
        compile_static("x86_64", (HERE / f"{name}.c").read_text(), folder / name)
    with Machine(cpus=2, shares=[Share(folder, "/p")]) as machine:
        yield Both(machine, folder)
        assert machine.warnings == []


def test_string_instructions(both: Both, tmp_path: Path) -> None:
    """Faults at every place, demand paging, the kernel's copies, a timer, new code."""
    here, there = both.outputs("string_faults", "/tmp/string_faults")
    assert here == there


@pytest.mark.parametrize("case", CASES)
def test_floating_point_exceptions(both: Both, case: str) -> None:
    here, there = both.outputs("fp_flags", case)
    assert here == there
