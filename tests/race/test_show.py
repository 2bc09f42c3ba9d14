# SPDX-License-Identifier: GPL-2.0-only
"""Schedules as tables, and walks along them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path

import pytest

import emu.race
from emu.race import model
from emu.race.scenario import scenario_file
from emu.race.schedule.event import Event, What
from emu.race.schedule.permitted import NotPermitted
from emu.race.schedule.schedule import Schedule
from emu.race.schedule.show import row, state, table
from emu.race.schedule.walk import Walk

WITHOUT_SYNC = """\
scenario no-sync
"the tail is not synchronised before the breakpoint goes"
protocol breakpoint without 4
place 5
"""
NMI = "scenario nmi\nprotocol stop_machine\nnmi 1\nplace 13\n"
TWO_SITES = "scenario two\nprotocol breakpoint\nplace 0 5\nin-handler 2\n"


@functools.cache
def found(text: str, fetch: str) -> Schedule:
    return Schedule.of(model.explore(scenario_file.parse(text), fetch))


def below_the_head(text: str) -> str:
    return text.split("\n\n")[2]


def test_a_table_says_what_it_is_of() -> None:
    assert table(found(WITHOUT_SYNC, "torn1")).startswith("""\
no-sync: breakpoint without 4; x86_64, 2 CPUs, found on the model
the tail is not synchronised before the breakpoint goes
fetch torn1: each byte of each fetch is seen as it was at any time since the CPU synchronised

site 1, at byte 5 of its line of 64, crosses 8 bytes: nop > call
  old  0f 1f 44 00 00  nopl (%rax, %rax)
  new  e8 da b3 b2 20  callq 0xffffffffa1b2c3e4

""")


def test_a_synchronisation_is_left_out() -> None:
    text = table(found(WITHOUT_SYNC, "torn1"))
    assert below_the_head(text) == """\
     patcher              CPU 0                     CPU 1         ver   site 1           owes
---  -------------------  ------------------------  ------------  ---  ----------------  -------------------
                                                                    0   0f 1f 44 00 00
  1  writes 1+0  cc                                                 1  [cc]1f 44 00 00
  2  interrupts all CPUs                                                                 CPU 0, 1: interrupt
  3                       synchronises                                                   CPU 1: interrupt
  4                                                 synchronises
  5  writes 1+1  da b3                                              2   cc[da b3]00 00
  6  writes 1+3  b2 20                                              3   cc da b3[b2 20]
  7  writes 1+0  e8                                                 4  [e8]da b3 b2 20
  8                       e8 da b3 b2 00  TORN                      4   e8 da b3 b2 20
                          4  2  2  3  1
                          callq 0xffffffff81b2c3e4"""
    assert text.endswith("\n=> torn: executes what is neither old nor new at site 1: callq 0xffffffff81b2c3e4\n")
    assert max(map(len, text.split("\n"))) <= 120


def test_an_nmi_comes_while_cpus_wait() -> None:
    assert below_the_head(table(found(NMI, "torn8"))) == """\
     patcher               CPU 0                         CPU 1  ver   site 1           owes
---  --------------------  ----------------------------  -----  ---  ----------------  --------------
                                                                  0   0f 1f 44 00 00
  1  has all CPUs wait                                                                 CPU 0, 1: wait
  2                        waits                                                       CPU 1: wait
  3                        :                             waits
  4  writes 1+0  e8 d2 b3  :                             :        1  [e8 d2 b3]00 00
  5                        : NMI                         :
  6                        : | e8 d2 b3 00 00  TORN      :        1   e8 d2 b3 00 00
                           : | 1  .  .  0  .             :
                           : | callq 0xffffffff8100c3e4  :"""


def test_a_breakpoint_in_the_breakpoint_handler() -> None:
    text = table(found(TWO_SITES, "stale"))
    assert text.split("\n\n")[2] == """\
     patcher         CPU 0                                   CPU 1  ver   site 1            site 2           owes
---  --------------  --------------------------------------  -----  ---  ----------------  ----------------  ----
                                                                      0   0f 1f 44 00 00    0f 1f 44 00 00
  1  writes 1+0  cc                                                   1  [cc]1f 44 00 00    0f 1f 44 00 00
  2  writes 2+0  cc                                                   2   cc 1f 44 00 00   [cc]1f 44 00 00
  3                  1: cc 1f 44 00 00  breakpoint                    2   cc 1f 44 00 00    cc 1f 44 00 00
                     int3
  4                  | 2: cc 1f 44 00 00  NESTED-BREAKPOINT           2   cc 1f 44 00 00    cc 1f 44 00 00
                     |    2  .  .  .  .
                     | int3"""


def test_every_counter_example_of_the_corpus_is_shown() -> None:
    for path in sorted((Path(emu.race.__file__).parent / "corpus").glob("*.race")):
        scenario = scenario_file.read(path)
        for fetch in scenario.models:
            one = Schedule.of(model.explore(scenario, fetch))
            assert table(one).endswith(f"\n=> {one.wrong}: {one.why}\n" if one.wrong else "\n=> nothing wrong\n"), path


def on_a_machine(one: Schedule) -> Schedule:
    """The schedule with other call targets: each byte of a call's displacement differs."""
    other = bytes.maketrans(bytes.fromhex("df b3 b2 20 ec d0 d9 47"), bytes.fromhex("01 02 03 04 11 12 13 14"))
    events = [dataclasses.replace(event, code=event.code.translate(other), text="") for event in one.events]
    return dataclasses.replace(one, on="machine", digest="0123456789abcdef", events=tuple(events))


def test_a_machines_bytes_are_shown_where_its_events_tell_them() -> None:
    text = "scenario late\nprotocol flush without 2\nchange call > call\nnever late\n"
    one = found(text, "stale")
    walk = Walk(on_a_machine(one))
    seen = [event.code for event in walk.schedule.events if event.what is What.FETCH]
    assert seen == [bytes.fromhex("e8 01 02 03 04")]
    assert walk.points[0].memory == (bytes.fromhex("e8 01 02 03 04"),)
    assert walk.points[-1].memory == (bytes.fromhex("e8 11 12 13 14"),)
    assert walk.points[-1].seen == "old"


def test_bytes_that_no_event_tells_are_not_made_up() -> None:
    text = "scenario torn\nprotocol flush\nchange call > call\nplace 13\nfetch torn8\n"
    one = on_a_machine(found(text, "torn8"))
    fetched = [event for event in one.events if event.what is What.FETCH]
    assert [event.versions for event in fetched] == [(1, 0)]
    walk = Walk(one)
    assert walk.points[0].unknown == (frozenset({1, 2}),) and walk.points[-1].unknown == (frozenset(),)
    shown = table(one)
    assert " e8 ?? ?? " in shown and "\n??: of the machine's old call, which no event has fetched\n" in shown
    assert "  old  " not in shown and "??" not in table(found(text, "torn8"))


class Registers:
    def registers(self, number: int, cpu: int) -> Mapping[str, int]:
        return {"rip": 0x1000 * cpu + number}


def test_a_walk_goes_forwards_and_backwards() -> None:
    one = found(NMI, "torn8")
    walk = Walk(one, Registers())
    assert not walk.backwards() and walk.point.event is None and walk.registers(1) == {"rip": 0x1000}
    for number, event in enumerate(one.events, 1):
        assert walk.forwards() and walk.point.number == number and walk.point.event is event
    assert not walk.forwards() and walk.registers(1) == {"rip": 0x1006}
    last = walk.point
    assert (last.version, last.memory, last.parked, last.seen) == (1, (bytes.fromhex("e8 d2 b3 00 00"),), (True, True), "torn")
    assert last.may_see == ((range(2),), (range(2),))
    assert state(walk) == [
        "CPU 0: at byte 0 of site 1, in the NMI handler, while it waits; site 1 may be seen as of version 0 or later",
        "CPU 1: waits for the release; site 1 may be seen as of version 0 or later",
    ]
    assert walk.backwards() and walk.backwards() and walk.point.number == 4
    assert row(walk)[2:] == ["  4  writes 1+0  e8 d2 b3  :                             :        1  [e8 d2 b3]00 00"]
    assert walk.go_to(2) and walk.point.owes == ("", "wait")
    assert not walk.go_to(7) and not walk.go_to(-1) and walk.at == 2
    assert Walk(one).registers(0) is None


def test_an_event_that_is_not_possible_is_refused() -> None:
    one = found(NMI, "torn8")
    with pytest.raises(NotPermitted, match="event 4 is not permitted: cpu0 interrupt; permitted: nmi 1"):
        table(dataclasses.replace(one, events=(*one.events[:3], Event(0, What.INTERRUPT))))
    with pytest.raises(NotPermitted, match="event 7 is not permitted"):
        table(dataclasses.replace(one, events=(*one.events, Event(0, What.NMI, 1))))
