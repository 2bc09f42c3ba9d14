# SPDX-License-Identifier: GPL-2.0-only
"""The ring of remembered command names: the oldest gives way, and pids that share a place do not share a name."""

from __future__ import annotations

from emu.ftrace.comms import Comms
from emu.ftrace.native.comms import PIDS


def test_the_oldest_name_gives_way() -> None:
    comms = Comms(2)
    for pid, name in ((10, "a"), (11, "b"), (10, "longer than fifteen"), (12, "c")):
        comms.remember(pid, name)
    assert [comms.name(pid) for pid in (10, 11, 12)] == [None, "b", "c"]
    assert list(comms) == [(12, "c"), (11, "b")]
    comms.remember(11, "longer than fifteen")
    comms.remember(11, "sh")
    assert comms.name(11) == "sh"


def test_pids_that_share_a_place() -> None:
    comms = Comms(4)
    comms.remember(5, "a")
    comms.remember(5 + PIDS, "b")
    assert (comms.name(5), comms.name(5 + PIDS)) == (None, "b")
    assert list(comms) == [(5 + PIDS, "b")]


def test_idle_tasks_are_not_remembered() -> None:
    comms = Comms(4)
    comms.remember(0, "swapper/0")
    assert (comms.name(0), list(comms)) == (None, [])


def test_another_size_forgets_all() -> None:
    comms = Comms(4)
    comms.remember(5, "a")
    comms.resize(8)
    assert (comms.name(5), list(comms)) == (None, [])
