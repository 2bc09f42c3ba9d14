# SPDX-License-Identifier: GPL-2.0-only
"""Folders for each test: what one keeps, another does not find. A real kernel, and machines that have booted it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.linux.checkpoint import LinuxCheckpoint
from emu.linux.image import read_kernel
from emu.linux.machine import LinuxMachine
from emu.linux.symbols import Symbols
from tests.lib.linux_kernel import boot_once, kernel_for_tests, machines_kept_in, shared_folder


@pytest.fixture(scope="session")
def real_kernel() -> Path:
    """The kernel that tests boot."""
    return kernel_for_tests()


@pytest.fixture(scope="session")
def real_symbols(real_kernel: Path) -> Symbols:
    return Symbols(read_kernel(real_kernel))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of kernels."""
    folder = tmp_path / "cache"
    for module in ("kept", "find"):
        monkeypatch.setattr(f"emu.linux.{module}.cache_directory", lambda: folder)
    return folder


@pytest.fixture
def boot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty /boot."""
    folder = tmp_path / "boot"
    folder.mkdir()
    monkeypatch.setattr("emu.linux.find.BOOT", folder)
    return folder


# Machines


@pytest.fixture(scope="session")
def machines_folder(real_kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's booted machines are: at least the one with the default configuration."""
    folder = shared_folder(tmp_path_factory, "linux-machines")
    boot_once(real_kernel, folder).close()
    return folder


@pytest.fixture
def kept_machines(machines_folder: Path) -> Iterator[Path]:
    """During a test, machines with the default configuration are booted already."""
    with machines_kept_in(machines_folder):
        yield machines_folder


@pytest.fixture
def no_machines(tmp_path: Path) -> Iterator[Path]:
    """An empty folder of kept machines."""
    folder = tmp_path / "machines-of-this-test"
    with machines_kept_in(folder):
        yield folder


@pytest.fixture(scope="session")
def booted(real_kernel: Path, machines_folder: Path) -> Iterator[tuple[LinuxMachine, LinuxCheckpoint]]:
    """The machine of `shared`, and its state after the boot."""
    with boot_once(real_kernel, machines_folder) as machine:
        yield machine, machine.checkpoint()


@pytest.fixture
def shared(booted: tuple[LinuxMachine, LinuxCheckpoint]) -> Iterator[LinuxMachine]:
    """A booted machine with two CPUs, for tests that leave it as they found it, waiting for a command."""
    machine, _ = booted
    machine.warnings.clear()
    yield machine
    assert machine.warnings == []


@pytest.fixture
def machine(shared: LinuxMachine, booted: tuple[LinuxMachine, LinuxCheckpoint]) -> Iterator[LinuxMachine]:
    """The same machine, in its state after the boot, for tests that leave something behind."""
    _, after_boot = booted
    shared.restore(after_boot)
    yield shared
    shared.restore(after_boot)
