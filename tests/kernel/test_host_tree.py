# SPDX-License-Identifier: GPL-2.0-only
"""Hosts with other folder layouts than this one's."""

from __future__ import annotations

import os
import platform
from functools import partial
from pathlib import Path

import pytest

import emu.machine.parts
from emu.cli import main
from emu.kernel.host_tree import HostTree
from emu.machine import Machine
from tests.lib.host_compiler import compile_dynamic

ARCH = platform.machine()
HELLO = r"#include <stdio.h>" "\nint main(void) { puts(TEXT); return 0; }"


def host_of(folder: Path, *, merged: bool) -> Path:
    """A host with a program `hello`, its libraries, and an invalid bash. `merged`: /bin and the like are links to /usr."""
    host = folder / "host"
    usr = host / "usr" if merged else host
    for name in "bin", "lib", "lib64":
        (usr / name).mkdir(parents=True)
        if merged:
            (host / name).symlink_to(f"usr/{name}")
    interpreter, loader = compile_dynamic(ARCH, HELLO, usr / "bin/hello", usr / "lib", '-DTEXT="hi"')
    loader.rename(host / interpreter.lstrip("/"))
    (usr / "bin/bash").write_text("#!/bin/sh\necho the host\n")
    (usr / "bin/bash").chmod(0o755)
    (usr / "bin/ls").write_text("not to be found first")
    return host


@pytest.fixture(params=[True, False], ids=["merged", "separate"])
def host(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    host = host_of(tmp_path, merged=request.param)
    monkeypatch.setattr(emu.machine.parts, "HostTree", partial(HostTree, host=host))
    return host


def test_folders_and_links_to_folders(host: Path) -> None:
    with Machine(host_tree=True, timing="static") as machine:
        done = machine.run("hello; /bin/hello; bash; /bin/bash; /bin/ls -d /lib")
        assert done.output.decode() == "hi\nhi\nthe host\nthe host\n/lib\n"
        seen = machine.run("cd /; ls -d bin lib lib64 guest/bin/sh lib/modules lib/libc.so.6; ls /bin | grep -c hello").output
        assert seen == b"bin\nguest/bin/sh\nlib\nlib/libc.so.6\nlib/modules\nlib64\n1\n"
        assert b"Read-only file system" in machine.run("rm /bin/hello").output
        (host / "bin/hello").rename(host / "bin/bye")
        assert machine.run("/bin/bye; hello").output == b"hi\nsh: 1: hello: not found\n"
        assert machine.run("modprobe sample_export && lsmod | grep -c sample_export").output == b"1\n"


def test_what_the_host_lacks_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emu.machine.parts, "HostTree", partial(HostTree, host=tmp_path))
    with Machine(host_tree=True, timing="static") as machine:
        assert machine.run("echo /usr* /lib*; bash -c 'echo $0'; ls /guest").output == b"/usr* /lib\nbash\n"


def test_the_digest_is_of_what_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = host_of(tmp_path, merged=True)
    monkeypatch.setattr(emu.machine.parts, "HostTree", partial(HostTree, host=host))

    def digest() -> str:
        with Machine(host_tree=True, timing="static") as machine:
            machine.run("hello")
            assert machine.host_tree is not None
            return machine.host_tree.digest()

    before = digest()
    (host / "usr/bin/other").write_text("not opened")
    assert digest() == before
    os.utime(host / "usr/bin/hello", (5, 5))
    assert digest() != before


def test_reproduce_says_that_the_host_has_changed(tmp_path: Path, host: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "trace.dat"
    for arguments in (
        ["record", "--host-tree", "--timing", "static", "-e", "sched_process_exec", "-o", str(file), "--", "hello"],
        ["reproduce", str(file)],
        ["reproduce", str(file)],
    ):
        with pytest.raises(SystemExit):
            main(arguments)
        said = capfd.readouterr().out
        if arguments[0] == "reproduce":
            assert ("the same" in said) == (not (host / "bin/changed").exists())
            (host / "bin/changed").touch()
            os.utime(host / "bin/hello", (5, 5))
    assert "differs from byte" in said and "other host_tree (" in said
