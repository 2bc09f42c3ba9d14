# SPDX-License-Identifier: GPL-2.0-only
"""A simulated user at the guest's console."""

from __future__ import annotations

__all__ = ["Typist"]


class Typist:
    """Types a piece whenever the guest waits for one, or when a busy guest has looked `patience` times; then hangs up."""

    def __init__(self, *pieces: bytes, patience: int = 0, size: tuple[int, int] = (24, 80)) -> None:
        self._pieces = list(pieces)
        self._patience = patience
        self._size = size

    def size(self) -> tuple[int, int]:
        return self._size

    def read(self, *, wait: bool) -> bytes | None:
        if not wait:
            if not self._patience:
                return None
            self._patience -= 1
            if self._patience:
                return None
        return self._pieces.pop(0) if self._pieces else b""
