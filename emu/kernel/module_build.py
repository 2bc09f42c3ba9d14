# SPDX-License-Identifier: GPL-2.0-only
"""Builds the user's kernel modules for the guest, from a folder, with the host's make and gcc: firmware/module.mk."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from emu.installation import firmware_directory, image_directory
from emu.kernel.cpio import read_entries

__all__ = ["CannotBuild", "build_modules"]

_UNSAFE = re.compile(r"[\s:;#$%\\'\"*?]")  # these have a special meaning for make


class CannotBuild(ValueError):
    """The folder does not exist or has nothing to build, the compiler is missing, or the sources do not compile."""


def build_modules(folder: Path, arch: str, to: Path) -> list[Path]:
    """Builds the modules of a folder. The output of make and the compiler goes to standard error.

    Args:
        folder: has the sources, with a Kbuild or a Makefile like those of Linux's modules (`obj-m := hello.o`). Without these,
        all
            sources form one module with the folder's name.
        arch: the architecture's name.
        to: the folder for NAME.ko. It is created if it does not exist.

    Returns:
        The files, sorted.

    Raises:
        CannotBuild: see there.
        OSError: `to` cannot be written.
    """
    folder, to = folder.resolve(), to.resolve()
    if not folder.is_dir():
        raise CannotBuild(f"{folder} is no folder")
    if not any(folder.glob("*.[cS]")):
        raise CannotBuild(f"{folder} has no sources: a module is made of .c and .S files")
    for path in (folder, to):
        if found := _UNSAFE.search(str(path)):
            raise CannotBuild(f"make cannot work with the name {str(path)!r}: it has {found[0]!r} in it")
    _check_tools(arch)
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="emu-module-") as name:
        work = Path(name)
        built, made = work / "built", work / "made"
        built.mkdir()
        _extract_modules(arch, built)
        words = (f"M={folder}", f"obj={made}", f"kernel={image_directory(arch) / 'vmlinux'}", f"built={built}")
        done = subprocess.run(_make(arch, *words, "modules"), stdout=sys.stderr, check=False)
        if done.returncode:
            raise CannotBuild(f"{folder}: no module could be built of it")
        return [Path(shutil.copy(module, to / module.name)) for module in sorted(made.glob("*.ko"))]


def _make(arch: str, *words: str) -> Sequence[str]:
    firmware = firmware_directory()
    python = f"PYTHON={sys.executable}"
    return ["make", "--silent", "--no-print-directory", "-C", str(firmware), "-f", "module.mk", f"ARCH={arch}", python, *words]


def _check_tools(arch: str) -> None:
    """Raises CannotBuild if make or the compiler is missing."""
    if shutil.which("make") is None:
        raise CannotBuild("building a module needs make (on Debian: apt-get install make)")
    asked = _make(arch, "M=/nonexistent", "obj=/nonexistent", "compiler")
    compiler = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if shutil.which(compiler) is None:
        target = compiler.removesuffix("gcc").rstrip("-")
        package = f"gcc-{target}" if target else "gcc"
        raise CannotBuild(f"building a module for {arch} needs {compiler} (on Debian: apt-get install {package})")


def _extract_modules(arch: str, folder: Path) -> None:
    """Extracts the modules of the guest's initramfs, whose exports other modules may use."""
    for entry in read_entries((image_directory(arch) / "initramfs.cpio").read_bytes()):
        path = PurePosixPath(entry.name)
        if path.suffix == ".ko":
            (folder / path.name).write_bytes(entry.data)
