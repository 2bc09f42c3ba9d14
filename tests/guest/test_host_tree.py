# SPDX-License-Identifier: GPL-2.0-only
"""The host's own programs in the guest: python3, perl, bash and others, and traces of them."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

ARCH = platform.machine()
LIBC = Path("/lib/x86_64-linux-gnu/libc.so.6")


@pytest.fixture
def machine() -> Iterator[Machine]:
    with booted_machine(ARCH, host_tree=True, timing="static") as machine:
        yield machine


def needs(*paths: str) -> pytest.MarkDecorator:
    missing = [path for path in paths if not Path(path).exists()]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


@pytest.mark.parametrize(
    ("program", "command", "output"),
    [
        ("python3", "python3 -S -c 'print(1)'", "1\n"),
        ("perl", "perl -e 'print 1'", "1"),
        ("bash", "bash -c :", ""),
        (
            "bash",
            "bash -c 'a=(c a b); printf \"%s\\n\" ${a[@]} | sort | { read x; echo $x ${#a[@]} $BASHPID > /dev/null; echo $x; }'",
            "a\n",
        ),
        ("ls", "/usr/bin/ls -d /usr /guest/bin", "/guest/bin\n/usr\n"),
        ("sort", "echo 'b\na' | /usr/bin/sort", "a\nb\n"),
        ("awk", "awk 'BEGIN { print 3 * 4 }'", "12\n"),
        ("git", "git init -q /tmp/r; cd /tmp/r; git status -s | wc -l", "0\n"),
    ],
)
def test_programs_of_the_host_run(machine: Machine, program: str, command: str, output: str) -> None:
    if not Path("/usr/bin", program).exists():
        pytest.skip(f"needs /usr/bin/{program}")
    done = machine.run(command)
    assert (done.status, done.output.decode()) == (0, output)
    assert machine.warnings == []


@needs("/usr/bin/python3", "/usr/bin/perl", "/bin/bash")
def test_scripts_have_the_hosts_interpreters(machine: Machine) -> None:
    scripts = {
        "py": ("#!/usr/bin/python3 -S", "import sys", "print(sys.argv, sys.prefix)"),
        "env": ("#! /usr/bin/env perl", "print qq(@ARGV\\n), `echo in \\$0`"),
        "bash": ("#!/bin/bash", "[[ $1 == b ]] && echo ${BASH_VERSION%%.*}"),
        "sh": ("#!/bin/sh", "echo $1"),
    }
    for name, lines in scripts.items():
        words = " ".join(f"'{line}'" for line in lines)
        assert machine.run(f"printf '%s\\n' {words} > /tmp/{name}; chmod +x /tmp/{name}").status == 0
    done = machine.run("cd /tmp; ./py a; ./env b; ./bash b; ./sh c")
    first, *others = done.output.decode().splitlines()
    assert first == "['./py', 'a'] /usr"
    assert others[:2] == ["b", "in sh"]
    assert others[2].isdigit() and others[3] == "c"


def test_the_guests_own_programs_come_first_and_its_modules_stay(machine: Machine) -> None:
    done = machine.run(
        "for p in ls ps sh; do command -v $p; done; ls /bin/busy; modprobe ext2; lsmod | grep -c ext2; ls /lib/modules | head -1"
    )
    assert done.output == b"/guest/bin/ls\n/guest/bin/ps\n/guest/bin/sh\n/bin/busy\n1\n6.1.0-emu\n"
    assert machine.run("touch /usr/x").output.endswith(b"Read-only file system\n")


def offset(path: str, symbol: str) -> int:
    """The offset in a file of the function named by a dynamic symbol."""
    with Path(path).open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        address = int(table.get_symbol_by_name(symbol)[0]["st_value"])
        (segment,) = [s for s in elf.iter_segments("PT_LOAD") if s["p_vaddr"] <= address < s["p_vaddr"] + s["p_filesz"]]
        return int(address - segment["p_vaddr"] + segment["p_offset"])


@needs("/usr/bin/perl", str(LIBC))
def test_probes_in_programs_and_libraries(machine: Machine) -> None:
    """At any load address; a library is the same file by each of its names."""
    libc, perl, loader = str(LIBC), "/usr/bin/perl", "/lib64/ld-linux-x86-64.so.2"
    write = machine.tracefs.write
    write(
        "uprobe_events",
        f"p:write {libc}:{offset(libc, 'write'):#x} fd=%di text=+0(%si):ustring\n"
        f"p:libc_start /usr{libc}:{offset(libc, '__libc_start_main'):#x}\n"
        f"p:parse {perl}:{offset(perl, 'perl_parse'):#x}\n"
        f"p:loader {loader}:{offset(loader, '__tls_get_addr'):#x}\n"
        f"r:parsed {perl}:{offset(perl, 'perl_parse'):#x} ret=$retval\n",
    )
    write("events/uprobes/enable", "1")
    done = machine.run("""perl -e 'print "seen\\n"'; perl -e 'open(F, "</proc/self/maps"); print <F>'""", trace=True)
    write("events/uprobes/enable", "0")
    hits = re.findall(r"perl-(\d+) .* (\w+): \((0x\w+)(?: <- 0x\w+)?\)(.*)", machine.tracefs.read("trace"))
    first = [(name, rest.strip()) for pid, name, _, rest in hits if pid == hits[0][0]]
    assert [name for name, _ in first if name != "loader"] == ["libc_start", "parse", "parsed", "write"]
    assert ("parsed", "ret=0x0") in first and ("write", 'fd=0x1 text="seen') in first
    maps = [line.split() for line in done.output.decode().splitlines()[1:]]
    code = {
        words[5]: int(words[0].split("-")[0], 16) - int(words[2], 16) for words in maps if "/" in words[-1] and "x" in words[1]
    }
    assert int(hits[-1][2], 16) - offset(libc, "write") == code[f"/usr{libc}"]
    (parse,) = {address for _, name, address, _ in hits if name == "parse"}
    assert int(parse, 16) - offset(perl, "perl_parse") == code["/usr/bin/perl"]
