# SPDX-License-Identifier: GPL-2.0-only
"""Schedules as pictures, and as pages to click through."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from emu.race.corpus_rows import row_of, rows
from emu.race.model import explore
from emu.race.schedule.picture import page, svg
from emu.race.schedule.schedule import Schedule

SVG = "{http://www.w3.org/2000/svg}"


def schedule_of(name: str) -> Schedule:
    row = row_of(name)
    fetch = next(fetch for fetch, expected in row.scenario.expect.items() if expected.unsafe)
    return Schedule.of(explore(row.scenario, fetch))


@pytest.mark.parametrize("name", [row.name for row in rows()])
def test_each_event_is_a_box_in_its_lane(name: str) -> None:
    schedule = schedule_of(name)
    picture = ElementTree.fromstring(svg(schedule))
    events = [group for group in picture.iter(f"{SVG}g") if group.get("class", "").startswith("event")]
    assert [group.get("id") for group in events] == [f"e{n}" for n in range(1, len(schedule.events) + 1)]
    lefts = [int(group.find(f"{SVG}rect").get("x")) for group in events]  # type: ignore[union-attr,arg-type]
    agents = [event.agent for event in schedule.events]
    assert len({*zip(lefts, agents, strict=True)}) == len(set(agents)) == len(set(lefts))
    tops = [int(group.find(f"{SVG}rect").get("y")) for group in events]  # type: ignore[union-attr,arg-type]
    assert tops == sorted(set(tops)) and tops[-1] < int(picture.get("height", "0"))
    wrong = [group.get("class") for group in events].count("event wrong")
    assert wrong == (schedule.wrong not in ("stuck", "starved"))


def test_a_page_has_a_state_after_each_event() -> None:
    schedule = schedule_of("2009-nmi-in-stop-machine")
    text = page(schedule)
    (data,) = re.findall(r"const states = (.*);$", text, re.MULTILINE)
    states = json.loads(data)
    assert len(states) == len(schedule.events) + 1
    assert states[0].startswith("memory has version 0\nsite 1: 0f 1f 44 00 00\n\nCPU 0: elsewhere in the kernel")
    assert "CPU 0: in the NMI handler" in states[5] or "in the NMI handler" in states[5]
    assert "<h1>2009-nmi-in-stop-machine</h1>" in text and "torn: executes what is neither" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_names_cannot_break_a_page() -> None:
    schedule = schedule_of("2012-tail-first")
    scenario = schedule.scenario.__class__(**{**vars(schedule.scenario), "name": "</script><b>", "about": "a & b"})
    text = page(schedule.__class__(**{**vars(schedule), "scenario": scenario}))
    assert text.count("</script>") == 1 and "&lt;/script&gt;&lt;b&gt;" in text and "a &amp; b" in text
