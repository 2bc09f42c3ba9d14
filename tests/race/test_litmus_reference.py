# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests of random instructions have the same final states on the bare board as in a small interpreter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.race.limits import Limits
from emu.race.litmus import LitmusVerdict, explore, parse
from tests.race.litmus_reference import REGISTERS, WORDS, Instruction, final_states, text

LENGTHS = {2: 4, 3: 2}  # of the columns, by the number of CPUs
STATES = 1_000  # a stale line that changes in an endless loop has more


KINDS = ["set", "load", "store", "compare", "jump", "jump-if", "jump-unless", "serialise", "site", "patch"]


@st.composite
def columns(draw: Any) -> list[list[Instruction]]:
    """At least the first CPU patches a site of the last one."""
    cpus = draw(st.sampled_from([2, 2, 3]))
    sizes = [draw(st.integers(2, LENGTHS[cpus])) for _ in range(cpus)]
    drawn = [[draw(st.sampled_from(KINDS)) for _ in range(size)] for size in sizes]
    drawn[0][draw(st.integers(0, sizes[0] - 1))] = "patch"
    drawn[-1][draw(st.integers(0, sizes[-1] - 1))] = "site"
    sites = [(cpu, n) for cpu, column in enumerate(drawn) for n, kind in enumerate(column) if kind == "site"]
    return [[draw(_instruction(kind, size, sites)) for kind in column] for column, size in zip(drawn, sizes, strict=True)]


@st.composite
def _instruction(draw: Any, kind: str, size: int, sites: list[tuple[int, int]]) -> Instruction:
    target = draw(st.sampled_from(sites) if kind == "patch" else st.integers(0, size - 1))
    return Instruction(kind, draw(st.sampled_from(REGISTERS)), draw(st.sampled_from(WORDS)), draw(st.integers(0, 2)), target)


@pytest.mark.parametrize(
    ("arch", "fetch"),
    [*(("x86_64", fetch) for fetch in ("coherent", "stale", "torn1", "torn8")),
     *(("riscv64", fetch) for fetch in ("coherent", "stale", "parcel", "ziccif"))],
)  # fmt: skip
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(columns=columns())
def test_every_final_state_is_found_and_no_other(arch: str, fetch: str, columns: list[list[Instruction]]) -> None:
    verdict = explore(parse(text(columns, arch)), fetch, Limits(STATES))
    if verdict.why:
        return
    values = {tuple(value for _, value in state.values) for state in verdict.finals}
    assert values == final_states(columns, fetch, arch), text(columns, arch)
    assert not any(state.faults for state in verdict.finals)
    whole = explore(parse(text(columns, arch)), fetch, Limits(STATES), reduce=False)
    assert whole.why or (_ends(whole) == _ends(verdict) and bool(whole.endless) == bool(verdict.endless))


def _ends(verdict: LitmusVerdict) -> list[tuple[object, int]]:
    """The values of each final state, and the length of a shortest schedule."""
    return [(state.values, len(state.schedule)) for state in verdict.finals]
