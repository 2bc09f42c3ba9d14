# SPDX-License-Identifier: GPL-2.0-only
"""The same command gives the same bytes: in two processes, with natives compiled anew and taken from the cache."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from emu.machine import Machine
from tests.lib.arches import FACTS

COMMAND = "ls /bin | sed s/[aeiou]/z/g"


def run(arch: str, cache: Path | None = None) -> tuple[bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "emu", "run", "--arch", arch, "-p", "function_graph", "--", COMMAND],
        env=os.environ | ({"EMU_CACHE_DIR": str(cache)} if cache else {}),
        capture_output=True,
        check=True,
    )
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An initially empty cache; the second architecture may use what the first one leaves there."""
    return tmp_path_factory.mktemp("cache")


def test_two_processes_give_the_same_bytes(arch: str) -> None:
    first = run(arch)
    assert run(arch) == first
    assert len(first[0]) > 100_000


@pytest.mark.long("everything is compiled anew")
def test_a_cold_and_a_warm_cache_give_the_same_bytes(arch: str, cache: Path) -> None:
    before = set(cache.rglob("*.nbc"))
    cold = run(arch, cache)
    compiled = set(cache.rglob("*.nbc"))
    assert before < compiled
    warm = run(arch, cache)
    assert cold == warm
    assert set(cache.rglob("*.nbc")) == compiled  # nothing has been compiled twice
    assert len(cold[0]) > 100_000


def functions(arch: str, seed: int) -> tuple[str, bytes]:
    with Machine(arch=arch, cpus=2, seed=seed) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("current_tracer", "function")
        done = machine.run(COMMAND, trace=True)
        assert done.status == 0
        return machine.tracefs.read("trace"), done.output


def test_another_seed_gives_another_interleaving_and_the_same_result(arch: str) -> None:
    first, again, other = functions(arch, 0), functions(arch, 0), functions(arch, 2)
    assert first == again
    assert first[0] != other[0]
    assert first[1] == other[1]


def digest_of_ram(arch: str, pause: float) -> str:
    """A digest of RAM after a command that keeps many CPUs busy; the host pauses for `pause` seconds again and again."""
    cpus = FACTS[arch].cpus[-1]
    with Machine(arch=arch, cpus=cpus, seed=cpus) as machine:
        run, turns = machine.kernel.run, itertools.count(1)

        def run_with_pauses() -> bool:
            if pause and next(turns) % 5 == 0:
                time.sleep(pause)
            return run()

        machine.kernel.run = run_with_pauses  # type: ignore[method-assign]
        assert machine.run(f"busy {cpus} 1").status == 0
        return hashlib.sha256(machine.board.ram).hexdigest()


def test_a_host_that_halts_changes_nothing(arch: str) -> None:
    # QEMU checks the host's clock for whether a tenth of a second has passed since it last chose the size of a soft TLB.
    assert digest_of_ram(arch, 0.11) == digest_of_ram(arch, 0)
