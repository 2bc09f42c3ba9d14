# SPDX-License-Identifier: GPL-2.0-only
"""The native search must not depend on the initial contents of its memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from emu.race.limits import Limits
from emu.race.model import automaton_of
from emu.race.model.native_search import native_search
from emu.race.model.search import search
from emu.race.model.tables import Tables
from emu.race.scenario.scenario_file import parse

HASTY = "scenario hasty\nprotocol flush without 2\nchange call > call\ncpus 1\narch sparc64\n"


@pytest.mark.parametrize("word", range(2, 10))  # those of all states
def test_what_its_memory_held_before_is_no_state(word: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Tables(automaton_of(parse(HASTY), "flushed"))
    empty = np.empty

    def used_before(*arguments: Any) -> Any:
        array = empty(*arguments)
        array.fill(word)
        return array

    monkeypatch.setattr(np, "empty", used_before)
    assert native_search(tables, 1, Limits()) == search(tables, 1, Limits())
