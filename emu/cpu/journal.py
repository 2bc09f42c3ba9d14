# SPDX-License-Identifier: GPL-2.0-only
"""What the guest has done outside of the machine, to its host's files: a part of a run that is executed again does it no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar, cast

__all__ = ["Journal", "journalled"]

P = ParamSpec("P")
R = TypeVar("R")


class Journal:
    """The results of calls, in the order of the run.

    Attributes:
        position: the calls that the run has made up to now.
    """

    def __init__(self) -> None:
        self._results: list[tuple[object, OSError | None]] = []
        self.position = 0
        self._calling = False

    def call(self, act: Callable[[], R]) -> R:
        """The result of the run's next call: the known one; else what `act` returns or raises."""
        if self._calling:
            return act()
        if self.position < len(self._results):
            result, error = self._results[self.position]
        else:
            result, error = self._done(act)
            self._results.append((result, error))
        self.position += 1
        if error is not None:
            raise error.with_traceback(None)
        return cast(R, result)

    def _done(self, act: Callable[[], R]) -> tuple[R | None, OSError | None]:
        self._calling = True
        try:
            return act(), None
        except OSError as error:
            return None, error
        finally:
            self._calling = False

    def cut(self) -> None:
        """The run goes on in another way: later results are not known any more."""
        del self._results[self.position :]


class _Outside(Protocol):
    journal: Journal | None


def journalled(method: Callable[P, R]) -> Callable[P, R]:
    """A method that touches the host, of an object whose `folder` has a journal, or has None."""

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        folder = cast(_Outside, args[0]._folder)  # type: ignore[attr-defined]
        if folder.journal is None:
            return method(*args, **kwargs)
        return folder.journal.call(lambda: method(*args, **kwargs))

    call.__doc__ = method.__doc__
    return call
