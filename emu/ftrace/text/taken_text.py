# SPDX-License-Identifier: GPL-2.0-only
"""The text of events that leave the buffers when they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from emu.ftrace.text import TraceView
from emu.ftrace.text.pipe import PipeText

__all__ = ["TakenText"]


class TakenText:
    """What one reader has taken and will take, oldest first.

    Args:
        view: the oldest events to print, and for each CPU that has any, how many can be consumed at once.
        consume: takes so many events of a CPU out of its buffer.
    """

    def __init__(self, view: Callable[[], tuple[TraceView, Mapping[int, int]]], consume: Callable[[int, int], None]) -> None:
        self._view = view
        self._consume = consume
        self._text = PipeText()

    def take(self, wanted: Callable[[bytes], bool]) -> list[bytes]:
        """The texts of the oldest events, each with its lines, up to the first that is not `wanted`: that one stays."""
        taken: list[bytes] = []
        full = False
        while not full:
            view, limits = self._view()
            if not limits:
                break
            counts, before = dict.fromkeys(limits, 0), len(taken)
            for text, cpu in self._text.rows(replace(view, first_number=before + 1)):
                # A CPU whose events in the view are used up may have more. Those of other CPUs must wait for them.
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
