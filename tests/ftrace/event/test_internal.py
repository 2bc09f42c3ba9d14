# SPDX-License-Identifier: GPL-2.0-only
"""The events of the system `ftrace`."""

from __future__ import annotations

import re

import numpy as np
import pytest

from emu.ftrace.buffers import entries
from emu.ftrace.event.call import EventCall, format_text
from emu.ftrace.event.internal import INTERNAL_EVENTS, VALUED_EVENTS
from tests.lib.golden import read_golden

NAMED = {call.name: call for call in INTERNAL_EVENTS}


def test_their_formats_are_those_of_linux() -> None:
    texts = [f"== events/ftrace/{name}/format\n{format_text(call)}" for name, call in sorted(NAMED.items())]
    theirs = re.findall(r"^== events/ftrace/(?:.*\n)+?(?=== )", read_golden("format-all.txt.gz"), re.MULTILINE)
    assert texts == theirs


WITHOUT_FORMAT = {entries.EventType.BLK}


def test_only_what_linux_has_no_format_of_has_none() -> None:
    assert set(entries.EventType) - {call.number for call in INTERNAL_EVENTS} == WITHOUT_FORMAT


@pytest.mark.parametrize("kind", [one for one in entries.EventType if hasattr(entries, one.name) and one not in WITHOUT_FORMAT])
def test_what_is_recorded_lies_where_the_format_says(kind: entries.EventType) -> None:
    """Except for the addresses of a kernel stack: the format has eight, and an entry the actual number."""
    call = next(call for call in INTERNAL_EVENTS if call.number == kind)
    format_fields = {field.name: (field.offset, field.size) for field in call.fields if field.size}
    recorded = fields_of(getattr(entries, kind.name))
    if kind is entries.EventType.KERNEL_STACK:
        recorded["caller"] = (entries.KERNEL_STACK.itemsize, 8 * 8)
    recorded.pop("padding", None)
    assert format_fields == recorded


@pytest.mark.parametrize(
    ("kind", "layout", "behind"),
    [
        (entries.EventType.FUNCTION, entries.FUNCTION, "args"),
        (entries.EventType.FUNCGRAPH_ENTRY, entries.VALUED_ENTRY, "args"),
        (entries.EventType.FUNCGRAPH_EXIT, entries.VALUED_EXIT, None),
    ],
)
def test_calls_with_values_lie_where_their_formats_say(
    kind: entries.EventType, layout: np.dtype[np.void], behind: str | None
) -> None:
    """Those of Linux 6.15: `unsigned long args[]` begins where the entry ends."""
    call = next(call for call in VALUED_EVENTS if call.number == kind)
    recorded = fields_of(layout)
    recorded.pop("padding", None)
    if behind is not None:
        recorded[behind] = (layout.itemsize, 0)
    assert {field.name: (field.offset, field.size) for field in call.fields} == recorded


def test_all_other_events_are_the_same_with_values() -> None:
    changed = {call.name for call, other in zip(VALUED_EVENTS, INTERNAL_EVENTS, strict=True) if call is not other}
    assert changed == {"function", "funcgraph_entry", "funcgraph_exit"}


def fields_of(layout: np.dtype[np.void]) -> dict[str, tuple[int, int]]:
    assert layout.fields is not None
    own = set(layout.names or ()) - set(entries.ENTRY.names or ())
    return {name: (layout.fields[name][1], layout.fields[name][0].itemsize) for name in own}


def test_each_number_is_of_one_event() -> None:
    calls: list[EventCall] = list(INTERNAL_EVENTS)
    assert len({call.number for call in calls}) == len(calls)
    assert max(call.number for call in calls) < 20, "the first number of the guest's events"
