# SPDX-License-Identifier: GPL-2.0-only
"""The rows of the corpus on the booted guest: its patching driver makes the mutant's steps, and the guest says what comes of it.

Each uses one of its fetch models, in rotation. The number of events of a shortest schedule is the model's.
"""

from __future__ import annotations

import re

import pytest

from emu.race import machine, model
from emu.race.agreement import Case, disagreement
from emu.race.corpus_rows import row_of, rows
from emu.race.model.replay import replay as model_replay
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import What
from tests.documents.sessions import ROOT

_ROWS = rows()
_SCENARIOS = [
    scenario for row in _ROWS for scenario in (row.scenario, row.fixed) if machine.unsupported(scenario) is None
]

_OOPS = r"then: guest oops on CPU \d \| task race_lab/\d, pid \d+ \| ip [0-9a-f]{16}  "
_IN_SITE = _OOPS + r"race_site_0a\+0x1/"  # behind the breakpoint
_NOTICES_NOTHING = "the guest notices nothing for 3 ms"

# What goes wrong under a fetch model, after how many events, and what the guest says: derived from the row's story.
_EXPECTED = {
    "2005-breakpoint-gone": ("coherent", Wrong.BREAKPOINT, 12, "then: guest panic on CPU 0: breakpoint at race_site_0a"),
    "2008-stale-record": ("coherent", Wrong.TORN, 2, _OOPS + "0x"),  # it calls where nothing is mapped
    "2008-two-nops": ("coherent", Wrong.TORN, 8, _OOPS),
    "2009-memcpy-nmi": ("coherent", Wrong.TORN, 6, "then: guest panic on CPU 0: Fatal exception in interrupt"),
    "2009-nmi-in-stop-machine": ("torn8", Wrong.TORN, 6, "then: guest panic on CPU 0: Fatal exception in interrupt"),
    "2010-jump-inside": ("coherent", Wrong.TORN, 7, _OOPS),
    "2012-breakpoint-stack": ("stale", Wrong.OVERWRITTEN, 4, _OOPS + "0x"),  # it returns to what the other handler left there
    "2012-iret-in-nmi": ("stale", Wrong.OVERWRITTEN, 5, r"then: guest panic on CPU \d: Fatal exception in interrupt"),
    "2012-one-store": ("stale", Wrong.TORN, 2, _OOPS),
    "2012-tail-first": ("torn1", Wrong.TORN, 2, _OOPS),
    "2014-trampoline-freed": ("coherent", Wrong.FREED, 14, _OOPS + r"0x[0-9a-f]*a5[0-9]\b"),  # at the trampoline's first byte
    "2017-optprobe-preempted": ("torn8", Wrong.TORN, 7, _OOPS),
    "2018-interrupt-while-parked": ("coherent", Wrong.STUCK, 5, "then: patching does not end"),  # the interrupt is not taken
    "2019-breakpoint-as-nop": ("coherent", Wrong.SKIPPED, 3, _NOTICES_NOTHING),
    "2019-forgotten-early": ("coherent", Wrong.BREAKPOINT, 12, _IN_SITE),
    "2020-static-call-tail": ("coherent", Wrong.TORN, 10, _NOTICES_NOTHING),  # it comes back behind the call
    "2021-short-jump": ("torn64", Wrong.TORN, 2, _OOPS),
    "2022-pair": ("ziccif", Wrong.HALF, 8, r"then: guest (oops|panic) on CPU \d"),
    "2024-release-without-flush": ("ziccif", Wrong.LATE, 9, _NOTICES_NOTHING),
    "2025-vector-of-sites": ("coherent", Wrong.BREAKPOINT, 4, _OOPS + "race_site_0b"),
    "rule-know-late": ("coherent", Wrong.BREAKPOINT, 3, _IN_SITE),
    "rule-page-crossing": ("torn64", Wrong.TORN, 2, _OOPS),
    "rule-return-thunk": ("coherent", Wrong.TORN, 2, _OOPS + "0x"),
    "rule-unaligned-word": ("ziccif", Wrong.TORN, 2, _NOTICES_NOTHING),  # jalr t0, ra, 0 only returns
    "rule-undo-after-free": ("coherent", Wrong.FREED, 9, _OOPS + r"0x[0-9a-f]*a5[0-9]\b"),
    "rule-wait-while-parked": ("coherent", Wrong.STUCK, 4, "the guest notices nothing for 60 ms"),  # all its CPUs wait
    "rule-word-store": ("word", Wrong.LATE, 3, _NOTICES_NOTHING),
}


@pytest.mark.parametrize("name", _EXPECTED)
def test_the_guest_has_the_bug_of_a_row(name: str) -> None:
    fetch, wrong, events, says = _EXPECTED[name]
    scenario = row_of(name).scenario
    found = machine.explore(scenario, fetch)
    assert (found.on, found.wrong, len(found.schedule)) == ("machine", wrong, events), found.why
    assert re.search(says, found.why), found.why
    again = model_replay(found.schedule, scenario, fetch)
    assert again.wrong is wrong, "the model permits the machine's schedule, and finds the same"


@pytest.mark.parametrize("scenario", _SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_row_is_as_it_says(scenario: Scenario) -> None:
    fetch = scenario.models[_SCENARIOS.index(scenario) % len(scenario.models)]
    found = machine.explore(scenario, fetch)
    assert found.ok, (fetch, found.why)
    assert disagreement(Case(scenario, fetch)) == ""


def test_what_a_row_has_changed_of_the_guest_is_gone_for_the_next_one() -> None:
    """Code behind a site, the breakpoint handler's stack, and its way back: also where CPUs have translated it."""
    rows_ = [(row_of(name).scenario, "torn1") for name in ("2012-iret-in-nmi", "rule-jump-over", "2012-breakpoint-stack")]
    says = [[machine.explore(*case).why for case in rows_] for _ in range(2)]
    assert says[0] == says[1]


def test_most_rows_are_on_the_guest() -> None:
    names = {scenario.name for scenario in _SCENARIOS}
    assert set(_EXPECTED) <= names
    whole = [row.name for row in _ROWS if {row.name, f"{row.name}-fixed"} <= names]
    assert len(whole) >= 37 and sum(name.startswith("2") for name in whole) >= 18


def test_the_document_says_which_rows_are_not() -> None:
    text = (ROOT / "docs/race-lab.md").read_text(encoding="utf-8").partition("names the word, among")[2].partition(".\n")[0]
    named = re.findall(r"`([\w-]+)` \(`([\w-]+)`\)", text)
    assert len(named) >= 4
    for name, word in named:
        assert (machine.unsupported(row_of(name).scenario) or "").startswith(f"'{word}': ")


def test_memory_is_freed_on_the_way() -> None:
    """The remedy of 2014 frees the trampoline, too: when the protocol's wait is over, nobody faults there."""
    scenario, fetch = row_of("2014-trampoline-freed").fixed, "coherent"
    way = model.explore(row_of("2014-trampoline-freed").scenario, fetch).schedule
    events = [event for event in way if event.what not in (What.FREE, What.WAIT_TASKS)]
    waits = [event for event in way if event.what is What.FREE]
    assert waits and way[-1].what is What.FREE
    with pytest.raises(ValueError, match=r"patcher free; permitted: wait-tasks$"):
        machine.replay([*events, way[-1]], scenario, fetch)
