# SPDX-License-Identifier: GPL-2.0-only
"""A machine's state in memory, to which it goes back."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.pc import Pc
from emu.cpu.pc.state import PAGE, PcState, capture, put_back, used_pages

__all__ = ["LinuxCheckpoint"]


class LinuxCheckpoint:
    """The state of a machine between two calls. It lasts as long as somebody refers to it."""

    def __init__(self, pc: Pc, extra: dict[str, Any]) -> None:
        self._owner, self.extra = pc, extra
        self._state: PcState = capture(pc)
        self._pages = used_pages(pc.board.ram)
        self._contents = _pages_of(pc)[self._pages]

    def put_back(self, pc: Pc) -> None:
        """Restores the PC. CPUs keep their translations of pages that are as they were.

        Raises:
            ValueError: this is a checkpoint of another machine.
        """
        if pc is not self._owner:
            raise ValueError("this is a checkpoint of another machine")
        now = _pages_of(pc)
        changed = set(np.setdiff1d(used_pages(pc.board.ram), self._pages).tolist())
        now[sorted(changed)] = 0
        for start in range(0, len(self._pages), _AT_ONCE):
            pages, contents = self._pages[start : start + _AT_ONCE], self._contents[start : start + _AT_ONCE]
            different = (now[pages] != contents).any(axis=1)
            now[pages[different]] = contents[different]
            changed.update(pages[different].tolist())
        for cpu in pc.board.cpus:
            code = [page for page in changed if cpu.record.code_pages[page]]
            if code:
                cpu.forget(np.array([[page * PAGE, (page + 1) * PAGE] for page in code], np.uint64))
        put_back(pc, self._state)


_AT_ONCE = 4096  # pages


def _pages_of(pc: Pc) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """RAM as pages of words."""
    return np.frombuffer(pc.board.ram, np.uint64).reshape(-1, PAGE // 8)
