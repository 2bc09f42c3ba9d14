# SPDX-License-Identifier: GPL-2.0-only
"""A campaign that runs while a notebook, or another program, goes on and watches it."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict, Unpack

from emu.campaign.campaign import Results, run
from emu.campaign.connection import Tls
from emu.campaign.engine import Progress
from emu.campaign.unit import Unit

__all__ = ["Background", "How", "start"]


class How(TypedDict, total=False):
    """Where a campaign runs: parameters of `run`."""

    workers: int | None
    scheduler: str | None
    tls: Tls | None
    limit: float | None


def start(units: Iterable[Unit], folder: Path | str, **how: Unpack[How]) -> Background:
    """Starts a campaign and returns at once.

    >>> campaign = start(units, "study", workers=4)
    >>> campaign.watch()
    >>> campaign.wait().table

    Args: those of `run`, except on_start, on_end and stop.
    """
    return Background([*units], folder, how)


class Background:
    """A campaign that runs in a thread. A notebook shows how far it is."""

    def __init__(self, units: list[Unit], folder: Path | str, how: How) -> None:
        self._folder = folder
        self._progress: Progress | None = None
        self._results: Results | None = None
        self._error: BaseException | None = None
        self._stop = threading.Event()
        self._began = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(units, how), daemon=True)
        self._thread.start()

    def _run(self, units: list[Unit], how: How) -> None:
        try:
            run(units, self._folder, on_start=self._on_start, on_end=self._on_end, stop=self._stop, **how)
        except KeyboardInterrupt:
            pass  # stop() was called
        except BaseException as error:
            self._error = error
        finally:
            self._began.set()

    def _on_start(self, progress: Progress) -> None:
        self._progress = progress
        self._began.set()

    def _on_end(self, results: Results) -> None:
        self._results = results

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._thread.is_alive()

    def stop(self) -> Results:
        """Ends it now. What is done is in the folder, and `start` goes on there."""
        self._stop.set()
        return self.wait()

    def wait(self) -> Results:
        """Waits until it ends, and returns what was found.

        Raises:
            CannotRun, CannotConnect, ValueError, OSError: as `run`.
        """
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._results is not None
        return self._results

    def watch(self, interval: float = 1.0) -> None:
        """In a notebook: shows how far it is, until it ends. The notebook's interrupt ends the watching alone.

        Args:
            interval: seconds between two looks.
        """
        from IPython.display import display

        shown = display(self, display_id=True)
        try:
            while self.running:
                self._thread.join(interval)
                shown.update(self)
        except KeyboardInterrupt:
            return

    def __repr__(self) -> str:
        self._began.wait()
        if self._progress is None or self._error is not None:
            return f"<campaign in {self._folder}: {self._error}>"
        how = "running" if self.running else "stopped" if self._stop.is_set() else "ended"
        return f"<campaign in {self._folder}: {self._progress.ended}, {how}>"

    def _repr_html_(self) -> str:
        from emu.trace.display.html import table

        self._began.wait()
        progress = self._progress
        if progress is None or self._error is not None:
            return table((), [("campaign", str(self._folder)), ("failed", str(self._error))])
        bar = f'<progress max="{progress.units}" value="{progress.done + progress.failed}"></progress>'
        rows = [("campaign", str(self._folder)), ("progress", progress.text if self.running else progress.ended)]
        return bar + table((), rows)
