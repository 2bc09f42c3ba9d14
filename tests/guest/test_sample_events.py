# SPDX-License-Identifier: GPL-2.0-only
"""The events of a module: they come with it, match what it did, and go with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.commands import run
from tests.lib.event_lines import events_of

_ROUNDS = "echo {} > /sys/module/sample_events/parameters/rounds"


@pytest.fixture
def loaded(machine: Machine) -> Iterator[Machine]:
    """The machine with the module loaded, before its thread's first round."""
    run(machine, "insmod /lib/modules/sample_events.ko")
    yield machine
    run(machine, "rmmod sample_events")


def test_each_kind_of_field_says_what_the_module_filled_in(loaded: Machine) -> None:
    lines = events_of(loaded, "sample_events:*", _ROUNDS.format(4))
    basket = [line.text for line in lines if line.name == "sample_basket"]
    assert basket == [
        "sh: sh's basket 0: apple ",
        "sh: sh's basket 1: pear ripe",
        "sh: sh's basket 2: plum washed",
        "sh: sh's basket 3: apple ripe|washed",
    ]
    lists = [line.text for line in lines if line.name == "sample_lists"]
    assert [text.partition(" on ")[0] for text in lists] == [
        "0: {0x0,0x0,0x0}",
        "1: {0x1,0x1,0x1}",
        "2: {0x2,0x4,0x8}",
        "3: {0x3,0x9,0x1b}",
    ]
    cpus = {text.partition(" on ")[2] for text in lists}
    assert len(cpus) == 1 and all(int(word, 16) & 3 in (0, 3) for word in cpus.pop().split(","))
    assert [line.text for line in lines if line.name == "sample_even"] == ["0", "2"]


def test_events_of_a_class_share_fields_and_not_texts(loaded: Machine) -> None:
    lines = events_of(loaded, "sample_round_begin sample_round_end", _ROUNDS.format(2))
    assert [(line.name, line.text) for line in lines] == [
        ("sample_round_begin", "round 0"),
        ("sample_round_end", "1 rounds done"),
        ("sample_round_begin", "round 1"),
        ("sample_round_end", "2 rounds done"),
    ]
    begin, end = (loaded.tracefs.read(f"events/sample_events/sample_round_{name}/format") for name in ("begin", "end"))
    fields = begin.partition("format:\n")[2].partition("print fmt")[0]
    assert fields == end.partition("format:\n")[2].partition("print fmt")[0]
    assert "field:unsigned long number;\toffset:8;\tsize:8;\tsigned:0;" in fields


def test_they_come_and_go_with_the_module(machine: Machine) -> None:
    assert "sample_events" not in machine.tracefs.read("available_events")
    run(machine, "insmod /lib/modules/sample_events.ko")
    assert machine.tracefs.read("available_events").count("sample_events:") == 5
    names = machine.tracefs.read("eval_map").splitlines()[-3:]  # behind the kernel's
    assert sorted(names) == ["SAMPLE_APPLE 0 (sample_events)", "SAMPLE_PEAR 1 (sample_events)", "SAMPLE_PLUM 2 (sample_events)"]
    run(machine, "rmmod sample_events")
    assert "sample_events" not in machine.tracefs.read("available_events") + machine.tracefs.read("eval_map")
