# SPDX-License-Identifier: GPL-2.0-only
"""Runs one search after another. The results are kept if the user interrupts."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from emu.cli.progress import Progress
from emu.cli.race.errors import lab_errors
from emu.cli.signals import Terminated

if TYPE_CHECKING:
    from emu.race import Verdict
    from emu.race.ifetch import Result
    from emu.race.litmus import LitmusVerdict

__all__ = ["End", "ended_early", "found_by"]

_Verdict = TypeVar("_Verdict", "Verdict", "LitmusVerdict", "Result")


class End:
    """How some searches have ended.

    Attributes:
        by: the exception that interrupted them; None if nothing did.
    """

    by: Terminated | None = None

    def go_on(self) -> None:
        """Raises the interruption again, after all results have been printed."""
        if self.by is not None:
            raise self.by


@contextmanager
def ended_early() -> Iterator[End]:
    """Lets Ctrl-C, or a signal, end only the body."""
    end = End()
    try:
        yield end
    except KeyboardInterrupt:
        end.by = Terminated(signal.SIGINT)
    except Terminated as by:
        end.by = by


def found_by(searches: Iterator[_Verdict], progress: Progress, doing: Iterable[str]) -> Iterator[_Verdict]:
    """Yields the searches' verdicts. `progress` shows what each is `doing`.

    Raises:
        KeyboardInterrupt: after the verdict of a search that was interrupted.
    """
    from emu.race.limits import INTERRUPTED

    for text in doing:
        with progress.during(text), lab_errors():
            verdict = next(searches)
        yield verdict
        if verdict.why == INTERRUPTED:
            raise KeyboardInterrupt
