# SPDX-License-Identifier: GPL-2.0-only
"""Assembles the new code of live patches with the GNU assembler, on architectures for which keystone has no assembler."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import pytest

from emu.ftrace.arch import FtraceArch
from emu.ftrace.sites import assembler
from tests.lib.arches import FACTS

__all__ = ["gnu_assembler"]

_NAME = re.compile(r"[A-Za-z_]\w*")


def _assemble(arch: FtraceArch, text: str, address: int, symbol: Callable[[str], int | None]) -> bytes:
    """As `assembler.assemble`."""
    tools = FACTS[arch.cpu.name].compiler.removesuffix("gcc")
    known = {name: value for name in set(_NAME.findall(text)) if (value := symbol(name)) is not None}
    with TemporaryDirectory() as name:
        source, made, linked, code = (Path(name, f"code.{ending}") for ending in ("s", "o", "elf", "bin"))
        lines = [".option norelax", ".globl _start", "_start:", *text.split(";")]
        source.write_text("\n".join(lines) + "\n")
        if subprocess.run([f"{tools}as", "-march=rv64imac", source, "-o", made], check=False).returncode:
            raise ValueError(f"'{text}' cannot be assembled")
        defined = [f"--defsym={name}={value:#x}" for name, value in known.items()]
        subprocess.run([f"{tools}ld", "--no-relax", *defined, f"-Ttext={address:#x}", made, "-o", linked], check=True)
        subprocess.run([f"{tools}objcopy", "-O", "binary", "-j", ".text", linked, code], check=True)
        return code.read_bytes()


@contextmanager
def gnu_assembler(arch: str) -> Iterator[None]:
    """Makes `Machine.patch` assemble on any architecture. The test is skipped if there is no assembler for it."""
    if arch != "riscv64":
        yield
        return
    if shutil.which(FACTS[arch].compiler) is None:
        pytest.skip(f"needs {FACTS[arch].compiler}")
    with mock.patch.object(assembler, "assemble", _assemble):
        yield
