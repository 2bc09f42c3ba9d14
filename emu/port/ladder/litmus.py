# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests of what a port tells the assembler and the search: names, encodings, faults, states that are the same."""

from __future__ import annotations

from emu.port.ladder import arch as templates_of
from emu.port.ladder.rung import expect, fail
from emu.race.litmus import explore, parse
from emu.race.scenario.text_file import TextError

__all__ = ["check_litmus"]


def check_litmus(arch: str) -> None:
    """Each test of the port has the final states and as many states as it says, and what is no instruction is refused.

    The states are all that there are: states of CPUs that should be the same are then seen if they are not.
    """
    text = templates_of.load(arch)
    for name, test in text.litmus.items():
        try:
            verdict = explore(parse(_whole(arch, test.columns, test.initial, test.shown)), "coherent", reduce=False)
        except TextError as error:
            fail(f"a litmus test of {name} is assembled", str(error))
        expect(f"final states of a litmus test of {name}", test.finals, " ".join(map(str, verdict.finals)))
        expect(f"states of a litmus test of {name}", test.states, verdict.states)
    for line in text.not_litmus:
        try:
            parse(_whole(arch, [[line]], "", "0:fault"))
        except TextError:
            continue
        fail(f"`{line}` is refused in a litmus test", "it is not")


def _whole(arch: str, columns: list[list[str]], initial: str, shown: str) -> str:
    rows = max(map(len, columns))
    cells = [[*column, *[""] * (rows - len(column))] for column in columns]
    lines = [[f"P{n}" for n in range(len(cells))], *([column[row] for column in cells] for row in range(rows))]
    body = "\n".join(f" {' | '.join(line)} ;" for line in lines)
    return f"{arch.upper()} ladder\n{{ {initial} }}\n{body}\nexists ({shown})\n"
