# SPDX-License-Identifier: GPL-2.0-only
"""The table in which native code looks up the consumers at an address."""

from __future__ import annotations

import random

import numpy as np
import pytest

from emu.ftrace.native.probes import find, table_of


@pytest.mark.parametrize("count", [0, 1, 2, 3, 63, 64, 5000])
def test_each_place_has_its_own(count: int) -> None:
    rng = random.Random(count)
    places = rng.sample(range(0, 1 << 23, 4), 2 * count + 100)
    expected = {place: 1 + rng.randrange(1 << 63) for place in places[:count]}
    table = table_of(np.array(list(expected), np.uint64), np.array(list(expected.values()), np.uint64))
    found = {place: int(find(table, place)) for place in places}
    assert found == {place: expected.get(place, 0) for place in places}
