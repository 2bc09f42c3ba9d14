# SPDX-License-Identifier: GPL-2.0-only
"""System calls that a signal interrupts."""

from __future__ import annotations

from emu.port.exercises.exam import Exam

__all__ = ["restart"]

_EXPECTED = [
    "with SA_RESTART: 1 x, caught 1",
    "without: -1 Interrupted system call, caught 2",
    "sleep: -1 Interrupted system call, some left 1",
]


def restart(exam: Exam) -> None:
    """A program is told of an interrupted call only if its handler has no SA_RESTART."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=2) as m:
        lines = m.run("signals restart", limit=5_000_000_000).output.decode().splitlines()
        for number, line in enumerate(_EXPECTED):
            exam.expects(f"`signals restart` prints in line {number + 1}: {line}")
            exam.require(lines[number : number + 1] == [line], f"{lines[number : number + 1] or 'nothing'}")
        exam.expects("signals and their handlers work")
        done = m.run("signals handler; signals suspend")
        expected = b"caught 100, sum 4950\nInterrupted system call, caught 1\nblocked again 1\n"
        exam.require(done.output == expected, f"{done.output!r}")
