# SPDX-License-Identifier: GPL-2.0-only
"""A Linux machine that is driven by moments, for travel in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from emu.cpu.journal import Journal
from emu.guest_machine import exit_status
from emu.linux.command_words import words_of_command
from emu.linux.guest import Guest

__all__ = ["Diverted", "Driven"]

Diverted: TypeAlias = Callable[[Callable[[bytes], object], bytes], None]


class Driven:
    """Drives a machine (history.Driver).

    Args:
        guest: its guest.
        roots, apart: see Driver.
        divert: as Driver.divert.
        waited: the wait status of the latest command; None: it has not ended.
        begun: called when a command begins.
    """

    def __init__(
        self,
        guest: Guest,
        roots: Sequence[object],
        apart: Sequence[object],
        divert: Callable[[Diverted], None],
        waited: Callable[[], int | None],
        begun: Callable[[], None],
    ) -> None:
        self.journal = Journal()  # remains empty: a PC has no files of the host
        self.board, self.roots, self.apart, self.divert = guest.board, roots, apart, divert
        self._guest, self._waited, self._begun = guest, waited, begun

    @property
    def status(self) -> int | None:
        waited = self._waited()
        return None if waited is None else exit_status(waited)

    @property
    def patching(self) -> bool:
        return False  # a PC's code is coherent

    def begin(
        self, command: str | Sequence[str], stdin: bytes | None, on_exec: Callable[[int], None] | None
    ) -> None:
        channel = self._guest.channel
        words = words_of_command(command)
        self._begun()
        channel.run(words, [], None)
        if stdin is not None:
            channel.input(stdin)
            channel.end_input()

    def type(self, data: bytes) -> None:
        channel = self._guest.channel
        if data:
            channel.input(data)
        else:
            channel.end_input()

    def moment(self) -> bool:
        return self._guest.for_a_moment()
