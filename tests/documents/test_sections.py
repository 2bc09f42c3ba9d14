# SPDX-License-Identifier: GPL-2.0-only
"""Every section of the ftrace documents: its commands are typed, and print what the section says to see."""

from __future__ import annotations

import doctest
from collections.abc import Callable, Iterator

import pytest

from emu.machine import Machine
from emu.tour import DOCUMENTS, Command, Guide, Section
from tests.documents.__main__ import PATH, page
from tests.lib.arches import FACTS

SECTIONS = [pytest.param(section, id=f"{one.name}-{section.name}") for one in DOCUMENTS for section in one.sections]
MOST = 3_000  # characters shown of what is wrong


def booting(arch: str) -> Callable[..., Machine]:
    def boot(console: Callable[[bytes], None], append: str = "", smi: str | None = None, **numbers: str) -> Machine:
        options = {"cpus": 2} | {name: int(number) for name, number in numbers.items()}
        return Machine(arch=arch, console=console, command_line=append, smi=smi, **options)

    return boot


@pytest.fixture(scope="module", params=FACTS)
def arch(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def guide(arch: str) -> Iterator[Guide]:
    with Guide(booting(arch), host_limit=60) as guide:
        yield guide


@pytest.mark.parametrize("section", SECTIONS)
def test_commands_print_what_the_section_says_to_see(section: Section, arch: str, guide: Guide) -> None:
    wrong = [_story(*one) for one in guide.commands(section, arch) if not _as_said(*one)]
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


def _as_said(command: Command, printed: str) -> bool:
    return doctest.OutputChecker().check_output(command.shown, printed, doctest.ELLIPSIS)


def _story(command: Command, printed: str) -> str:
    typed = "\n> ".join(command.lines)
    return f"$ {typed}\n--- it should print\n{command.shown[:MOST]}--- it prints\n{printed[:MOST]}"


def test_the_page_says_what_the_sections_say() -> None:
    assert PATH.read_text() == page()
