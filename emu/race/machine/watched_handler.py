# SPDX-License-Identifier: GPL-2.0-only
"""The breakpoint handler of a scenario, with a record of its answers."""

from __future__ import annotations

from emu.ftrace.sites.patching_driver import BreakpointHandler

__all__ = ["WatchedHandler"]


class WatchedHandler:
    """A breakpoint handler that knows some sites only. It is part of the machine's state.

    Attributes:
        unknown: the addresses of sites that it does not know.
        asked: how many times it was called.
        refused: how many times it did not know the breakpoint.
    """

    def __init__(self, handler: BreakpointHandler) -> None:
        self._handler = handler
        self.unknown: frozenset[int] = frozenset()
        self.asked = 0
        self.refused = 0

    def __call__(self, registers: int, site: int, code: bytes | None) -> bool:
        handled = self._handler(registers, site, None if site in self.unknown else code)
        self.asked += 1
        self.refused += not handled
        return handled
