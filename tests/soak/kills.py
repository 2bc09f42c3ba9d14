# SPDX-License-Identifier: GPL-2.0-only
"""`emu mount` is ended at random moments, by signals or by unmounting, while programs read, write and wait in the tree."""

from __future__ import annotations

import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.lib.mounted import Mount, is_mounted

__all__ = ["end_at_random", "run"]

_USERS = (
    "while echo function > current_tracer; do echo nop > current_tracer; done",
    "cat trace_pipe",
    "cat per_cpu/cpu1/trace_pipe_raw",
    "while cat trace; do :; done",
    "while mkdir instances/a; do rmdir instances/a; done",
    ".emu/bin/guest ls",
)
_BOOT = 2.0  # seconds after which the tree is there, approximately
_LONGEST = 20.0  # seconds until all have ended


def end_at_random(number: int, folder: Path) -> None:
    """Ends it once: half the time while it boots and mounts, otherwise while programs use it.

    Raises:
        AssertionError: something hangs, or stays mounted.
    """
    choice = random.Random(number)
    is_used = choice.random() < 0.5
    how = choice.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, "unmount" if is_used else signal.SIGTERM])
    with Mount(folder, "--", "while :; do ls /bin | wc -l; done", wait=is_used) as mount:
        users = [start(user, folder) for user in _USERS] if is_used else []
        time.sleep(choice.uniform(0, 1.0 if is_used else _BOOT))
        if isinstance(how, signal.Signals):
            mount.process.send_signal(how)
        else:
            subprocess.run(["fusermount3", "-u", "-z", folder], check=True, timeout=_LONGEST)
            mount.process.send_signal(signal.SIGTERM)
        status = mount.process.wait(_LONGEST)
        for user in users:
            user.wait(_LONGEST)
        end = time.monotonic() + _LONGEST
        while is_mounted(folder) and time.monotonic() < end:  # fusermount3 notices the end of the process
            time.sleep(0.02)
        assert not is_mounted(folder), (how, status)
        assert list(folder.iterdir()) == []
        assert status in (-9, 130, 143, -15, -2), status


def start(user: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sh", "-c", user], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(arch: str, seed: int, numbers: range) -> int:
    """Ends it once for each number. The machine's architecture makes no difference to the host."""
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            end_at_random(seed * 1_000_000 + number, Path(folder) / str(number))
    return len(numbers)


def sum_up(outcomes: Sequence[object]) -> str:
    return f"{sum(int(str(outcome)) for outcome in outcomes)} mounts ended"
