# SPDX-License-Identifier: GPL-2.0-only
"""emu tour: the documents from first to last. What their commands print is compared by tests/documents."""

from __future__ import annotations

import pytest

from emu.tour import DOCUMENTS
from tests.cli.conftest import Emu


def test_the_tour_from_first_to_last(emu: Emu) -> None:
    result = emu("tour")
    assert (result.status, result.err) == (0, "")
    shown = result.out.decode()
    titles = [f"{section.title} (emu tour {one.name} {section.name})" for one in DOCUMENTS for section in one.sections]
    assert titles == [line for line in shown.splitlines() if line in titles]
    typed = [line for line in shown.splitlines() if line.startswith("    # echo ")]
    assert len(typed) > 100


def test_one_section_is_the_same_whether_others_were_before_it(emu: Emu) -> None:
    alone = emu("tour", "ftrace", "output-format").out
    assert alone in emu("tour", "ftrace", "--host-limit", "60").out


def test_it_says_what_there_is(emu: Emu) -> None:
    listed = emu("tour", "--list").out.decode()
    for one in DOCUMENTS:
        assert f"{one.name}: {one.title}\n" in listed
        assert all(f"  {section.name} " in listed for section in one.sections)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ftrac"], "there is no document 'ftrac': there are ftrace, function-graph, ftrace-5.12, return-tracing, sparc64"),
        (["ftrace", "irqsof"], "ftrace has no section 'irqsof': it has "),
        (["ftrace", "--arch", "vax"], "vax"),
    ],
)
def test_what_there_is_not(emu: Emu, arguments: list[str], message: str) -> None:
    result = emu("tour", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith("emu: ") and message in result.err and result.err.count("\n") == 1
