# SPDX-License-Identifier: GPL-2.0-only
"""The counts of one run or several."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from emu.cpu.timing import TimingNames
    from emu.kernel.counting import Counting

__all__ = ["DURATION", "Figure", "Results", "Run"]

DURATION = "duration_time"
"""perf's name for the elapsed time in nanoseconds, which can be selected like an event."""

Counts = Mapping[str, int]  # by event


class Figure(NamedTuple):
    """The mean of several runs."""

    mean: float
    deviation: float  # estimated standard deviation of the mean; 0 for one run

    @classmethod
    def of(cls, values: Sequence[int]) -> Figure:
        mean = sum(values) / len(values)
        return cls(mean, statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0)

    @property
    def noise(self) -> float:
        """The deviation as a percentage of the mean."""
        return 100 * self.deviation / self.mean if self.mean else 0.0


class Run(NamedTuple):
    """The counts of one run."""

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
        model: the names of the timing model.
        runs: the runs, at least one.
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
        """The elapsed virtual time in nanoseconds."""
        return Figure.of([run.nanoseconds for run in self.runs])

    def figure(self, event: str, cpu: int | None = None) -> Figure | None:
        """The count of all CPUs, or of one; None if the timing model does not count the event."""
        if event not in self.runs[0].cpus[0]:
            return None
        if event == DURATION:
            return self.time
        return Figure.of([sum(counts[event] for n, counts in enumerate(run.cpus) if cpu in (None, n)) for run in self.runs])

    def functions(self, events: Sequence[str]) -> Mapping[str, Mapping[str, Figure]]:
        """The counts of each function in all runs, by name and event."""
        tables = [run.functions for run in self.runs if run.functions is not None]
        names = dict.fromkeys(name for table in tables for name in table)
        none: Counts = {}
        return {
            name: {event: Figure.of([table.get(name, none).get(event, 0) for table in tables]) for event in events}
            for name in names
        }
