# SPDX-License-Identifier: GPL-2.0-only
"""The text of a hist trigger, and errors in it."""

from __future__ import annotations

import errno
from collections.abc import Iterable

from emu.ftrace.errors import ErrorReport, TraceError

__all__ = ["HistSource"]


class HistSource:
    """The text of a hist trigger, and the event to whose file it was written.

    Args:
        event: `SYSTEM:EVENT`.
        text: the text after `hist:`.
    """

    def __init__(self, event: str, text: str) -> None:
        self.event = event
        self.command = f"hist:{text}"

    def error(
        self,
        why: str,
        wrong: str | None = None,
        code: int = errno.EINVAL,
        misspelt: tuple[str, Iterable[str]] | None = None,
    ) -> TraceError:
        """The error for a refused trigger, which goes to error_log.

        Args:
            why: one of Linux's messages.
            wrong: the wrong part of the text; the caret is below its first occurrence, or below the first character.
            code: the errno.
            misspelt: as in `TraceError`.
        """
        report = self._report(why, wrong)
        return TraceError(code, f"'{self.command}', position {report.position}: {why}", misspelt, logged=report)

    def then(self, error: TraceError, why: str, wrong: str | None = None) -> TraceError:
        """The same error, with a further report for error_log after its own; the arguments are as in `error`."""
        error.logged = self._report(why, wrong, error.logged)
        return error

    def _report(self, why: str, wrong: str | None, before: ErrorReport | None = None) -> ErrorReport:
        position = max(self.command.find(wrong), 0) if wrong is not None else 0
        return ErrorReport(f"hist:{self.event}", why, self.command, position, before)

    def refusal(self, why: str) -> TraceError:
        """An error that Linux does not put into error_log: EINVAL, and a sentence."""
        return TraceError(errno.EINVAL, f"'{self.command}': {why}")
