# SPDX-License-Identifier: GPL-2.0-only
"""Every section of the ftrace documents: its commands are typed, and print what the section shows.

In the suite, sections that are the same on all architectures are typed alternately on one or the other of those in WHOLE;
--long types them on all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial

import pytest

from emu.architectures import ARCHITECTURES
from emu.machine import Machine
from emu.tour import DOCUMENTS, Guide, Section
from tests.lib.arches import OTHERS
from tests.lib.long_tests import WHOLE
from tests.lib.said import what_is_wrong

MODEL = pytest.mark.default_timing("what the sections say to see has its times")
ONLY_MODEL = pytest.mark.static_timing("the architecture has no other model")


def typed() -> Iterator[object]:
    """Each section on each architecture. All sections of an architecture share the guide."""
    for place, arch in enumerate(ARCHITECTURES):
        sections = ((one, section) for one in DOCUMENTS for section in one.sections)
        for number, (one, section) in enumerate(sections):
            marks = [ONLY_MODEL if arch in OTHERS else MODEL]
            everywhere = all(example.is_on(arch) for example in section.examples for arch in ARCHITECTURES)
            if everywhere and arch in WHOLE and (number + place) % len(WHOLE):
                marks.append(pytest.mark.long("the suite types it on the other architecture"))
            yield pytest.param(arch, section, marks=marks, id=f"{arch}-{one.name}-{section.name}")


def boot(arch: str, console: Callable[[bytes], None], command_line: str = "", smi: str | None = None, **numbers: str) -> Machine:
    options = {"cpus": 2} | {name: int(number) for name, number in numbers.items()}
    return Machine(arch=arch, console=console, command_line=command_line, smi=smi, **options)


@pytest.fixture(scope="module")
def guides() -> Iterator[Mapping[str, Guide]]:
    with ExitStack() as stack:
        yield {arch: stack.enter_context(Guide(partial(boot, arch), host_limit=60)) for arch in ARCHITECTURES}


@pytest.mark.parametrize(("arch", "section"), list(typed()))
def test_commands_print_what_the_section_says_to_see(arch: str, section: Section, guides: Mapping[str, Guide]) -> None:
    if wrong := what_is_wrong(guides[arch].commands(section, arch)):
        pytest.fail(wrong, pytrace=False)
