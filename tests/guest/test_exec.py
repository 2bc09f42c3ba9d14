# SPDX-License-Identifier: GPL-2.0-only
"""Files that cannot be executed: one line says why. Of what the kernel refuses, only text is read as a script."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.host_compiler import compile_static

HELLO = r"""
#include <stdio.h>

int main(int argc, char **argv)
{
	printf("hello %s\n", argv[1]);
	return 3;
}
"""

# Values in the header of an ELF file.
LITTLE, BIG, EXECUTABLE, OBJECT, CORE = 1, 2, 2, 1, 4
HERE = {"x86_64": (LITTLE, 62), "sparc64": (BIG, 43), "riscv64": (LITTLE, 243)}

PT_GNU_PROPERTY, ISA_NEEDED = 0x6474E553, 0xC0008002
BASELINE, V2, V3, V4 = 1, 2, 4, 8


def elf(order: int, machine: int, *, bits: int = 64, kind: int = EXECUTABLE) -> bytes:
    """An ELF header without anything else."""
    ident = bytes([0x7F, *b"ELF", bits // 32, order, 1]).ljust(16, b"\0")
    return ident + struct.pack(f"{'<' if order == LITTLE else '>'}HHI", kind, machine, 1).ljust(48, b"\0")


def put(folder: Path, name: str, data: bytes) -> None:
    file = folder / name
    file.write_bytes(data)
    file.chmod(0o755)


def said(arch: str, folder: Path, command: str) -> tuple[int, str]:
    with Machine(arch=arch, shares=[Share(folder, "/p")]) as machine:
        done = machine.run(command)
        assert machine.warnings == []
    return done.status, done.output.decode()


def needs(level: int, properties: bytes | None = None) -> bytes:
    """A .note.gnu.property: the required level of the x86-64 CPU, or the given properties."""
    found = struct.pack("<IIII", ISA_NEEDED, 4, level, 0) if properties is None else properties
    return struct.pack("<III4s", 4, len(found), 5, b"GNU\0") + found


def with_note(program: bytes, note: bytes) -> bytes:
    """An x86-64 program with its note replaced by `note`."""
    (table,) = struct.unpack_from("<Q", program, 32)
    (count,) = struct.unpack_from("<H", program, 56)
    changed = bytearray(program)
    for at in range(table, table + 56 * count, 56):
        if struct.unpack_from("<I", program, at) == (PT_GNU_PROPERTY,):
            struct.pack_into("<Q", changed, at + 8, len(program))
            struct.pack_into("<QQ", changed, at + 32, len(note), len(note))
    return bytes(changed) + note


@pytest.fixture
def program(tmp_path: Path) -> bytes:
    """A static x86-64 program with a .note.gnu.property."""
    compile_static("x86_64", HELLO, tmp_path / "hello", "-Wl,-z,x86-64-v2")
    return (tmp_path / "hello").read_bytes()


def test_a_binary_is_not_read_as_a_script(arch: str, tmp_path: Path) -> None:
    order, here = HERE[arch]
    for name, data in {
        "other": elf(LITTLE, 183),
        "unknown": elf(BIG, 999),
        "narrow": elf(order, here, bits=32),
        "object": elf(order, here, kind=OBJECT),
        "core": elf(order, here, kind=CORE),
        "empty": elf(order, here),
        "cut": b"\x7fELF",
        "zeroes": b"a\0b\nc\n",
    }.items():
        put(tmp_path, name, data)
    status, output = said(arch, tmp_path, "for f in other unknown narrow object core empty cut zeroes; do /p/$f; echo $?; done")
    reasons = [
        f"other: cannot execute binary file: it is for aarch64; this machine is {arch}",
        f"unknown: cannot execute binary file: it is for machine 999 of ELF; this machine is {arch}",
        "narrow: cannot execute binary file: it is a 32-bit program; compile it for 64 bits",
        "object: cannot execute binary file: it is an object file; link it",
        "core: cannot execute binary file: it is a core file",
        "empty: cannot execute binary file: Exec format error",
        "cut: cannot execute binary file: Exec format error",
        "zeroes: cannot execute binary file: Exec format error",
    ]
    assert output.splitlines() == [line for reason in reasons for line in (f"sh: 1: /p/{reason}", "126")]
    assert status == 0


def test_a_text_is_a_script(arch: str, tmp_path: Path) -> None:
    put(tmp_path, "script", b'echo "$0" "$1"\nexit\n\0')
    put(tmp_path, "nothing", b"")
    assert said(arch, tmp_path, "/p/script a; PATH=/p:$PATH; script b; env script c; /p/nothing") == (
        0,
        "/p/script a\n/p/script b\n/p/script c\n",
    )


@pytest.mark.parametrize("command", ["env", "nice", "timeout 5", "time", "sh", "exec", "PATH=/p"])
def test_whoever_runs_a_binary_says_why_it_cannot_be(command: str, tmp_path: Path) -> None:
    put(tmp_path, "other", elf(BIG, 43))
    path = "other" if command == "PATH=/p" else "/p/other"
    status, output = said("x86_64", tmp_path, f"{command} {path} < /dev/null")
    assert "/p/other: cannot execute binary file: it is for sparc64; this machine is x86_64\n" in output
    assert status == 126


def test_a_shell_does_not_take_its_own_commands_from_a_binary(tmp_path: Path) -> None:
    put(tmp_path, "other", elf(BIG, 43))
    status, output = said("x86_64", tmp_path, ". /p/other; echo not reached")
    assert output == "sh: 1: .: /p/other: cannot execute binary file: it is for sparc64; this machine is x86_64\n"
    assert status == 2


@pytest.mark.parametrize(("level", "what"), [(V3, "AVX2 (x86-64-v3)"), (V4, "AVX-512 (x86-64-v4)"), (16, "more than x86-64-v4")])
def test_a_program_that_needs_avx_is_refused(level: int, what: str, program: bytes, tmp_path: Path) -> None:
    put(tmp_path, "hello", with_note(program, needs(level | BASELINE)))
    assert said("x86_64", tmp_path, "/p/hello you") == (
        126,
        f"sh: 1: /p/hello: cannot execute binary file: it needs {what}, which this CPU does not have; "
        "compile it for a lower -march\n",
    )


def test_the_linkers_own_mark_is_understood(tmp_path: Path) -> None:
    compile_static("x86_64", HELLO, tmp_path / "new", "-march=x86-64-v3", "-Wl,-z,x86-64-v3")
    compile_static("x86_64", HELLO, tmp_path / "old", "-march=x86-64-v2", "-Wl,-z,x86-64-v2")
    status, output = said("x86_64", tmp_path, "/p/new you; /p/old you")
    assert status == 3
    assert re.fullmatch(r"sh: 1: /p/new: .*: it needs AVX2 \(x86-64-v3\), which .*\nhello you\n", output)


def test_damaged_properties_are_refused_and_others_ignored(program: bytes, tmp_path: Path) -> None:
    good, unknown = struct.pack("<IIII", ISA_NEEDED, 4, BASELINE | V2, 0), struct.pack("<IIQ", 0xC0000002, 8, 1 << 63)
    notes = {
        "none": (b"", False),
        "no-properties": (needs(0, b""), True),
        "two": (needs(0, unknown + good), True),
        "too-new-at-last": (needs(0, unknown + struct.pack("<IIII", ISA_NEEDED, 4, V3, 0)), False),
        "no-padding": (needs(0, unknown + good[:12]), True),
        "short": (needs(0, good[:11]), False),
        "half-a-property": (needs(0, good + b"\1\2\3\4"), False),
        "huge": (needs(0, struct.pack("<IIII", ISA_NEEDED, 0xFFFFFFFF, V3, 0)), False),
        "huge-note": (struct.pack("<III4s", 4, 0xFFFFFFF0, 5, b"GNU\0") + good, False),
        "other-owner": (struct.pack("<III4s", 4, 16, 5, b"ABC\0") + good, False),
        "long": (needs(0, unknown * 63), True),
        "too-long": (needs(0, unknown * 64), False),
    }
    for name, (note, _) in notes.items():
        put(tmp_path, name, with_note(program, note))
    output = said("x86_64", tmp_path, f"for f in {' '.join(notes)}; do /p/$f $f 2>&1 | grep -c hello; done")[1]
    answers = dict(zip(notes, output.splitlines(), strict=True))
    assert answers == {name: "1" if runs else "0" for name, (_, runs) in notes.items()}
