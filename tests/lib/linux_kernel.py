# SPDX-License-Identifier: GPL-2.0-only
"""The Linux kernel that tests boot, and the machines that have booted it: one boot serves all processes of a session."""

from __future__ import annotations

import fcntl
import functools
import lzma
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from emu.linux import store
from emu.linux.fetch import NotFetched, fetch
from emu.linux.find import kernels
from emu.linux.machine import LinuxMachine
from emu.native.cache import cache_directory

__all__ = ["VARIABLE", "boot_once", "insert", "kernel_for_tests", "locked", "machines_kept_in", "module_file", "shared_folder"]

VARIABLE = "EMU_TEST_KERNEL"  # names a kernel to use instead
VERSION = "6.1."  # of `emu linux fetch`; others still do work of their boot when the first command runs


def kernel_for_tests() -> Path:
    """$EMU_TEST_KERNEL; else a kernel of the version VERSION, which is fetched once; else any other.

    Without any, the test is skipped.
    """
    found = _find()
    if isinstance(found, str):
        pytest.skip(f"needs a Linux kernel: {found}")
    return found


@functools.cache
def _find() -> Path | str:
    """The kernel; or why there is none."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    cache = cache_directory()
    if cache is None:
        return "there is no folder for what is fetched"
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "fetching-for-tests.lock"):
        found = kernels()
        same = [kernel.path for kernel in found if kernel.version.startswith(VERSION)]
        try:
            return same[0] if same else fetch(None, None).path
        except (NotFetched, OSError) as error:
            return found[0].path if found else str(error)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time is in the body."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def shared_folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """A temporary folder that all processes of a session share."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def machines_kept_in(folder: Path) -> Iterator[None]:
    """During the body, booted machines are kept in a folder of the tests', not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "cache_directory", lambda: folder)
        yield


def boot_once(kernel: Path, folder: Path, console: Callable[[bytes], object] | None = None) -> LinuxMachine:
    """A machine with the default configuration. The first process that asks boots it, and keeps it in the folder."""
    with locked(folder / "lock"), machines_kept_in(folder):
        return LinuxMachine(kernel=kernel, console=console)


def module_file(kernel: Path, name: str) -> bytes:
    """A module of a kernel, as it is loaded. Without it, the test is skipped."""
    folder = kernel.parents[1] / "lib" / "modules" / kernel.name.removeprefix("vmlinuz-")
    for suffix, unpack in ((".ko", bytes), (".ko.xz", lzma.decompress)):
        for path in folder.rglob(name + suffix):
            return unpack(path.read_bytes())
    pytest.skip(f"needs the module {name} of {kernel.name}")


def insert(machine: LinuxMachine, kernel: Path, name: str) -> None:
    """Loads a module into a guest."""
    done = machine.run(f"cat > /tmp/{name}.ko && insmod /tmp/{name}.ko", stdin=module_file(kernel, name))
    assert (done.status, done.errors) == (0, b""), done
