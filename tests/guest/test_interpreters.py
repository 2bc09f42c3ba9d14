# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic programs and scripts: the kernel, and nothing else, runs their interpreters."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.guest.test_exec import BIG, elf
from tests.lib.host_compiler import compile_dynamic, compile_program

# A program that prints the information about itself that a loader needs.
PROGRAM = r"""
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

extern void _start(void);
extern const ElfW(Ehdr) __ehdr_start;

int main(int argc, char **argv)
{
	const ElfW(Ehdr) *loader = (void *)getauxval(AT_BASE);
	const char *headers = (void *)getauxval(AT_PHDR);
	char line[200];
	FILE *maps = fopen("/proc/self/maps", "r");

	printf("hello %s\n", argv[1]);
	printf("%d ", loader && !memcmp(loader->e_ident, ELFMAG, SELFMAG) && loader->e_type == ET_DYN);
	printf("%d ", getauxval(AT_ENTRY) == (unsigned long)_start);
	printf("%d ", headers == (char *)&__ehdr_start + __ehdr_start.e_phoff);
	printf("%d ", getauxval(AT_PHNUM) == __ehdr_start.e_phnum);
	printf("%d\n", sbrk(0) > (void *)&__ehdr_start && sbrk(0) < (void *)loader);
	while (fgets(line, sizeof(line), maps))
		fputs(line, stdout);
	return 3;
}
"""


def put(folder: Path, **files: bytes | str) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        (folder / name).chmod(0o755)


def said(arch: str, folder: Path, *commands: str | list[str]) -> list[tuple[int, str]]:
    """The exit status and output of commands; the folder is /p for them."""
    with Machine(arch=arch, shares=[Share(folder, "/p")]) as machine:
        done = [machine.run(command) for command in commands]
        assert machine.warnings == []
    return [(one.status, one.output.decode()) for one in done]


@pytest.mark.parametrize("options", [("-pie", "-fPIE"), ("-no-pie", "-fno-pie")], ids=["pie", "no-pie"])
def test_a_dynamic_program_runs(arch: str, options: tuple[str, ...], tmp_path: Path) -> None:
    interpreter, loader = compile_dynamic(arch, PROGRAM, tmp_path / "hello", tmp_path, *options)
    missing, found, by_name, copied = said(
        arch,
        tmp_path,
        "/p/hello you",
        f"mkdir -p {Path(interpreter).parent}; ln -s /p/{loader.name} {interpreter}; LD_LIBRARY_PATH=/p /p/hello you",
        f"/p/{loader.name} --library-path /p /p/hello you | head -1",
        "cp /p/hello /tmp; LD_LIBRARY_PATH=/p exec /tmp/hello me | head -1",
    )
    why = f"its interpreter {interpreter} is not in the guest's tree; --host-tree or --share puts it there"
    assert missing == (127, f"sh: 1: /p/hello: not found: {why}\n")
    assert found[0] == 3
    greeting, facts, *maps = found[1].splitlines()
    assert (greeting, facts) == ("hello you", "1 1 1 1 1")
    mapped = {(line.split()[5], line.split()[1]) for line in maps if "/p/" in line}
    assert {("/p/hello", "r-xp"), (f"/p/{loader.name}", "r-xp"), ("/p/libc.so.6", "r-xp")} <= mapped
    assert by_name == (0, "hello you\n")
    assert copied == (0, "hello me\n")


def test_what_is_no_interpreter_is_refused_with_linuxs_errors(arch: str, tmp_path: Path) -> None:
    """PT_INTERP of a program names the file. The old program continues."""
    corrupted, io_error = "Accessing a corrupted shared library", "Input/output error"
    bad = {
        "text": (b"#!/bin/sh\n" + bytes(100), corrupted),
        "machine": (elf(BIG, 8) + bytes(100), corrupted),
        "cut": (b"\x7fELF", io_error),
        "empty": (b"", io_error),
    }
    for name, (content, _) in bad.items():
        put(tmp_path, **{name: content})
        compile_program(arch, "int main(void) { return 0; }", tmp_path / f"by-{name}", f"-Wl,--dynamic-linker=/p/{name}")
    compile_program(arch, "int main(void) { return 0; }", tmp_path / "by-folder", "-Wl,--dynamic-linker=/bin")
    (tmp_path / "readable").write_bytes(b"")
    compile_program(arch, "int main(void) { return 0; }", tmp_path / "by-readable", "-Wl,--dynamic-linker=/p/readable")
    expected = {name: error for name, (_, error) in bad.items()} | {
        "folder": "Permission denied",
        "readable": "Permission denied",
    }
    ((_, output),) = said(arch, tmp_path, f"for f in {' '.join(expected)}; do /p/by-$f; echo $?; done")
    lines = [line for name, error in expected.items() for line in (f"sh: 1: /p/by-{name}: {error}", "126")]
    assert output.splitlines() == lines


def test_a_static_program_can_be_an_interpreter(arch: str, tmp_path: Path) -> None:
    """It gets the stack of the program that names it, even if it is not relocatable."""
    options = ("-pie", "-fPIE", "-Wl,--dynamic-linker=/bin/echo")
    compile_program(arch, "int main(void) { return 0; }", tmp_path / "program", *options)
    assert said(arch, tmp_path, "/p/program word") == [(0, "word\n")]


def test_a_script_is_its_interpreters_alone(arch: str, tmp_path: Path) -> None:
    missing = "is not in the guest's tree; --host-tree or --share puts it there"
    put(
        tmp_path,
        foreign=elf(BIG, 8),
        text="echo text\n",
        gone="#!/no/such thing\necho wrong\n",
        alien="#!/p/foreign\necho wrong\n",
        odd="#!/p/text\necho wrong\n",
        through="#!/bin/env gone\n",
        env="#! /bin/env sh\necho right $1\n",
        nobody="#! \necho right $1\n",
    )
    commands = ["PATH=/p:$PATH {}", "env /p/{}", "nice /p/{}", "timeout 5 /p/{}", "time /p/{}", "exec /p/{}"]
    (first, as_text, *others) = said(
        arch,
        tmp_path,
        "PATH=$PATH:/p; for f in gone alien odd through env nobody; do /p/$f x; echo $?; done",
        "sh /p/gone",
        *(command.format("gone") for command in commands),
        *(command.format("alien") for command in commands),
        ["/p/gone"],
    )
    assert first[1].splitlines() == [
        f"sh: 1: /p/gone: not found: its interpreter /no/such {missing}",
        "127",
        f"sh: 1: /p/alien: cannot execute: its interpreter /p/foreign: it is for mips; this machine is {arch}",
        "126",
        "sh: 1: /p/odd: cannot execute: its interpreter /p/text: Exec format error",
        "126",
        f"env: 'gone': its interpreter /no/such {missing}",
        "127",
        "right x",
        "0",
        "right x",
        "0",
    ]
    assert as_text == (0, "wrong\n")
    assert [status for status, _ in others] == [127] * 6 + [126] * 6 + [127]
    for status, output in others:
        why = f"/no/such {missing}" if status == 127 else f"/p/foreign: it is for mips; this machine is {arch}"
        assert f"its interpreter {why}\n" in output
    assert others[-1][1].startswith("init: /p/gone: ")  # without a shell


def test_scripts_of_scripts(arch: str, tmp_path: Path) -> None:
    """At most five levels; each inserts its argument before the given ones."""
    put(tmp_path, n0="#!/bin/echo  a b \n", **{f"n{n}": f"#!/p/n{n - 1} {n}\n" for n in range(1, 6)})
    name, longest = "x" * 100, "y" * 150
    put(tmp_path, cut=f"#!/bin/echo {name} {longest}\n", long=f"#!/{'x' * 260}\n")
    answers = said(arch, tmp_path, "/p/n0 c d", "/p/n4 c", "/p/n5 c", "/p/cut | wc -c", "/p/long")
    assert answers[:3] == [
        (0, "a b /p/n0 c d\n"),
        (0, "a b /p/n0 1 /p/n1 2 /p/n2 3 /p/n3 4 /p/n4 c\n"),
        (126, "sh: 1: /p/n5: Too many levels of symbolic links\n"),
    ]
    # The kernel reads 255 characters of the line: the argument is shorter by the length of "#!/bin/echo ".
    assert answers[3] == (0, f"{255 - len('#!/bin/echo ') + len(' /p/cut') + 1}\n")
    assert answers[4][0] in (126, 127)
