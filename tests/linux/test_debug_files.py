# SPDX-License-Identifier: GPL-2.0-only
"""Debug information is taken if it is of the same build as the kernel."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from emu.linux import debug_files
from emu.linux.debug_files import debug_folder, debug_modules, debug_vmlinux
from emu.linux.image import Kernel
from tests.lib.needs import needs

VERSION = "6.1.0-test"


def built(folder: Path, build: str, *options: str) -> bytes:
    """An ELF file with the notes of a build."""
    source = folder / "source.c"
    source.write_text(f'const char note[] __attribute__((section(".notes"))) = "{build}";\nint main(void) {{ return 0; }}\n')
    subprocess.run(["gcc", *options, "-nostdlib", "-r", str(source), "-o", str(folder / "built")], check=True)
    return (folder / "built").read_bytes()


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """A kernel that was fetched."""
    monkeypatch.setattr(debug_files, "INSTALLED", tmp_path / "installed")
    path = tmp_path / "kernels" / VERSION / "boot" / f"vmlinuz-{VERSION}"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"packed")
    return Kernel(path, "", b"", built(tmp_path, "one"), (), 0, VERSION)


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@needs("gcc")
def test_only_what_is_of_the_same_build_is_taken(kernel: Kernel, tmp_path: Path) -> None:
    name = f"boot/vmlinux-{VERSION}"
    assert debug_vmlinux(kernel) is None
    fetched = put(debug_folder(kernel.path) / name, built(tmp_path, "two", "-g"))
    assert debug_vmlinux(kernel) is None
    installed = put(tmp_path / "installed" / name, built(tmp_path, "one", "-g"))
    assert debug_vmlinux(kernel) == installed
    fetched.write_bytes(built(tmp_path, "one"))  # without debug information
    assert debug_vmlinux(kernel) == installed
    fetched.write_bytes(built(tmp_path, "one", "-g"))
    assert debug_vmlinux(kernel) == fetched
    fetched.write_bytes(b"\x7fELF, and damaged")
    assert debug_vmlinux(kernel) == installed


@needs("gcc")
def test_a_tree_in_which_a_kernel_was_built(kernel: Kernel, tmp_path: Path) -> None:
    path = put(tmp_path / "tree/arch/any/boot/bzImage", b"packed")
    vmlinux = put(tmp_path / "tree/vmlinux", built(tmp_path, "one", "-g"))
    assert debug_vmlinux(Kernel(path, "", b"", kernel.vmlinux, (), 0, VERSION)) == vmlinux


@needs("gcc")
def test_modules_are_found_by_their_names(kernel: Kernel, tmp_path: Path) -> None:
    assert debug_modules(kernel.path) == {}
    other = put(tmp_path / "installed/lib/modules" / VERSION / "kernel/drivers/a-b.ko", b"")
    assert debug_modules(kernel.path) == {"a_b": other}
