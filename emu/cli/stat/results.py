# SPDX-License-Identifier: GPL-2.0-only
"""What was counted in one run, or in several."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from emu.cpu.timing import TimingNames
    from emu.kernel.counting import Counting

__all__ = ["DURATION", "Figure", "Results", "Run"]

DURATION = "duration_time"
"""perf's name for the time that passed, which can be chosen like an event: nanoseconds."""

Counts = Mapping[str, int]  # by event


class Figure(NamedTuple):
    """The mean of several runs."""

    mean: float
    deviation: float  # of the mean itself, estimated; 0 for one run

    @classmethod
    def of(cls, values: Sequence[int]) -> Figure:
        mean = sum(values) / len(values)
        return cls(mean, statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0)

    @property
    def noise(self) -> float:
        """The deviation in percent of the mean."""
        return 100 * self.deviation / self.mean if self.mean else 0.0


class Run(NamedTuple):
    """What was counted in one run."""

    nanoseconds: int
    cpus: Sequence[Counts]
    functions: Mapping[str, Counts] | None

    @classmethod
    def of(cls, counting: Counting, cpus: int, functions: bool) -> Run:
        time = counting.nanoseconds
        counts = [{**counting.of_cpu(index), DURATION: time} for index in range(cpus)]
        return cls(time, counts, counting.functions if functions else None)


class Results:
    """All runs of a command on machines of one kind.

    Attributes:
        model: the names of their timing model.
        runs: at least one.
    """

    def __init__(self, model: TimingNames, runs: Sequence[Run]) -> None:
        self.model = model
        self.runs = runs

    @property
    def cpus(self) -> range:
        """The numbers of the CPUs."""
        return range(len(self.runs[0].cpus))

    @property
    def time(self) -> Figure:
        """The virtual time that passed, in nanoseconds."""
        return Figure.of([run.nanoseconds for run in self.runs])

    def figure(self, event: str, cpu: int | None = None) -> Figure | None:
        """What all CPUs have counted, or one; None: the timing model does not count that."""
        if event not in self.runs[0].cpus[0]:
            return None
        if event == DURATION:
            return self.time
        return Figure.of([sum(counts[event] for n, counts in enumerate(run.cpus) if cpu in (None, n)) for run in self.runs])

    def functions(self, events: Sequence[str]) -> Mapping[str, Mapping[str, Figure]]:
        """What each function has counted in all runs, by its name and the event."""
        tables = [run.functions for run in self.runs if run.functions is not None]
        names = dict.fromkeys(name for table in tables for name in table)
        none: Counts = {}
        return {
            name: {event: Figure.of([table.get(name, none).get(event, 0) for table in tables]) for event in events}
            for name in names
        }
