# SPDX-License-Identifier: GPL-2.0-only
"""Schedules as text files: a scenario, where and how the schedule was found, and its events.

    emu race schedule 1
    on        model
    seed      0
    fetch     torn1
    digest    -
    scenario  hasty
        place     5
        ...

    patcher  write     1+0  cc
    cpu 1    fetch     1+0  cc 1f 44 00 00  @ 1 0    # int3
    => torn: executes what is neither old nor new at site 1

Sites count from 1; after `@` are the versions of the fetched units (`emu.race.scenario.fetch.Views`); `#` begins a comment.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from emu.race.model.model_sites import model_patches
from emu.race.scenario.protocol_text import MOST_LOCKS
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.scenario.scenario_file import parse_lines
from emu.race.scenario.scenario_format import format as format_scenario
from emu.race.scenario.text_file import Line, TextFile, Word, one_line, quoted, read_text
from emu.race.schedule.event import PATCHER, Event, What, agent_name
from emu.race.schedule.verdict import Verdict

__all__ = ["ENGINES", "Schedule", "parse", "read", "text_of", "write"]

ENGINES = ("model", "machine")
_FIRST = "emu race schedule 1"
_LONGEST = 1 << 22  # bytes
_HEAD = ("on", "seed", "fetch", "digest", "scenario")
_INDENT = 4
_SEED = re.compile(r"-?[0-9]{1,40}")
_VERSIONS = range(1 << 16)
_NO_DIGEST = "-"
_DIGEST = re.compile(r"[0-9a-f]{8,64}")
_PLACE = re.compile(r"(\d{1,3})\+(\d{1,3})")
_BYTE = re.compile(r"[0-9a-fA-F]{2}")
_OF_PATCHER = (
    What.WRITE, What.SYNC, What.PARK, What.RELEASE, What.FREE, What.WAIT_TASKS, What.KNOW, What.FORGET, What.LOCK, What.UNLOCK,
    What.PREEMPT, What.DONE,
)  # fmt: skip
_OF_CPU = tuple(what for what in What if what not in _OF_PATCHER)
_FOR_TEXTS = 44  # the column of the comments, from 0, unless an event is longer


@dataclass(frozen=True)
class Schedule:
    """Events that lead to something wrong, with their scenario.

    Attributes:
        scenario: the scenario, with the CPUs and sites that were searched.
        on: the engine on which it was found: "model" or "machine".
        seed: the machine's seed.
        fetch: the name of the fetch model.
        digest: a digest of the machine's base state and images; "" on the model.
        events: the events, in order.
        wrong: the result; None if nothing is wrong.
        why: the result as a sentence.
        lines: the line number of each event in its file, from 1; () if it was not read. It is not compared.
    """

    scenario: Scenario
    on: str
    seed: int
    fetch: str
    digest: str
    events: tuple[Event, ...]
    wrong: Wrong | None
    why: str
    lines: tuple[int, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, verdict: Verdict, seed: int = 0) -> Schedule:
        """The counterexample of a verdict. `seed` is the machine's."""
        scenario = verdict.scenario
        return cls(scenario, verdict.on, seed, verdict.fetch, verdict.digest, verdict.schedule, verdict.wrong, verdict.why)


def text_of(schedule: Schedule) -> str:
    """A schedule as a text, which `parse` turns into an equal one. A file's protocol is written out as steps.

    Raises:
        ValueError: the scenario's protocol cannot be performed.
    """
    first, *lines = format_scenario(schedule.scenario, files=False).splitlines()
    head = [
        _FIRST,
        f"on        {schedule.on}",
        f"seed      {schedule.seed}",
        f"fetch     {schedule.fetch}",
        f"digest    {schedule.digest or _NO_DIGEST}",
        first,
        *(" " * _INDENT + line for line in lines),
        "",
    ]
    bodies = [_body(event) for event in schedule.events]
    column = max([_FOR_TEXTS, *map(len, bodies)]) + 2
    events = [
        f"{body:{column}}# {text}" if (text := one_line(event.text)) else body
        for body, event in zip(bodies, schedule.events, strict=True)
    ]
    verdict = f"=> {schedule.wrong}: {one_line(schedule.why)}" if schedule.wrong else "=> nothing wrong"
    return "\n".join([*head, *events, verdict.rstrip(), ""])


def write(schedule: Schedule, path: Path) -> None:
    """Writes a schedule to a file."""
    path.write_text(text_of(schedule), encoding="utf-8")


def _body(event: Event) -> str:
    agent = agent_name(event, "cpu ")
    values = ""
    if event.what in (What.WRITE, What.FETCH):
        values = f"{event.site}+{event.offset}  {event.code.hex(' ')}"
        if event.versions:
            values += f"  @ {' '.join(map(str, event.versions))}"
    elif event.site:
        values = str(event.site)
    return f"{agent:8} {event.what:9} {values}".rstrip()


def read(path: Path) -> Schedule:
    """Reads the schedule in a file.

    Raises:
        TextError: the file cannot be read, or is not a schedule.
    """
    return parse(read_text(path, _LONGEST), path)


def parse(text: str, path: str | Path = "schedule") -> Schedule:
    """Parses the text of a schedule. Whether its events are possible is left to a replay.

    Raises:
        TextError: it is not a schedule.
    """
    return _Parser(text, path).schedule()


class _Parser:
    def __init__(self, text: str, path: str | Path) -> None:
        verdicts = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.startswith("=>")]
        # The text after "=>" is a sentence rather than words: it is read separately.
        kept = ["" if line.startswith("=>") else line for line in text.split("\n")]
        self._file = TextFile("\n".join(kept), path)
        self._verdicts = verdicts
        self._head: dict[str, Line] = {}
        self._scenario: list[Line] = []
        self._events: list[Line] = []
        lines = self._file.lines
        if not lines or " ".join(word.text for word in lines[0].words) != _FIRST:
            raise self._file.error(lines[0].head if lines else self._file.end, f"no schedule; its first line is `{_FIRST}`")
        for line in lines[1:]:
            self._take(line)

    def _take(self, line: Line) -> None:
        file, word = self._file, line.head
        if word.text in ("patcher", "cpu") and not line.indent:
            self._events.append(line)
        elif self._events:
            raise file.error(word, f"{quoted(word.text)} among the events; patcher, cpu, or => and the end")
        elif line.indent:
            if list(self._head)[-1:] != ["scenario"]:
                raise file.error(word, "the line is indented; only those below `scenario` are")
            if line.indent < _INDENT:
                raise file.error(word, f"the line is indented by {line.indent}; by {_INDENT}")
            self._scenario.append(line)
        elif file.choice(word, _HEAD, "word of a schedule") in self._head:
            raise file.error(word, f"{quoted(word.text)} again; it is in line {self._head[word.text].head.line}")
        else:
            self._head[word.text] = line

    def schedule(self) -> Schedule:
        file = self._file
        for word in _HEAD:
            if word not in self._head:
                raise file.error(
                    self._events[0].head if self._events else file.end,
                    f"the schedule has no `{word}`; it has each of {', '.join(_HEAD)}",
                )
        scenario = parse_lines(file, [self._head["scenario"], *self._scenario], None)
        on = file.choice(self._one("on"), ENGINES, "engine")
        seed = self._one("seed")
        if not _SEED.fullmatch(seed.text):
            raise file.error(seed, f"{quoted(seed.text)} is no seed; a number of at most 40 digits")
        models = [model.name for model in scenario.race_arch.fetch_models]
        fetch = file.choice(self._one("fetch"), models, f"fetch model of {scenario.arch}")
        digest = self._digest(on)
        sizes = [len(patch.old) for patch in model_patches(scenario)]
        events = tuple(self._event(line, scenario, sizes) for line in self._events)
        wrong, why = self._verdict()
        lines = tuple(line.head.line for line in self._events)
        return Schedule(scenario, on, int(seed.text), fetch, digest, events, wrong, why, lines)

    def _one(self, name: str) -> Word:
        return self._file.one(self._head[name], "one value")

    def _digest(self, on: str) -> str:
        word = self._one("digest")
        if on == "model":
            self._file.choice(word, (_NO_DIGEST,), "digest of the model")
            return ""
        if not _DIGEST.fullmatch(word.text):
            raise self._file.error(word, f"{quoted(word.text)} is no digest; 8 to 64 digits in hexadecimal")
        return word.text

    def _verdict(self) -> tuple[Wrong | None, str]:
        if not self._verdicts:
            raise self._file.error(self._file.end, "the schedule has no end; `=> ` and what goes wrong")
        (number, line), *more = self._verdicts
        last = max((event.head.line for event in self._events), default=0)
        for at in [number] if number < last else [n for n, _ in more[:1]]:
            raise self._file.error(Word("", at, 1), "`=>` is not the end; it is once, and no event follows it")
        text = line[2:].strip()
        if "\0" in text:
            raise self._file.error(Word("", number, line.index("\0") + 1), "a NUL byte; a text has none")
        if text == "nothing wrong":
            return None, ""
        name, _, why = text.partition(":")
        word = Word(name, number, len(line) - len(line[2:].lstrip()) + 1)
        return Wrong(self._file.choice(word, [wrong.value for wrong in Wrong], "word for what goes wrong")), one_line(why)

    # Events

    def _event(self, line: Line, scenario: Scenario, sizes: Sequence[int]) -> Event:
        file, words = self._file, list(line.words)
        agent = PATCHER
        if words.pop(0).text == "cpu":
            agent = file.number(words.pop(0) if words else line.end, range(scenario.cpus), "CPU of the scenario")
        elif words and words[0].text.isdigit():
            agent = 1 + PATCHER - file.number(words.pop(0), range(1, len(scenario.others) + 2), "patcher of the scenario")
        kinds = _OF_PATCHER if agent <= PATCHER else _OF_CPU
        whose = "thing that a patcher does" if agent <= PATCHER else "thing that a CPU does"
        what = What(file.choice(words.pop(0) if words else line.end, [kind.value for kind in kinds], whose))
        event = Event(agent, what, text=one_line(line.comment))
        if what in (What.WRITE, What.FETCH):
            site, offset = self._place(words.pop(0) if words else line.end, sizes)
            code = self._bytes(words, line.end, sizes[site - 1] - offset)
            event = dataclasses.replace(event, site=site, offset=offset, code=code)
        elif what in (What.HANDLE, What.NMI, What.IRQ, What.IDLE) or (what in (What.KNOW, What.FORGET) and words):
            site = file.number(words.pop(0) if words else line.end, range(1, len(sizes) + 1), "site of the scenario")
            event = dataclasses.replace(event, site=site)
        elif what in (What.LOCK, What.UNLOCK):
            number = file.number(words.pop(0) if words else line.end, range(1, MOST_LOCKS + 1), "lock")
            event = dataclasses.replace(event, site=number)
        if what is What.FETCH and words and words[0].text == "@":
            versions = [file.number(word, _VERSIONS, "version") for word in words[1:] or [line.end]]
            if len(versions) > len(event.code):
                raise file.error(words[0], f"{len(versions)} versions of {len(event.code)} bytes; one for each unit of the fetch")
            return dataclasses.replace(event, versions=tuple(versions))
        if words:
            raise file.error(words[0], f"{quoted(words[0].text)} is one word too many; a comment begins with #")
        return event

    def _place(self, word: Word, sizes: Sequence[int]) -> tuple[int, int]:
        found = _PLACE.fullmatch(word.text)
        if found is None:
            raise self._file.error(word, f"{quoted(word.text)} is no place; SITE+OFFSET, as 1+0")
        site, offset = int(found[1]), int(found[2])
        if not 1 <= site <= len(sizes):
            raise self._file.error(word, f"{quoted(word.text)}: there is no such site; a number from 1 to {len(sizes)}")
        if offset >= sizes[site - 1]:
            raise self._file.error(word, f"{quoted(word.text)} is behind the site; an offset from 0 to {sizes[site - 1] - 1}")
        return site, offset

    def _bytes(self, words: list[Word], end: Word, most: int) -> bytes:
        """Parses bytes from the words."""
        first = words[0] if words else end
        found = []
        while words and words[0].text != "@":
            word = words.pop(0)
            if not _BYTE.fullmatch(word.text):
                raise self._file.error(word, f"{quoted(word.text)} is no byte; two digits in hexadecimal")
            found.append(int(word.text, 16))
        if not 1 <= len(found) <= most:
            raise self._file.error(first, f"{len(found)} bytes; 1 to {most}, which the site has from there on")
        return bytes(found)
