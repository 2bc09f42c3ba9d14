# SPDX-License-Identifier: GPL-2.0-only
"""gdb itself, driven by commands, on a machine."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from emu.gdb import GDB_SCRIPT

__all__ = ["Debugged", "gdb"]


class Debugged(Protocol):
    """A machine that can be debugged."""

    def serve_gdb(
        self, port: int = 0, command: str | None = None, *, ready: Callable[[int], Callable[[], bool]] | None = None
    ) -> None: ...


def gdb(machine: Debugged, symbols: Path, *commands: str, command: str, debug: Path | None = None) -> str:
    """What gdb prints while it debugs a machine that runs a command. The machine is then of no use for anything else.

    `debug`: a further file with symbols.
    """
    ports: list[int] = []
    listening, ended = threading.Event(), threading.Event()

    def ready(port: int) -> Callable[[], bool]:
        ports.append(port)
        listening.set()
        return lambda: not ended.is_set()

    printed: list[str] = []

    def talk() -> None:
        listening.wait(20)
        first: tuple[str, ...] = (
            "set pagination off", "set confirm off", "set width 0", "set breakpoint pending on",
            f"target remote 127.0.0.1:{ports[0]}",
        )  # fmt: skip
        if debug is not None:
            first = (f"add-symbol-file {debug} -o 0", *first)
        words = [word for one in (*first, *commands) for word in ("-ex", one)]
        done = subprocess.run(
            ["gdb-multiarch", "-nx", "-q", "-batch", "-iex", f"source {GDB_SCRIPT}", *words, str(symbols)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
        )  # fmt: skip
        printed.append(done.stdout)
        ended.set()

    client = threading.Thread(target=talk)
    client.start()
    try:
        machine.serve_gdb(0, command, ready=ready)
    finally:
        client.join(100)
    return printed[0]
