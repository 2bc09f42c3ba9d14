# SPDX-License-Identifier: GPL-2.0-only
"""The ways in which a guest ends."""

from __future__ import annotations

__all__ = ["GuestPanic", "PoweredOff"]


class GuestPanic(RuntimeError):
    """The guest kernel cannot continue.

    The first line of the message says why. After a panic, the registers, the backtrace and the last console lines follow;
    otherwise, what each CPU executes.
    """


class PoweredOff(Exception):
    """The guest switched the machine off."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the guest powered off with status {status}")
        self.status = status
