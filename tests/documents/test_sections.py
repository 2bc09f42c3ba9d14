# SPDX-License-Identifier: GPL-2.0-only
"""Every section of the ftrace documents: its commands are typed, and print what the section says to see.

This is SPARC V9. On x86-64 `emu tour` types them, in tests/cli/test_tour.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from emu.machine import Machine
from emu.tour import DOCUMENTS, Guide, Section
from tests.documents.__main__ import PATH, page
from tests.lib.said import what_is_wrong

ARCH = "sparc64"
pytestmark = pytest.mark.static_timing("SPARC V9 has no other model")
SECTIONS = [pytest.param(section, id=f"{one.name}-{section.name}") for one in DOCUMENTS for section in one.sections]


def boot(console: Callable[[bytes], None], append: str = "", smi: str | None = None, **numbers: str) -> Machine:
    options = {"cpus": 2} | {name: int(number) for name, number in numbers.items()}
    return Machine(arch=ARCH, console=console, command_line=append, smi=smi, **options)


@pytest.fixture(scope="module")
def guide() -> Iterator[Guide]:
    with Guide(boot, host_limit=60) as guide:
        yield guide


@pytest.mark.parametrize("section", SECTIONS)
def test_commands_print_what_the_section_says_to_see(section: Section, guide: Guide) -> None:
    if wrong := what_is_wrong(guide.commands(section, ARCH)):
        pytest.fail(wrong, pytrace=False)


def test_the_page_says_what_the_sections_say() -> None:
    assert PATH.read_text() == page()
