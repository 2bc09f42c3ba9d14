# SPDX-License-Identifier: GPL-2.0-only
"""emu mount and emu tracecmd when something is missing or wrong: one line, status 2, and no machine boots."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from emu.mount import host
from emu.mount.namespace import inside
from tests.cli.conftest import Emu
from tests.lib.mounted import EMU, Mount, is_mounted, needs_fuse


def refused(emu: Emu, *words: str) -> str:
    """The line with the reason."""
    result = emu(*words)
    assert (result.status, result.out, result.err.count("\n")) == (2, b"", 1), result
    return result.err.strip()


@needs_fuse
def test_the_folder(emu: Emu, tmp_path: Path) -> None:
    missing, file = tmp_path / "missing", tmp_path / "file"
    file.touch()
    assert refused(emu, "mount", str(missing)) == f"emu: {missing}: there is no such folder"
    assert refused(emu, "mount", str(file), "--", "ls") == f"emu: {file}: is not a folder"
    assert refused(emu, "mount", "/proc") == "emu: /proc: something is mounted there"
    assert "no machine is mounted there" in refused(emu, "tracecmd", "--on", str(tmp_path), "--", "stat")


def test_options(emu: Emu, tmp_path: Path) -> None:
    assert "--leave: there is no COMMAND" in refused(emu, "mount", str(tmp_path), "--leave")
    assert "--cpus: the machine at" in refused(emu, "tracecmd", "--on", str(tmp_path), "--cpus", "3", "--", "stat")
    assert "-f 'x' must come after the -e" in refused(emu, "mount", "-f", "x", str(tmp_path))
    assert emu("mount").status == emu("tracecmd").status == 2


def test_a_host_without_fuse(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "fuse"
    monkeypatch.setattr(host, "_DEVICE", device)
    assert f"{device} is missing" in refused(emu, "mount", str(tmp_path))
    device.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: path != device)
    assert f"{device} cannot be opened by this user" in refused(emu, "mount", str(tmp_path))
    monkeypatch.undo()
    monkeypatch.setattr(host, "_DEVICE", device)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "fusermount3 is missing: on Debian it is in the package fuse3" in refused(emu, "mount", str(tmp_path))


def test_python_without_mfusepy_or_libfuse(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_DEVICE", Path("/dev/null"))
    monkeypatch.setattr(shutil, "which", lambda program: program)
    monkeypatch.setitem(sys.modules, "mfusepy", None)
    assert "`pip install emu[mount]` brings it" in refused(emu, "mount", str(tmp_path))
    monkeypatch.delitem(sys.modules, "mfusepy")
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    assert "libfuse is missing or too old (Unable to find libfuse)" in refused(emu, "mount", str(tmp_path))


@needs_fuse
def test_a_host_without_trace_cmd(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "trace-cmd" else found(name))
    assert refused(emu, "tracecmd", "--", "stat") == "emu: trace-cmd is not installed"


def test_a_user_who_may_not_make_a_namespace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "unshare"
    script.write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(host.CannotMount, match=r"run it as root.*\(unshare: unshare failed: Operation not permitted\)$"):
        inside(tmp_path, ["sh"])


@needs_fuse
def test_a_command_and_how_it_ends(tmp_path: Path) -> None:
    words = [*EMU, "mount", "--leave", str(tmp_path), "--", "echo from the guest; exit 5"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (5, "", f"emu: mounted at {tmp_path}\nfrom the guest\n")
    assert not is_mounted(tmp_path)
    words[-1] = "while :; do :; done"
    done = subprocess.run([*words[:-2], "--limit", "1ms", *words[-2:]], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 124


@needs_fuse
def test_a_guest_that_dies_can_still_be_read(tmp_path: Path) -> None:
    with Mount(tmp_path / "t", "-p", "function", "-l", "vfs_*", "--", "ls; echo c > /proc/sysrq-trigger") as mount:
        assert mount.guest("true") != 0
        assert "vfs_write" in mount.read("trace")
        assert mount.end(signal.SIGINT) == 125
        assert any("panic" in line for line in mount.said)
