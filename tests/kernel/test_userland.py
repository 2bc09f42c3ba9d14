# SPDX-License-Identifier: GPL-2.0-only
"""Which busybox of the host becomes the guest's userland, and the message if there is none. No machine boots."""

from __future__ import annotations

import os
import re
from contextlib import closing
from pathlib import Path

import pytest

from emu.kernel import userland
from emu.kernel.userland import BadUserland, Userland, find_busybox
from emu.machine import Machine, image_directory

MACHINES = {"x86_64": "EM_X86_64", "sparc64": "EM_SPARCV9", "riscv64": "EM_RISCV"}
REMEDY = {
    "x86_64": "install Debian's package busybox-static",
    "sparc64": "'firmware/tools/busybox sparc64' builds one, with Debian's package gcc-sparc64-linux-gnu",
    "riscv64": "'firmware/tools/busybox riscv64' builds one, with Debian's package gcc-riscv64-linux-gnu",
}
DYNAMIC = 3  # PT_INTERP


@pytest.fixture(autouse=True)
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the PATH and the cache of an x86-64 host, both empty."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(userland, "cache_directory", lambda: tmp_path / "cache")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    return tmp_path


def made(path: Path, arch: str, *, dynamic: bool = False, busybox: bool = True) -> Path:
    """A program whose bytes show whether it is a static busybox."""
    program = bytearray((image_directory(arch) / "vmlinux").read_bytes())
    if dynamic:
        order = "big" if arch == "sparc64" else "little"
        first = int.from_bytes(program[32:40], order)  # e_phoff
        program[first : first + 4] = DYNAMIC.to_bytes(4, order)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(program + b"BusyBox v0" * busybox)
    path.chmod(0o755)
    return path


def found(arch: str, text: str = "busybox") -> Path:
    with closing(Userland.parse(text, arch, MACHINES[arch])) as one:
        assert [name for name, _ in one.root.entries()] == ["busybox"]
        return one.path


def refusal(arch: str, text: str = "busybox") -> str:
    with pytest.raises(BadUserland) as refused:
        found(arch, text)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_none_is_found(arch: str) -> None:
    assert refusal(arch) == f"there is no static busybox for {arch}: {REMEDY[arch]}"


def test_the_hosts_comes_before_the_one_in_the_cache(host: Path) -> None:
    kept = made(host / "cache/busybox/x86_64/busybox", "x86_64")
    assert found("x86_64") == kept
    installed = made(host / "bin/busybox", "x86_64")
    assert found("x86_64") == installed
    made(installed, "x86_64", dynamic=True)
    assert found("x86_64") == kept
    kept.unlink()
    assert refusal("x86_64") == f"{installed} is a dynamic program, not a static one: {REMEDY['x86_64']}"


def test_another_architectures_comes_from_the_cache_alone(host: Path) -> None:
    made(host / "bin/busybox", "x86_64")
    assert "there is no static busybox for sparc64" in refusal("sparc64")
    kept = made(host / "cache/busybox/sparc64/busybox", "sparc64")
    assert found("sparc64") == kept


def test_a_path_can_be_given(host: Path, arch: str) -> None:
    named = made(host / "any=name", arch)
    (host / "link").symlink_to(named)
    assert found(arch, f"busybox={named}") == named
    assert found(arch, f"busybox={host}/link") == host / "link"


def test_what_cannot_be_one_is_refused_in_one_line(host: Path, arch: str) -> None:
    other = "sparc64" if arch == "x86_64" else "x86_64"
    (host / "text").write_text("#!/bin/sh\n")
    os.mkfifo(host / "fifo")
    (host / "short").write_bytes(b"\x7fELF")
    why = {
        host / "nosuch": "cannot be read (No such file or directory)",
        host: "is no file",
        host / "fifo": "is no file",
        host / "text": "is no ELF program",
        host / "short": "is no ELF program",
        made(host / "other", other): f"is a program for {MACHINES[other]}, not for {arch}",
        made(host / "dynamic", arch, dynamic=True): "is a dynamic program, not a static one",
        made(host / "kernel", arch, busybox=False): "is no busybox",
    }
    assert {path: refusal(arch, f"busybox={path}") for path in why} == {
        path: f"{path} {problem}: {REMEDY[arch]}" for path, problem in why.items()
    }


@pytest.mark.parametrize("text", ["", "toybox", "busybox=", "Busybox", "=busybox"])
def test_other_userlands_there_are_none(text: str) -> None:
    assert refusal("x86_64", text) == f"no userland '{text}': it is busybox or busybox=PATH"


def test_damaged_programs_are_refused(host: Path) -> None:
    whole = made(host / "whole", "x86_64").read_bytes()
    for place in range(4, 64):
        (host / "damaged").write_bytes(whole[:place] + b"\xff\xff" + whole[place + 2 : 4096])
        refusal("x86_64", f"busybox={host}/damaged")


def test_a_machine_refuses_before_it_boots() -> None:
    with pytest.raises(ValueError, match=f"^{re.escape('there is no static busybox for x86_64')}"):
        Machine(userland="busybox")


def test_a_program_finds_it_without_a_tree(host: Path, arch: str) -> None:
    with pytest.raises(BadUserland, match=r"^there is no static busybox"):
        find_busybox(arch, MACHINES[arch])
    kept = made(host / "cache/busybox" / arch / "busybox", arch)
    assert find_busybox(arch, MACHINES[arch]) == kept
