# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes: the kernel does what it does without them."""

from __future__ import annotations

from emu.ftrace.errors import TraceError
from emu.kernel.limits import LimitReached
from emu.machine import Machine
from emu.port.exercises.exam import Exam

__all__ = ["every_instruction"]

_COMMAND = "ls -l / | wc -l; ls / | sort | wc -c; sh -c 'echo $((6 * 7))'; (usleep 100)"
_FUNCTIONS = (
    "do_anonymous_page", "kmem_cache_free", "getname_flags", "vfs_read", "link_path_walk",
)  # fmt: skip


def every_instruction(exam: Exam) -> None:
    """Probes at all instructions of functions, one function after another, while programs run through them."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=2) as m:
        before = m.run(_COMMAND).output
        for function in _FUNCTIONS:
            exam.expects(f"with a probe at each instruction of {function}, programs print what they print without")
            _probed(exam, m, function, before)


def _probed(exam: Exam, m: Machine, function: str, before: bytes) -> None:
    hits = 0

    def count(hit: object) -> None:
        nonlocal hits
        hits += 1

    symbol = m.kernel.image.function_at(m.kernel.image.symbol(function))
    assert symbol is not None
    probes = []
    for address in range(symbol.address, symbol.address + symbol.size, m.board.arch.instruction_alignment):
        try:
            probes.append(m.probe(address, count))
        except TraceError:  # no instruction, or one that cannot be probed
            continue
    try:
        output = m.run(_COMMAND, limit=2_000_000_000).output
    except LimitReached:
        exam.require(False, "they do not end")
        raise
    exam.require(output == before, f"{output!r} instead of {before!r}")
    exam.require(hits > 0 and not m.warnings, f"{hits} hits, {len(m.warnings)} warnings {m.warnings[:1]}")
    for probe in probes:
        probe.remove()
