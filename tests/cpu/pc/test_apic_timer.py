# SPDX-License-Identifier: GPL-2.0-only
"""The timer of a local APIC (Intel SDM volume 3, 11.5.4). The crystal's tick is 40 cycles at 1 GHz."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.cpu.pc.bare_pc import (
    BOUNDARY,
    CURRENT,
    DIVIDE,
    INITIAL,
    KEEP,
    LVT_TIMER,
    TSC,
    TSC_DEADLINE,
    BarePc,
    keep,
    rdmsr,
    results,
    wait,
    write,
    wrmsr,
)

VECTOR, MASKED, PERIODIC, DEADLINE = 0x45, 1 << 16, 1 << 17, 2 << 17
TICK = 40
BY_ONE = 0xB  # in the divide configuration
ADJUST = 0x3B


def timed(code: str) -> BarePc:
    """Runs code; the timer's handler keeps the time."""
    pc = BarePc()
    pc.handle(VECTOR, f"push rax; push rdx; {TSC}{KEEP}{write(0xB0, 0)}pop rdx; pop rax; iretq")
    return pc.run("sti; " + write(DIVIDE, BY_ONE) + code)


def now(register: str) -> str:
    return TSC + f"mov {register}, rax; "


def deadline(distance: int) -> str:
    """Code that sets a deadline from now."""
    return TSC + f"mov rbx, rax; add rax, {distance}; mov rdx, rax; shr rdx, 32; mov ecx, {TSC_DEADLINE}; wrmsr; "


@pytest.mark.parametrize(("configuration", "divisor"), [(0, 2), (1, 4), (2, 8), (3, 16), (8, 32), (9, 64), (0xA, 128), (0xB, 1)])
def test_one_shot(configuration: int, divisor: int) -> None:
    """11.5.4: counts down once, at the rate of the divide configuration (figure 11-10)."""
    pc = timed(write(DIVIDE, configuration) + write(LVT_TIMER, VECTOR) + now("rbx") + write(INITIAL, 20) + "hlt; "
        + keep(CURRENT) + wait(9000))
    time, count = pc.results()
    assert 0 <= time - pc.registers()["rbx"] - 20 * divisor * TICK < 30
    assert count == 0


def test_periodic() -> None:
    """The count starts again by itself, and the periods do not drift."""
    pc = timed(write(LVT_TIMER, PERIODIC | VECTOR) + write(INITIAL, 10) + "hlt; " * 5)
    times = pc.results()
    assert [later - earlier for earlier, later in pairwise(times)] == [10 * TICK] * 4


def test_the_current_count() -> None:
    """It falls from the initial count, which is read back."""
    first, second, initial = results(
        write(DIVIDE, BY_ONE) + write(LVT_TIMER, MASKED | VECTOR) + write(INITIAL, 1000) + BOUNDARY + keep(CURRENT) + wait(200)
        + keep(CURRENT, INITIAL)
    )  # fmt: skip
    assert 998 <= first <= 1000
    assert 9 <= first - second <= 11
    assert initial == 1000


def test_a_masked_timer_counts_and_raises_nothing() -> None:
    """Unmasked before the end it raises its vector; after the end it does not."""
    for passed, times in ((100, 1), (1000, 0)):
        pc = timed(write(LVT_TIMER, MASKED | VECTOR) + write(INITIAL, 20) + wait(passed) + write(LVT_TIMER, VECTOR) + wait(1000))
        assert len(pc.results()) == times


def test_a_periodic_timer_that_is_unmasked_keeps_its_phase() -> None:
    pc = timed(now("rbx") + write(LVT_TIMER, MASKED | PERIODIC | VECTOR) + write(INITIAL, 20) + wait(1000)
        + write(LVT_TIMER, PERIODIC | VECTOR) + "hlt")
    (time,) = pc.results()
    assert 0 <= (time - pc.registers()["rbx"]) % (20 * TICK) < 40


def test_an_initial_count_of_0_stops_the_timer() -> None:
    assert timed(write(LVT_TIMER, PERIODIC | VECTOR) + write(INITIAL, 20) + write(INITIAL, 0) + wait(2000)).results() == []


def test_another_mode_disarms() -> None:
    """11.5.4.1."""
    for other in (PERIODIC, DEADLINE):
        code = write(LVT_TIMER, VECTOR) + write(INITIAL, 20) + write(LVT_TIMER, other | VECTOR) + wait(1000)
        assert timed(code + write(LVT_TIMER, VECTOR) + wait(1000) + keep(CURRENT)).results() == [0]


def test_a_new_divisor_counts_on_from_the_current_count() -> None:
    pc = timed(write(LVT_TIMER, VECTOR) + now("rbx") + write(INITIAL, 100) + wait(1000) + write(DIVIDE, 0) + keep(CURRENT)
        + "hlt")
    count, time = pc.results()
    assert 48 <= count <= 50
    assert abs(time - pc.registers()["rbx"] - 100 * TICK - count * TICK) < 60


@pytest.mark.parametrize("distance", [0, 1, 100, 12345])
def test_a_deadline(distance: int) -> None:
    """11.5.4.1: the interrupt comes when the counter has the value, once; also if it had it before. The register is 0 then."""
    pc = timed(write(LVT_TIMER, DEADLINE | VECTOR) + deadline(distance) + BOUNDARY + wait(8000) + rdmsr(TSC_DEADLINE) + KEEP)
    time, left = pc.results()
    assert 0 <= time - pc.registers()["rbx"] - distance < 40
    assert left == 0


def test_a_deadline_in_the_past() -> None:
    (time,) = timed(write(LVT_TIMER, DEADLINE | VECTOR) + wrmsr(TSC_DEADLINE, 1) + BOUNDARY + wait(100)).results()
    assert time < 100


def test_a_deadline_of_0_disarms_and_one_far_away_never_comes() -> None:
    for value in (0, 2**64 - 1):
        assert timed(write(LVT_TIMER, DEADLINE | VECTOR) + deadline(500) + wrmsr(TSC_DEADLINE, value)
            + wait(1000)).results() == []


def test_a_masked_deadline() -> None:
    """Unmasked before the deadline it comes; after it, it does not."""
    for passed, times in ((100, 1), (1000, 0)):
        code = write(LVT_TIMER, MASKED | DEADLINE | VECTOR) + deadline(1000) + wait(passed) + write(LVT_TIMER, DEADLINE | VECTOR)
        assert len(timed(code + wait(1000)).results()) == times


def test_a_deadline_is_read_back_until_it_is_over() -> None:
    found = results(write(LVT_TIMER, MASKED | DEADLINE | VECTOR) + deadline(1000) + rdmsr(TSC_DEADLINE) + "sub rax, rbx; " + KEEP
                    + wait(1000) + rdmsr(TSC_DEADLINE) + KEEP)  # fmt: skip
    assert found == [1000, 0]


def test_each_mode_ignores_the_others_register() -> None:
    """11.5.4.1: IA32_TSC_DEADLINE is 0 and not written in other modes; the counts are 0 and not written in this one."""
    code = write(LVT_TIMER, VECTOR) + deadline(300) + rdmsr(TSC_DEADLINE) + KEEP + wait(400)
    code += write(LVT_TIMER, DEADLINE | VECTOR) + write(INITIAL, 10) + keep(INITIAL, CURRENT) + wait(400)
    assert timed(code).results() == [0, 0, 0]


def test_a_deadline_follows_the_time_stamp_counter() -> None:
    """18.17.3: a counter that is set back puts the deadline off; one that is set forward is there at once."""
    pc = timed(wait(3000) + write(LVT_TIMER, DEADLINE | VECTOR) + deadline(1000) + wrmsr(ADJUST, 2**64 - 5000) + wait(2000)
        + wrmsr(ADJUST, 0) + BOUNDARY)
    (time,) = pc.results()
    assert 4000 <= time - pc.registers()["rbx"] < 4200
    pc = timed(write(LVT_TIMER, DEADLINE | VECTOR) + deadline(100_000) + wrmsr(0x10, 1 << 40) + BOUNDARY + wait(100))
    (time,) = pc.results()
    assert 0 <= time - (1 << 40) < 100


def test_an_expired_deadline_does_not_come_again_when_the_counter_is_set_back() -> None:
    pc = timed(write(LVT_TIMER, DEADLINE | VECTOR) + deadline(100) + wait(200) + wrmsr(ADJUST, 2**64 - 300) + wait(1000))
    assert len(pc.results()) == 1


def test_a_timer_with_an_illegal_vector_raises_nothing() -> None:
    assert timed(write(LVT_TIMER, 15) + write(INITIAL, 10) + wait(1000) + keep(0x200)).results() == [0]


@pytest.mark.parametrize("frequency", [999_999_999, 1_000_003, 99_999_999_977])
def test_long_counts_at_odd_frequencies(frequency: int) -> None:
    """No intermediate number is too large, and the count is 0 when the interrupt comes, not before."""
    pc = BarePc(frequency=frequency)
    pc.handle(VECTOR, keep(CURRENT) + TSC + KEEP + write(0xB0, 0) + "iretq")
    pc.run("sti; " + write(DIVIDE, 0xA) + write(LVT_TIMER, VECTOR) + write(INITIAL, 0xFFFF_FFFF) + "hlt")
    count, time = pc.results()
    assert count == 0
    assert 0 <= time - 0xFFFF_FFFF * 128 * frequency // 25_000_000 < 100
