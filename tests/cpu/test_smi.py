# SPDX-License-Identifier: GPL-2.0-only
"""System management interrupts: when they come, how long they take, and their textual form."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.devices import interrupt_unseen
from emu.cpu.native import cpu_records
from emu.cpu.native.interrupts import after_smi
from emu.cpu.smi import Smi
from tests.cpu.bare import Bare


def test_a_cpu_that_is_awake_finds_each_in_its_clock() -> None:
    """At 1 GHz a cycle is a nanosecond. R15 counts readings of the clock that are more than 1,000 cycles apart."""
    loop = "l: rdtsc; mov rbx, rax; sub rbx, r14; mov r14, rax; cmp rbx, 1000; jbe n; inc r15; n: cmp rax, 500000; jb l"
    first, second = Bare(2), Bare(2)
    for bare in (first, second):
        interrupt_unseen(bare.board, Smi(20_000, 2_000, cpu=1))
        for cpu in range(2):
            bare.start(f"xor r15, r15; rdtsc; mov r14, rax; {loop}; cli; hlt", cpu=cpu)
        assert bare.run()
    unseen, seen = (cpu.registers()["r15"] for cpu in first.board.cpus)
    assert (unseen, seen) == (0, 24)  # at 20,000, 40,000, ... 480,000
    executed = [cpu.instructions for cpu in first.board.cpus]
    assert executed[1] < executed[0] * 0.91
    assert [(cpu.cycles, cpu.instructions) for cpu in first.board.cpus] == [
        (cpu.cycles, cpu.instructions) for cpu in second.board.cpus
    ]


@settings(deadline=None)  # the first example compiles
@given(
    period=st.integers(2, 1000),
    length=st.integers(1, 999),
    waits=st.lists(st.integers(1, 3000), min_size=1, max_size=20),
)
def test_a_cpu_goes_on_when_the_one_that_has_begun_is_over(period: int, length: int, waits: list[int]) -> None:
    """Whatever the CPU did meanwhile: interrupts that begin and end within one of `waits` do not matter."""
    length = min(length, period - 1)
    record = cpu_records.Cpu.allocate()
    record.smi_next = record.smi_period = period
    record.smi_length = length
    now = begun = 0  # the beginning of the latest one
    for wait in waits:
        now += wait
        due = now // period * period
        expected = due + length if due > begun and now < due + length else now
        begun = max(begun, due)
        now = after_smi(record, now)
        assert now == expected
        assert record.smi_next == begun + period


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("10ms:50us", Smi(10_000_000, 50_000)),
        ("1s:0.5ms:3", Smi(1_000_000_000, 500_000, 3)),
        ("200us:199us", Smi(200_000, 199_000)),
    ],
)
def test_how_they_are_written(text: str, meaning: Smi) -> None:
    assert Smi.parse(text) == meaning


FORM = "PERIOD:LENGTH[:CPU] is needed, as 10ms:50us or 10ms:50us:1"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", f"SMIs '': {FORM}"),
        ("10ms", f"SMIs '10ms': {FORM}"),
        ("10ms:5us:1:2", f"SMIs '10ms:5us:1:2': {FORM}"),
        ("10:5us", "SMIs '10:5us': '10' is no time: a number with ns, us, ms or s is needed"),
        ("10ms:5parsec", "SMIs '10ms:5parsec': '5parsec' is no time: a number with ns, us, ms or s is needed"),
        ("10ms:-5us", "SMIs '10ms:-5us': '-5us' is no time: a number with ns, us, ms or s is needed"),
        ("10ms:5us:x", "SMIs '10ms:5us:x': 'x' is no CPU"),
        ("10us:20us", "SMIs that take 20000 ns cannot come every 10000 ns"),
        ("10us:10us", "SMIs that take 10000 ns cannot come every 10000 ns"),
        ("10us:0us", "SMIs that take 0 ns cannot come every 10000 ns"),
    ],
)
def test_what_cannot_be(text: str, why: str) -> None:
    with pytest.raises(ValueError) as error:
        Smi.parse(text)
    assert str(error.value) == why


@pytest.mark.parametrize(
    ("smi", "why"),
    [
        (Smi(1000, 500, cpu=2), "SMIs on CPU 2: there are CPUs 0 to 1"),
        (Smi(3, 1), None),
    ],
)
def test_the_board_has_no_such_cpu(smi: Smi, why: str | None) -> None:
    board = Bare(2).board
    if why is None:
        interrupt_unseen(board, smi)
        return
    with pytest.raises(ValueError) as error:
        interrupt_unseen(board, smi)
    assert str(error.value) == why
