# SPDX-License-Identifier: GPL-2.0-only
"""Damaged text files of the race lab: each is refused in one line with the position, or can be written again."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import emu.race
from emu.race import model
from emu.race.limits import Limits
from emu.race.scenario import scenario_file, scenario_format
from emu.race.scenario.scenario import Scenario
from emu.race.scenario.text_file import TextError, decoded
from emu.race.schedule import schedule, show
from tests.fuzz import Outcome

__all__ = ["damaged", "scenarios", "schedules"]

_RUBBISH = (
    "", "#", '"', "=>", "@", ">", "0", "-1", "00", "1", "2", "9" * 5000, "\u0661", "0x1", "1+0", "2+9", "cc", "cpu 0", "\u2028",
    "\x0b", "\r", "\t", "x" * 300, "nosuch.py:f", "patcher", "write", "fetch", "without 1", "swap 1 2", "on", "safe",
)  # fmt: skip
_PATH = "damaged"
_LINE = re.compile(rf"{_PATH}:\d+:\d+: .+; .+")


def damaged(text: str, words: Sequence[str], seed: int) -> bytes:
    """A text with some damage: words exchanged, doubled, missing, lines moved, characters and bytes changed, the end cut off."""
    chance = random.Random(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        match chance.randrange(8):
            case 0:
                lines[at] = ""
            case 1:
                lines.insert(chance.randrange(len(lines)), lines[at])
            case 2:
                other = chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                lines[at] = lines[at].removeprefix("    ") if chance.random() < 0.5 else "    " + lines[at]
            case 4:
                lines = lines[:at]
            case _:
                parts = re.split(r"(\s+)", lines[at])
                n = chance.randrange(len(parts))
                parts[n] = chance.choice((*_RUBBISH, *words, parts[n] * 2))
                lines[at] = "".join(parts)
        text = "\n".join(lines)
    data = bytearray(text.encode())
    if chance.random() < 0.2 and data:
        data[chance.randrange(len(data))] = chance.choice((0, 9, 10, 13, 34, 35, 0x80, 0xC3, 0xFF, chance.randrange(256)))
    return bytes(data)


def scenarios(arch: str, seed: int, numbers: range) -> Outcome:
    """Reads damaged scenarios."""

    def tried(text: str) -> None:
        found = scenario_file.parse(text, _PATH)
        _searched(found)
        assert scenario_file.parse(scenario_format.format(found), _PATH) == found

    return _try("race", [*_SCENARIOS[arch], *_corpus(arch)], tried, seed, numbers)


def _corpus(arch: str) -> list[str]:
    """The texts of the corpus's scenarios of an architecture, without protocols in files."""
    texts = [path.read_text() for path in sorted((Path(emu.race.__file__).parent / "corpus").glob("*.race"))]
    return [text for text in texts if ".py:" not in text and scenario_file.parse(text).arch == arch]


def _searched(scenario: Scenario) -> None:
    """A short search of it: impossible ones are refused in one line."""
    try:
        model.explore(scenario, scenario.models[0], Limits(states=200, seconds=0.2))
    except ValueError as error:
        assert "\n" not in str(error)


def schedules(arch: str, seed: int, numbers: range) -> Outcome:
    """Reads and shows damaged schedules."""
    of = [scenario_file.parse(text) for text in (_SCENARIOS[arch][0], _SEVERAL[arch])]
    found = [schedule.Schedule.of(model.explore(one, fetch)) for one in of for fetch in one.models]

    def tried(text: str) -> None:
        read = schedule.parse(text, _PATH)
        assert schedule.parse(schedule.text_of(read), _PATH) == read
        try:
            show.table(read)
        except ValueError as error:  # an event that is not possible
            assert "\n" not in str(error)

    return _try("schedule", [schedule.text_of(one) for one in found if one.events], tried, seed, numbers)


def _try(kind: str, texts: Sequence[str], tried: Callable[[str], None], seed: int, numbers: range) -> Outcome:
    outcome = Outcome()
    words = sorted({word for text in texts for word in text.split()})
    for number in numbers:
        data = damaged(texts[number % len(texts)], words, (seed << 32) + number)
        try:
            tried(decoded(data, _PATH))
        except TextError as error:
            outcome.counts["refused"] += 1
            if not _LINE.fullmatch(str(error)):
                outcome.findings.append(f"{kind} {number} of seed {seed}: {error}")
        except Exception as error:  # a crash
            outcome.findings.append(f"{kind} {number} of seed {seed}: {error!r}")
        else:
            outcome.counts["accepted"] += 1
    return outcome


_X86_64 = """\
scenario  breakpoint-without-4
"the tail is not synchronised before the breakpoint goes"
arch      x86_64
place     5 13
change    nop > call
protocol  breakpoint without 4
handler   emulate
misses    2
nmi       1 2
in-handler 2
visits    2
fetch     stale torn1 torn8
never     torn unknown-breakpoint late
expect    unsafe on stale
expect    torn on torn1 torn8
"""
_WRITTEN = """\
scenario written
place 0 61
change call > call
protocol
    park
    write 1 head breakpoint      # the breakpoint
    write +1..4 new
    release
    write 2 +0 cc
    sync
    free
fails 2
deaf 1
user
entry 1
expect safe
"""
_PATCHERS = """\
scenario several
protocol
    lock
    write head breakpoint
    sync
    know 1
    write all new by 4 1
    unlock 1
patcher preempts
    lock 2
    write tail old
    forget
    unlock 2
patcher breakpoint without 2
handler wait
hotplug locked
nests
ist nmi breakpoint
irq 1
idle 1
stores whole
live
cpus 1
fetch torn8 translation
expect unsafe on torn8
"""
_PATCHER = (
    "protocol\n    lock\n    write all new\n    sync\n    unlock\n"
    "patcher preempts\n    write all old\npatcher flush\nlive\n"
)
_SEVERAL = {
    "x86_64": "scenario several\nprotocol breakpoint\npatcher preempts\n    lock\n    write all old\n    unlock\nfetch torn8\n",
    "sparc64": f"scenario several\narch sparc64\n{_PATCHER}",
    "riscv64": f"scenario several\narch riscv64\n{_PATCHER}",
}
_SCENARIOS = {
    "x86_64": (_X86_64, _WRITTEN, _PATCHERS),
    "sparc64": (
        "scenario flush\narch sparc64\nplace 0 32\nprotocol flush without 2\nnmi 1\nexpect late\n",
        "scenario written\narch sparc64\nchange call > nop\nprotocol\n    write all new\n    sync\n    wait-tasks\n    free\n",
        _SEVERAL["sparc64"],
    ),
    "riscv64": (
        "scenario pair\narch riscv64\nplace 0 32\nchange nops > pair\nprotocol flush without 2\nnmi 1\nexpect half\n",
        "scenario written\narch riscv64\nchange call > nop\nprotocol\n    write all new\n    sync\n    wait-tasks\n    free\n",
        _SEVERAL["riscv64"],
    ),
}
