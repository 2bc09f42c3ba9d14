# SPDX-License-Identifier: GPL-2.0-only
"""Mounts a machine's tracefs and serves it, until it is unmounted.

The machine has one thread, and time passes only when it runs. FUSE's threads wait for it: requests are served between two
turns of the CPUs, or immediately while no command runs. A read changes nothing that the guest could observe, except that events
are consumed; a write takes the time that the guest needs for the request, such as patching.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from emu.ftrace.tracefs.node import StaticDirectory
from emu.linux.machine import LinuxMachine
from emu.machine import Machine
from emu.mount.guest_commands import GuestCommand, GuestCommands
from emu.mount.host import OWN, UNMOUNT, CannotMount, check
from emu.mount.own_files import own_files
from emu.mount.requests import Requests
from emu.mount.tree import MountedTree

__all__ = ["Mounted"]

_MOUNT_TIME = 10.0  # seconds for mounting
_STEP = 0.05  # seconds between two checks whether mounting has failed
_END_TIME = 2.0  # seconds for FUSE's threads to end, if no program keeps a file open


class _Left(Exception):
    """Nobody waits for the running command any more."""


class Mounted:
    """A machine's tracefs, mounted during the body of `with`.

    Args:
        machine: others may run it only with `meanwhile=mounted.serve`.
        directory: the mount point.

    Attributes:
        commands: the host's commands for the guest.

    Raises:
        CannotMount: from the constructor and from `with`.
    """

    def __init__(self, machine: Machine | LinuxMachine, directory: Path) -> None:
        check(directory)
        self._machine = machine
        self._directory = directory.absolute()
        self.commands = GuestCommands()
        top = machine.tracefs.root
        assert isinstance(top, StaticDirectory)
        own = {OWN: own_files(machine, self.commands)}
        root = StaticDirectory(dict(top.entries()), {**top.unlisted, **own})
        self._tree = MountedTree(machine.tracefs.with_root(root), machine.settle)
        self._requests = Requests(machine.board.end_turns)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run_fuse, name="fuse", daemon=True)

    def __enter__(self) -> Self:
        self._machine.board.share_interpreter()
        try:
            with _same_folder():  # libfuse changes to / when it starts
                self._thread.start()
                left = _MOUNT_TIME
                while not self._ready.wait(_STEP):
                    left -= _STEP
                    if not self._thread.is_alive() or left < 0:
                        raise CannotMount(f"{self._directory}: libfuse cannot mount it")
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        self._requests.close()
        if self._thread.is_alive():
            command = [UNMOUNT, "-u", "-z", "-q", str(self._directory)]
            subprocess.run(command, stderr=subprocess.DEVNULL, check=False, timeout=_MOUNT_TIME)
            self._thread.join(_END_TIME)
        self._tree.release_all()

    def _run_fuse(self) -> None:
        from emu.mount import fuse

        try:
            with suppress(RuntimeError):  # it never became ready
                fuse.run(self._tree, self._requests, str(self._directory), self._ready.set)
        finally:
            self._requests.close()

    @property
    def is_mounted(self) -> bool:
        return self._thread.is_alive()

    def serve(self, wait: bool = True) -> None:
        """Serves requests of host programs. With `wait`: waits for a moment if there are none.

        Raises:
            GuestPanic, LimitReached, PoweredOff: a request made the machine run, and it cannot continue.
        """
        self._requests.serve(wait)

    def serve_until(self, ended: Callable[[], bool], execute: Callable[[Sequence[str], Callable[[bool], None]], int]) -> None:
        """Serves, and runs the host's commands, until `ended` returns True or the tree is unmounted.

        Args:
            execute: runs a command in the guest, given a function for Machine.run's `meanwhile`, and returns its exit status.
        """

        def run(command: GuestCommand) -> None:
            def meanwhile(wait: bool) -> None:
                self.serve(wait)
                if command.given_up or ended() or not self.is_mounted:
                    raise _Left

            with suppress(_Left):
                command.status = execute(command.words, meanwhile)
                self._requests.retry()

        while self.is_mounted and not ended():
            self.serve()
            if (command := self.commands.next()) is not None:
                run(command)


@contextmanager
def _same_folder() -> Iterator[None]:
    """Restores the current folder of the process at the end."""
    folder = os.open(".", os.O_PATH | os.O_DIRECTORY)
    try:
        yield
    finally:
        os.fchdir(folder)
        os.close(folder)
