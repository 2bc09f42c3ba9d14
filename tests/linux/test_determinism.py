# SPDX-License-Identifier: GPL-2.0-only
"""The same machine is the same on every run, from its first instruction on; whether it was kept, and whatever looks at it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from emu.cpu import cpu as cpu_module
from emu.cpu.cpu import Cpu
from emu.linux.machine import LinuxMachine
from emu.linux.symbols import Symbols
from tests.lib.linux_kernel import machines_kept_in

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

BUSY = "for n in 1 2 3; do (dd if=/dev/zero bs=64k count=20 | sha1sum) 2>&1 & done; wait; cat /proc/interrupts /proc/uptime"

SHORT = "for n in 1 2 3; do uname -a | cat & done; wait; cat /proc/interrupts /proc/uptime"
LOUD = "loglevel=8"

Run = tuple[object, ...]


def run(machine: LinuxMachine, command: str = BUSY) -> Run:
    """What a command prints, and the state in which it leaves the machine: all counts, all registers, all of RAM."""
    done = machine.run(command)
    assert (done.status, done.errors) == (0, b"")
    counts = [(cpu.cycles, cpu.instructions, cpu.record.taken, cpu.record.slept) for cpu in machine.board.cpus]
    registers = [dict(cpu.registers()) for cpu in machine.board.cpus]
    return done.output, counts, registers, hashlib.sha256(machine.board.ram).hexdigest()


def fresh(kernel: Path, cpus: int, seed: int = 0) -> tuple[bytes, Run]:
    """Boots a machine. Returns its console and what `run` finds."""
    console = bytearray()
    parameters = {"cpus": cpus, "seed": seed, "command_line": LOUD, "console": console.extend}
    with LinuxMachine(kernel=kernel, fresh=True, **parameters) as machine:
        found = run(machine)
    return bytes(console), found


@pytest.fixture(scope="module")
def booted_fresh(real_kernel: Path) -> tuple[bytes, Run]:
    """Of two CPUs."""
    return fresh(real_kernel, 2)


CPUS = [2, *(pytest.param(cpus, marks=pytest.mark.long("boots four times")) for cpus in (1, 8, 16))]


@pytest.mark.parametrize("cpus", CPUS)
def test_twice_and_kept_and_restored(
    real_kernel: Path, no_machines: Path, tmp_path: Path, booted_fresh: tuple[bytes, Run], cpus: int
) -> None:
    console, first = booted_fresh if cpus == 2 else fresh(real_kernel, cpus)
    assert b"Linux version" in console
    assert fresh(real_kernel, cpus) == (console, first)
    again = bytearray()
    with LinuxMachine(kernel=real_kernel, cpus=cpus, command_line=LOUD, console=again.extend) as machine:
        before = machine.checkpoint()
        machine.save(tmp_path / "saved")
        assert run(machine) == first
        assert bytes(again) == console
        machine.restore(before)
        assert run(machine) == first
    with LinuxMachine(kernel=real_kernel, cpus=cpus, command_line=LOUD, console=again.extend) as machine:
        assert run(machine) == first
    assert bytes(again) == console
    with LinuxMachine.load(tmp_path / "saved") as machine:
        assert run(machine) == first


def test_another_seed_is_another_run(real_kernel: Path, booted_fresh: tuple[bytes, Run]) -> None:
    assert fresh(real_kernel, 2, seed=1) != booted_fresh


def test_a_small_buffer_of_translations_changes_nothing(
    kept_machines: Path, real_kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LinuxMachine(kernel=real_kernel) as machine:
        usual = run(machine)
    monkeypatch.setattr(cpu_module, "TRANSLATION_BUFFER", 2 << 20)
    with LinuxMachine(kernel=real_kernel) as machine:
        assert run(machine) == usual


SOME = ("schedule", "vfs_write", "handle_mm_fault")


@pytest.fixture(scope="module")
def unseen(machines_folder: Path, real_kernel: Path) -> Run:
    """At which nothing looks."""
    with machines_kept_in(machines_folder), LinuxMachine(kernel=real_kernel) as machine:
        return run(machine, SHORT)


@pytest.mark.parametrize("chosen", ["none", "some", "all"])
def test_what_looks_changes_nothing(
    kept_machines: Path, real_kernel: Path, real_symbols: Symbols, unseen: Run, chosen: str
) -> None:
    """Handlers that run before the first block of functions."""
    start, end = (real_symbols.address(name) for name in ("_stext", "_etext"))
    assert start and end
    functions = {"none": [], "some": [real_symbols.address(name) for name in SOME], "all": _within(real_symbols, start, end)}
    calls: dict[int, int] = {}

    def count(cpu: Cpu, address: int) -> None:
        calls[address] = calls.get(address, 0) + 1

    with LinuxMachine(kernel=real_kernel) as machine:
        machine.board.callouts.look_at_blocks(start, end)
        handler = machine.board.python_handler(count)
        for function in functions[chosen]:
            machine.board.callouts.dispatch(function, handler)
        assert run(machine, SHORT) == unseen
    assert calls.keys() <= set(functions[chosen])
    assert len(calls) >= {"none": 0, "some": len(SOME), "all": 500}[chosen]


def _within(symbols: Symbols, start: int, end: int) -> list[int]:
    return [address for address in symbols.addresses.tolist() if start <= address < end]
