# SPDX-License-Identifier: GPL-2.0-only
"""emu tour: the ftrace documents from beginning to end. tests/documents types each of their sections, too."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from emu.machine_config import MachineConfig
from emu.tour import DOCUMENTS, Command, Guide, Section
from tests.cli.conftest import Emu
from tests.lib.said import what_is_wrong

TIMES = "what the sections say to see has its times"
Typed = list[tuple[Command, str]]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Collects the commands that a guide types, with their output."""
    typed: Typed = []

    def commands(self: Guide, section: Section, arch: str) -> Typed:
        shown = type_commands(self, section, arch)
        typed.extend(shown)
        return shown

    type_commands = Guide.commands
    monkeypatch.setattr(Guide, "commands", commands)
    return typed


@pytest.mark.default_timing(TIMES)
def test_the_tour_of_a_section(emu: Emu, typed: Typed) -> None:
    result = emu("tour", "--full", "ftrace", "output-format")
    assert (result.status, result.err) == (0, "")
    assert typed and not what_is_wrong(typed)
    shown = result.out.decode()
    assert "(emu tour ftrace output-format)\n" in shown
    assert all(f"    # {command.lines[0]}\n" in shown for command, _ in typed)


def test_a_section_has_a_machine_of_its_own(emu: Emu, typed: Typed) -> None:
    result = emu("tour", "--full", "ftrace", "stack-trace-at-boot")
    assert (result.status, result.err) == (0, "")
    assert typed and not what_is_wrong(typed)


def test_what_a_section_says_about_its_machine_is_configuration() -> None:
    names = {field.name for field in fields(MachineConfig)}
    said = [name for one in DOCUMENTS for section in one.sections for name in section.machine]
    assert said and names.issuperset(said)


@pytest.mark.long("tests/documents types the sections one by one")
@pytest.mark.default_timing(TIMES)
def test_the_tour_from_first_to_last(emu: Emu, typed: Typed) -> None:
    result = emu("tour", "--full")
    assert result.status == 0
    assert re.fullmatch(r"emu: function_graph: a return through 0x\w+ has no entry .*\n", result.err)  # one section causes this
    if wrong := what_is_wrong(typed):
        pytest.fail(wrong, pytrace=False)
    shown = result.out.decode()
    titles = [f"{section.title} (emu tour {one.name} {section.name})" for one in DOCUMENTS for section in one.sections]
    assert titles == [line for line in shown.splitlines() if line in titles]
    assert all(f"    # {command.lines[0]}\n" in shown for command, _ in typed)
    # A section's output does not depend on earlier sections.
    alone = emu("tour", "--full", "ftrace", "output-format").out.decode()
    assert alone.partition("\n\n")[2] in shown


def test_it_says_what_there_is(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    listed = emu("tour", "--list").out.decode()
    for one in DOCUMENTS:
        assert f"{one.name}: {one.title}\n" in listed
        assert all(f"  {section.name} " in listed for section in one.sections)


def test_it_says_of_each_example_whether_it_works(emu: Emu) -> None:
    shown = emu("tour", "--verdicts", "ftrace", "file-system").out.decode().splitlines()
    assert shown[:5] == [f"## {DOCUMENTS[0].title}", "", "### The File System", "", "`emu tour ftrace file-system`"]
    (section,) = (one for one in DOCUMENTS[0].sections if one.name == "file-system")
    assert sum(line.startswith("- ") for line in shown) == sum(not isinstance(part, str) for part in section.parts)


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
