# SPDX-License-Identifier: GPL-2.0-only
"""The table in which native code finds what happens at a site."""

from __future__ import annotations

import random

import numpy as np
import pytest

from emu.ftrace.native import array_record
from emu.ftrace.native.probes import at_site, table_of
from emu.native.record import Record

KERNEL_START = 0xFFFF_FFFF_8000_0000


@pytest.mark.parametrize("count", [0, 1, 2, 3, 63, 64, 5000])
def test_each_site_finds_its_own(count: int) -> None:
    rng = random.Random(count)
    places = rng.sample(range(0, 1 << 23, 4), 2 * count + 100)
    expected = {place: 1 + rng.randrange(1 << 63) for place in places[:count]}
    array = Record(array_record.WORDS)
    table = table_of(np.array(list(expected), np.uint64), np.array(list(expected.values()), np.uint64))
    array.set(array_record.KERNEL_START, KERNEL_START)
    array.set(array_record.PROBES, table.ctypes.data)
    found = {place: int(at_site(np.uint64(array.address), np.uint64(KERNEL_START + place))) for place in places}
    assert found == {place: expected.get(place, 0) for place in places}
