# SPDX-License-Identifier: GPL-2.0-only
"""Programs built by the host's compilers and C libraries: they run in the guest unchanged, dynamic ones with libraries."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.lib.arches import FACTS

__all__ = ["compile_dynamic", "compile_program", "compile_static"]


def compile_static(arch: str, source: str, program: Path, *options: str) -> None:
    """Compiles C to a static program; the test is skipped if there is no compiler or no static library for the architecture."""
    compile_program(arch, source, program, "-static", *options)


def compile_dynamic(arch: str, source: str, program: Path, libraries: Path, *options: str) -> tuple[str, Path]:
    """Compiles C, and copies the libraries that it needs, and its loader, to a folder.

    Returns the loader's path in the program, and its copy. The test is skipped if something is missing.
    """
    compile_program(arch, source, program, *options)
    with program.open("rb") as file:
        (interpreter,) = (s.get_interp_name() for s in ELFFile(file).iter_segments("PT_INTERP"))
    loader = libraries / Path(interpreter).name
    for name in "libc.so.6", loader.name:
        found = [path for path in (_library(arch, name), _library(arch, f"../lib64/{name}")) if path.is_absolute()]
        if not found:
            pytest.skip(f"needs {name} for {FACTS[arch].compiler}")
        shutil.copy(found[0], libraries / name)
    return str(interpreter), loader


def _library(arch: str, name: str) -> Path:
    """The path where the compiler finds a library; a relative path if it does not find it."""
    done = subprocess.run([FACTS[arch].compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def compile_program(arch: str, source: str, program: Path, *options: str) -> None:
    """Compiles C with the compiler's default options; the test is skipped if there is no compiler for the architecture."""
    compiler = shutil.which(FACTS[arch].compiler)
    if compiler is None:
        pytest.skip(f"needs {FACTS[arch].compiler}")
    command = [compiler, "-O2", *options, "-x", "c", "-", "-o", str(program), "-Wl,--as-needed", "-lm"]
    done = subprocess.run(command, input=source.encode(), capture_output=True, check=False)
    if b"cannot find -lc" in done.stderr:
        pytest.skip(f"needs a C library for {FACTS[arch].compiler}")
    assert done.returncode == 0, done.stderr.decode()
