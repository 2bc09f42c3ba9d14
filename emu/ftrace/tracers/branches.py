# SPDX-License-Identifier: GPL-2.0-only
"""The profile of the kernel's likely() and unlikely(): how often each was correct (Linux: annotated_branch_stats)."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from emu.kernel.memory import GuestMemory

__all__ = ["annotated_branches"]

_HEADER = """\
 correct incorrect  %        Function                  File              Line
 ------- ---------  -        --------                  ----              ----
"""
_MEMBERS = ("data.func", "data.file", "data.line", "data.correct", "data.incorrect", "constant")


class _Branch(NamedTuple):
    """One annotated condition: where it is, how often it was correct and wrong, and how often it was a constant."""

    function: str
    file: str
    line: int
    correct: int
    incorrect: int
    constant: int

    @property
    def percent(self) -> int:
        """The percentage of wrong predictions; -1 if the condition was never reached."""
        if self.correct:
            return self.incorrect * 100 // (self.correct + self.incorrect)
        return 100 if self.incorrect else -1

    @property
    def order(self) -> tuple[int, int, int]:
        """The sort key: the worst first; among equally bad ones, those most often right come last."""
        return -self.percent, -self.incorrect, self.correct

    def text(self) -> str:
        correct = f"{self.correct:8} {self.incorrect:8}"
        if self.constant:
            correct = f"{self.correct:8}/{self.constant} {self.incorrect:{max(7 - len(str(self.constant)), 0)}}"
        percent = "  X" if self.percent < 0 else f"{self.percent:3}"
        return f"{correct} {percent} {self.function[:30]:30} {self.file[:20]:20} {self.line}\n"


def annotated_branches(memory: GuestMemory) -> str:
    """The text of trace_stat/branch_annotated: all branches of the kernel, but not those of modules."""
    image = memory.image
    layout = image.structure("ftrace_likely_data", _MEMBERS)
    start, stop = (image.symbol(f"__{end}_annotated_branch_profile") for end in ("start", "stop"))
    found = np.frombuffer(memory.read(start, stop - start), layout)
    branches = [
        _Branch(memory.string(function), os.path.basename(memory.string(file)), *numbers)
        for function, file, *numbers in (entry.tolist() for entry in found)
    ]
    return _HEADER + "".join(branch.text() for branch in sorted(branches, key=lambda branch: branch.order))
