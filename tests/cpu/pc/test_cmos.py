# SPDX-License-Identifier: GPL-2.0-only
"""The real-time clock and its memory (Motorola MC146818A)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from emu.cpu.pc.pc import EPOCH
from tests.cpu.pc.bare_pc import BarePc, into, out, results

START = datetime(2026, 1, 1)
DATES = st.integers(0, int((datetime(2401, 1, 1) - START).total_seconds()) - 1)
CLOCK = (0, 2, 4, 6, 7, 8, 9, 0x32)  # seconds, minutes, hours, weekday, day, month, year, century


def get(*registers: int) -> str:
    return "".join(out(0x70, register) + into(0x71) for register in registers)


def put(register: int, value: int) -> str:
    return out(0x70, register) + out(0x71, value)


def bcd(value: int) -> int:
    return int(str(value), 16)


@pytest.fixture(scope="module")
def pc() -> BarePc:
    pc = BarePc(frequency=1_000_000)
    pc.load(get(*CLOCK))
    return pc


@given(seconds=DATES)
@example(seconds=int((datetime(2100, 2, 28, 23, 59, 59) - START).total_seconds()))
@example(seconds=int((datetime(2100, 3, 1) - START).total_seconds()))
@example(seconds=int((datetime(2400, 2, 29, 12) - START).total_seconds()))
@example(seconds=0)
def test_the_date_is_that_of_the_virtual_time(pc: BarePc, seconds: int) -> None:
    """In BCD, 24 hours; Sunday is 1. Compared with Python's calendar, to the year 2400."""
    pc.board.cpus[0].record.cycles = seconds * 1_000_000
    pc.begin()
    while pc.moment():
        pass
    now = START + timedelta(seconds=seconds)
    expected = [now.second, now.minute, now.hour, now.isoweekday() % 7 + 1, now.day, now.month, now.year % 100, now.year // 100]
    assert pc.results() == list(map(bcd, expected))


def test_time_passes_with_the_cycles() -> None:
    second = "mov ecx, 500000; .byte 0xff, 0xc9, 0x75, 0xfc; "
    found = results(get(0, 2) + second + get(0) + second * 60 + get(0, 2), frequency=1_000_000)
    assert found == [0, 0, 1, 1, 1]


def test_the_epoch_is_the_year_2026() -> None:
    assert datetime(1970, 1, 1) + timedelta(seconds=EPOCH) == START


def test_the_status_registers() -> None:
    """No update is in progress; BCD and 24 hours; no interrupt; the battery is good. They keep nothing that is written."""
    code = "".join(put(register, 0xFF) for register in (10, 11, 12, 13))
    assert results(get(10, 11, 12, 13) + code + get(10, 11, 12, 13)) == [0x26, 0x02, 0, 0x80] * 2


def test_the_clock_cannot_be_set() -> None:
    assert results("".join(put(register, 0x11) for register in CLOCK) + get(*CLOCK)) == [0, 0, 0, bcd(5), 1, 1, bcd(26), bcd(20)]


def test_memory_keeps_its_bytes() -> None:
    """The alarm's registers, too. The highest bit of the address is that of the NMI mask."""
    places = [place for place in range(128) if place not in CLOCK and place not in (10, 11, 12, 13)]
    pc = BarePc().run("".join(put(place | 0x80, place ^ 0x5A) for place in places))
    assert pc.run(get(*places)).results() == [place ^ 0x5A for place in places]
    assert pc.run(into(0x70)).results() == [places[-1]]
