# SPDX-License-Identifier: GPL-2.0-only
"""Schedules as text files."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import pytest

import emu.race
from emu.race import model
from emu.race.model.replay import replay
from emu.race.scenario import scenario_file
from emu.race.scenario.scenario import Wrong
from emu.race.scenario.text_file import TextError
from emu.race.schedule import schedule
from emu.race.schedule.event import PATCHER, Event, What
from emu.race.schedule.schedule import Schedule, parse, text_of

TEXT = """\
emu race schedule 1
on        machine
seed      -7
fetch     torn1
digest    48730c6eac8d8d97
scenario  own
    "one sentence"
    arch      x86_64
    place     5 13
    change    nop > call
    protocol
        write head breakpoint
        sync
    nmi       1
    cpus      2
    never     torn

patcher  write     1+0  cc
patcher  write     2+0  cc
patcher  sync
cpu 0    nmi       1
cpu 0    fetch     1+0  cc 1f 44 00 00  @ 1 0 0 0 0  # int3
cpu 0    handle    1                                 # does what is new
cpu 1    interrupt
cpu 1    fetch     2+2  44 00 00
=> torn: executes what is neither old nor new: at site 2
"""


def test_every_line_has_its_meaning() -> None:
    found = parse(TEXT)
    assert (found.on, found.seed, found.fetch, found.digest) == ("machine", -7, "torn1", "48730c6eac8d8d97")
    assert (found.wrong, found.why) == (Wrong.TORN, "executes what is neither old nor new: at site 2")
    assert (found.scenario.name, found.scenario.protocol_text) == ("own", "write head breakpoint; sync")
    assert found.events == (
        Event(PATCHER, What.WRITE, 1, 0, b"\xcc"),
        Event(PATCHER, What.WRITE, 2, 0, b"\xcc"),
        Event(PATCHER, What.SYNC),
        Event(0, What.NMI, 1),
        Event(0, What.FETCH, 1, 0, bytes.fromhex("cc 1f 44 00 00"), (1, 0, 0, 0, 0)),
        Event(0, What.HANDLE, 1),
        Event(1, What.INTERRUPT),
        Event(1, What.FETCH, 2, 2, bytes.fromhex("44 00 00")),
    )
    assert [event.text for event in found.events if event.text] == ["int3", "does what is new"]
    assert found.lines == tuple(range(18, 26))
    assert text_of(found) == TEXT


@functools.cache
def corpus() -> list[Schedule]:
    found = []
    for path in sorted((Path(emu.race.__file__).parent / "corpus").glob("*.race")):
        scenario = scenario_file.read(path)
        found += [Schedule.of(model.explore(scenario, fetch)) for fetch in scenario.models]
    return [one for one in found if one.events]


def test_what_the_model_finds_is_written_and_read_back() -> None:
    assert len(corpus()) > 30
    for one in corpus():
        text = text_of(one)
        again = parse(text)
        assert again == one and [event.text for event in again.events] == [event.text for event in one.events]
        assert text_of(again) == text


def test_a_protocol_of_a_file_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from emu.ftrace.sites.patching import Write\n"
        "def hasty(patches, _):\n    return [Write(p.address, p.old, p.new) for p in patches]\n"
    )
    path = tmp_path / "own.race"
    path.write_text("scenario own\nprotocol own.py:hasty\n")
    found = Schedule.of(model.explore(scenario_file.read(path), "stale"))
    (tmp_path / "own.schedule").write_text(text_of(found))
    (tmp_path / "own.py").unlink()
    again = schedule.read(tmp_path / "own.schedule")
    assert again.scenario.protocol_text == "write all new"
    assert again == dataclasses.replace(found, scenario=again.scenario)
    verdict = replay(again.events, again.scenario, again.fetch)
    assert (verdict.wrong, verdict.why) == (again.wrong, again.why)


# The beginning of a line of TEXT; its replacement; the error message.
ERRORS = {
    ("emu race", "emu race schedule 2"): "1:1: no schedule; its first line is `emu race schedule 1`",
    ("on", "on both"): "2:4: 'both' is no engine; model or machine",
    ("on", "on model"): "5:11: '48730c6eac8d8d97' is no digest of the model; -",
    ("on", ""): "18:1: the schedule has no `on`; it has each of on, seed, fetch, digest, scenario",
    ("seed", "seed x"): "3:6: 'x' is no seed; a number of at most 40 digits",
    ("seed", "sead 1"): "3:1: 'sead' is no word of a schedule; on, seed, fetch, digest or scenario; did you mean seed?",
    ("seed", "on model"): "3:1: 'on' again; it is in line 2",
    ("seed", "    1"): "3:5: the line is indented; only those below `scenario` are",
    ("fetch", "fetch word"):
    "4:7: 'word' is no fetch model of x86_64; coherent, stale, torn1, torn8, torn16, torn64 or translation",
    ("fetch", "fetch"): "4:6: 'fetch' has no value; one value is needed",
    ("digest", "digest -"): "5:8: '-' is no digest; 8 to 64 digits in hexadecimal",
    ("    nmi", "    nmi 3"): "14:9: '3' is no site of the scenario; a number from 1 to 2",
    ("    nmi", "  nmi 1"): "14:3: the line is indented by 2; by 4",
    ("        sync", "        synk"):
    "13:9: 'synk' is no step; write, sync, park, release, free, wait-tasks, forget, know, lock or unlock; did you mean sync?",
    ("patcher  write     1", "patcher  write     3+0 cc"): "18:20: '3+0': there is no such site; a number from 1 to 2",
    ("patcher  write     1", "patcher  write     1+5 cc"): "18:20: '1+5' is behind the site; an offset from 0 to 4",
    ("patcher  write     1", "patcher  write     1 cc"): "18:20: '1' is no place; SITE+OFFSET, as 1+0",
    ("patcher  write     1", "patcher  write     1+4 cc cc"): "18:24: 2 bytes; 1 to 1, which the site has from there on",
    ("patcher  write     1", "patcher  write     1+0"): "18:23: 0 bytes; 1 to 5, which the site has from there on",
    ("patcher  write     1", "patcher  write     1+0 c"): "18:24: 'c' is no byte; two digits in hexadecimal",
    ("patcher  write     1", "patcher  write     1+0 cc @ 1"): "18:27: '@' is one word too many; a comment begins with #",
    ("patcher  sync", "patcher  sync 1"): "20:15: '1' is one word too many; a comment begins with #",
    ("patcher  sync", "patcher  fetch 1+0 cc"):
    "20:10: 'fetch' is no thing that a patcher does; write, sync, park, release, free, wait-tasks, know, forget, lock, unlock, "
    "preempt or done",
    ("patcher  sync", "seed 1"): "20:1: 'seed' among the events; patcher, cpu, or => and the end",
    ("cpu 0    nmi", "cpu 2    nmi 1"): "21:5: '2' is no CPU of the scenario; a number from 0 to 1",
    ("cpu 0    nmi", "cpu"): "21:4: '' is no CPU of the scenario; a number from 0 to 1",
    ("cpu 0    nmi", "cpu 0    nmi"): "21:13: '' is no site of the scenario; a number from 1 to 2",
    ("cpu 0    nmi", "cpu 0    nmj 1"):
    "21:10: 'nmj' is no thing that a CPU does; fetch, handle, interrupt, wait, go-on, nmi, return, irq, idle, offline, online, "
    "leave, enter or exit",
    ("cpu 1    fetch", "cpu 1    fetch 2+0 cc @ 1 2"): "25:23: 2 versions of 1 bytes; one for each unit of the fetch",
    ("cpu 1    fetch", "cpu 1    fetch 2+0 cc @ x"): "25:25: 'x' is no version; a number from 0 to 65535",
    ("=>", "=> tron: why"):
    "26:4: 'tron' is no word for what goes wrong; torn, half, late, unknown-breakpoint, nested-breakpoint, skipped, freed, "
    "overwritten, stuck or starved; did you mean torn?",
    ("=>", ""): "27:1: the schedule has no end; `=> ` and what goes wrong",
    ("patcher  sync", "=> torn: early"): "20:1: `=>` is not the end; it is once, and no event follows it",
    ("=>", "=> torn: one\n=> torn: two"): "27:1: `=>` is not the end; it is once, and no event follows it",
}  # fmt: skip


@pytest.mark.parametrize(("line", "instead"), ERRORS, ids=repr)
def test_what_is_wrong_is_said_in_a_line(line: str, instead: str) -> None:
    lines = TEXT.split("\n")
    lines[next(n for n, one in enumerate(lines) if one.startswith(line))] = instead
    with pytest.raises(TextError) as caught:
        parse("\n".join(lines), "wrong.schedule")
    assert str(caught.value) == f"wrong.schedule:{ERRORS[line, instead]}"


def test_a_protocol_of_a_file_is_refused_in_a_schedule() -> None:
    text = TEXT.replace("    protocol\n        write head breakpoint\n        sync\n", "    protocol own.py:f\n")
    with pytest.raises(TextError, match=r"^s:11:14: a file's protocol; breakpoint, flush, stop_machine, pair, or nothing"):
        parse(text, "s")
