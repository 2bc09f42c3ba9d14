# SPDX-License-Identifier: GPL-2.0-only
"""`emu mount` in a process of its own, and programs of the host that use the tree. Nothing waits for ever, or stays mounted."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from emu.mount.host import CannotMount, check

__all__ = ["EMU", "Mount", "is_mounted", "needs_fuse", "readable", "run_host", "started", "unmounted"]

EMU = (sys.executable, "-m", "emu")
_PATIENCE = 60  # seconds


def _missing() -> str:
    try:
        check(Path("/run") if not os.path.ismount("/run") else Path(__file__).parent)
    except CannotMount as error:
        return str(error)
    return ""


_MISSING = _missing()
needs_fuse = pytest.mark.skipif(bool(_MISSING), reason=f"needs FUSE: {_MISSING}")


class Mount:
    """`emu mount` at a folder; the tree is there when the body of `with` begins.

    Args:
        words: the options and the command.
    """

    def __init__(self, folder: Path, *words: str, wait: bool = True) -> None:
        self.path = folder
        self._wait = wait
        folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen([*EMU, "mount", str(folder), *words], stderr=subprocess.PIPE, text=True)
        self.said: list[str] = []  # lines on standard error
        self._mounted = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            if line.startswith("emu: mounted"):
                self._mounted.set()
        self._mounted.set()

    def __enter__(self) -> Self:
        if self._wait:
            assert self._mounted.wait(_PATIENCE)
            assert is_mounted(self.path), self.said
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(_PATIENCE)
        unmounted(self.path)
        self._reader.join(_PATIENCE)

    def end(self, number: int) -> int:
        """Sends a signal, and returns the exit status."""
        self.process.send_signal(number)
        return self.process.wait(_PATIENCE)

    def read(self, file: str) -> str:
        return run_host(["cat", str(self.path / file)])

    def write(self, file: str, text: str) -> None:
        """Writes like `echo text > file`.

        Raises:
            OSError: the file's error.
        """
        number = os.open(self.path / file, os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(number, f"{text}\n".encode())
        finally:
            os.close(number)

    def guest(self, *words: str) -> int:
        """Runs a command in the guest. Returns its exit status."""
        return subprocess.run([self.path / ".emu/bin/guest", *words], timeout=_PATIENCE, check=False).returncode


def run_host(words: Sequence[str], status: int = 0, cwd: Path | None = None) -> str:
    """The output of a program of the host."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE, check=False, cwd=cwd)
    assert done.returncode == status, (done.returncode, done.stdout[-2000:], done.stderr)
    return done.stdout


@contextmanager
def started(words: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A program of the host that runs during the body, and is then killed."""
    process = subprocess.Popen(words, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait(_PATIENCE)
        if process.stdout is not None:
            process.stdout.close()


def readable(number: int, seconds: float) -> bool:
    """Whether poll() reports a file as readable within some seconds."""
    poll = select.poll()
    poll.register(number, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def is_mounted(folder: Path) -> bool:
    return f" {folder} " in Path("/proc/self/mounts").read_text()


def unmounted(folder: Path) -> bool:
    """Unmounts a folder, if it is mounted. Returns whether it was not."""
    if not is_mounted(folder):
        return True
    subprocess.run(["fusermount3", "-u", "-z", "-q", folder], timeout=_PATIENCE, check=False)
    return False
