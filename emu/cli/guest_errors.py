# SPDX-License-Identifier: GPL-2.0-only
"""The ways in which a guest can end a command of `emu`, with their exit statuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from emu.cli.exit_status import GUEST_DIED, TIMED_OUT

__all__ = ["GuestDied", "TimedOut", "guest_errors"]


class GuestDied(click.ClickException):
    """The guest kernel panicked. The message is the kernel's."""

    exit_code = GUEST_DIED


class TimedOut(click.ClickException):
    """A run reached a limit. The message says which limit."""

    exit_code = TIMED_OUT


@contextmanager
def guest_errors() -> Iterator[None]:
    """Converts errors of a body that runs the guest to errors of the command.

    Raises:
        GuestDied: the kernel panicked.
        TimedOut: a limit was reached.
    """
    from emu.kernel.endings import GuestPanic
    from emu.kernel.limits import LimitReached

    try:
        yield
    except LimitReached as reached:
        raise TimedOut(str(reached)) from None
    except GuestPanic as panic:
        raise GuestDied(str(panic)) from None
