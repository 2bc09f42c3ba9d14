# SPDX-License-Identifier: GPL-2.0-only
"""The text of events that are consumed as they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from emu.ftrace.text import TraceView
from emu.ftrace.text.pipe import PipeText

__all__ = ["TakenText"]


class TakenText:
    """The text for one consuming reader, oldest events first.

    Args:
        view: returns the oldest events to print and, for each CPU with events, how many can be consumed at once.
        consume: consumes this many events of a CPU.
    """

    def __init__(self, view: Callable[[], tuple[TraceView, Mapping[int, int]]], consume: Callable[[int, int], None]) -> None:
        self._view = view
        self._consume = consume
        self._text = PipeText()

    def take(self, wanted: Callable[[bytes], bool]) -> list[bytes]:
        """The texts of the oldest events, each with its lines, up to the first text that is not `wanted`, which stays."""
        taken: list[bytes] = []
        full = False
        while not full:
            view, limits = self._view()
            if not limits:
                break
            counts, before = dict.fromkeys(limits, 0), len(taken)
            for text, cpu in self._text.rows(replace(view, first_number=before + 1)):
                # A CPU whose events in the view are used up may have more, for which events of other CPUs must wait.
                if counts[cpu] == limits[cpu]:
                    break
                line = text.encode(errors="surrogateescape")
                full = not wanted(line)
                if full:
                    break
                taken.append(line)
                counts[cpu] += 1
            for cpu, count in counts.items():
                self._consume(cpu, count)
            self._text.printed(len(taken) - before)
        return taken
