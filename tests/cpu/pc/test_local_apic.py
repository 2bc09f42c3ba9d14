# SPDX-License-Identifier: GPL-2.0-only
"""A local APIC's registers, priorities and errors (Intel SDM volume 3, chapter 11)."""

from __future__ import annotations

import pytest

from tests.cpu.pc.bare_pc import (
    BOUNDARY,
    DFR,
    DIVIDE,
    ENABLE,
    EOI,
    ESR,
    ICR,
    ICR_HIGH,
    ID,
    INITIAL,
    IRR,
    ISR,
    LDR,
    LVT_ERROR,
    LVT_TIMER,
    PPR,
    SVR,
    TMR,
    TPR,
    VERSION,
    BarePc,
    keep,
    results,
    send,
    wait,
    write,
)

SELF = 1 << 18
MASKED = 1 << 16
LINT0 = 0x350


def test_identification_and_version() -> None:
    """11.4.6, 11.4.8: the ID is the CPU's; version 0x14, six local vectors. Both are read-only."""
    code = write(ID, 0x05000000) + write(VERSION, 0) + keep(ID, VERSION)
    pc = BarePc(3).run("", "", code)
    assert pc.results(2) == [2 << 24, 0x50014]


def test_the_state_after_power_up() -> None:
    """11.4.7.1: all zeros, except that the format is flat, the spurious vector 0xFF, the APIC off, and local vectors masked."""
    pc = BarePc()
    apic = pc.pc.apics[0]
    assert (apic.task_priority, apic.logical, apic.format, apic.spurious) == (0, 0, 0xFFFF_FFFF, 0xFF)
    assert [apic.local_vectors[n] for n in range(6)] == [MASKED] * 6
    assert results(keep(TPR, PPR, LDR, DFR, SVR, ISR, TMR, IRR, ESR, ICR, ICR_HIGH, DIVIDE)) == (
        [0, 0, 0, 0xFFFF_FFFF, ENABLE, 0, 0, 0, 0, 0, 0, 0]
    )


@pytest.mark.parametrize(
    ("register", "written", "read"),
    [
        (TPR, 0xFFFF_FF35, 0x35),
        (PPR, 0x50, 0),
        (LDR, 0xFFFF_FFFF, 0xFF00_0000),
        (DFR, 0, 0x0FFF_FFFF),
        (SVR, 0xFFFF_FFFF, 0x1FF),  # no focus processor checking, no suppression of EOI broadcasts
        (ICR_HIGH, 0xFFFF_FFFF, 0xFF00_0000),
        (ICR, 0xFFF3_B7FF, 0x0000_87FF),  # "delivery status" and reserved bits (figure 11-12); mode 7 sends nothing
        (LVT_TIMER, 0xFFFF_FFFF, 0x7_00FF),  # figure 11-8
        (LINT0, 0xFFFF_FFFF, 0x1_A7FF),
        (LVT_ERROR, 0xFFFF_FFFF, 0x1_00FF),
        (DIVIDE, 0xFFFF_FFFF, 0xB),
        (ISR, 0xFFFF_FFFF, 0),
        (IRR, 0xFFFF_FFFF, 0),
        (0x3F0, 0xFFFF_FFFF, 0),
    ],
)
def test_what_registers_keep(register: int, written: int, read: int) -> None:
    """Table 11-1 and the figures of the registers: reserved and status bits are not written."""
    assert results(write(register, written) + keep(register)) == [read]


def test_accesses_between_the_registers_do_nothing() -> None:
    """11.4.1: registers are aligned to 16 bytes."""
    assert results(write(TPR, 0x40) + write(TPR + 4, 0x70) + keep(TPR, TPR + 4, TPR + 8)) == [0x40, 0, 0]


@pytest.mark.parametrize(("task", "expected"), [(0x00, 0x50), (0x4F, 0x50), (0x50, 0x50), (0x57, 0x57), (0x63, 0x63)])
def test_the_processor_priority(task: int, expected: int) -> None:
    """11.8.3.1: the task's priority, or the class of the vector in service if that is higher."""
    pc = BarePc()
    pc.handle(0x5A, write(TPR, task) + keep(PPR) + write(EOI, 0) + keep(PPR) + write(TPR, 0) + "iretq")
    assert pc.run("sti; " + send(SELF | 0x5A) + BOUNDARY).results() == [expected, task]


def test_a_vector_waits_until_its_class_is_above_the_tasks() -> None:
    """11.8.3.1, 11.8.4: requested (IRR) while it is held back; never a vector of the task's own class."""
    code = "sti; " + write(TPR, 0x60) + send(SELF | 0x61) + BOUNDARY + keep(IRR + 0x30) + write(TPR,
        0x5F) + BOUNDARY + keep(IRR + 0x30)
    pc = BarePc().run(code)
    assert pc.results() == [1 << 1, 0]
    assert pc.counts() == {0x61: 1}


def test_vectors_nest_by_class() -> None:
    """11.8.4: a vector of a higher class interrupts the handler of a lower one; one of the same class waits for the end."""
    pc = BarePc()
    note = "shl rbx, 8; or rbx, {}; "
    in_service = keep(ISR + 0x20, ISR + 0x30)
    pc.handle(0x51, note.format(0x51) + in_service + send(SELF | 0x5F) + send(SELF | 0x61) + "sti; " + BOUNDARY + "nop; "
        + BOUNDARY + "cli; "
              + note.format(1) + write(EOI, 0) + "iretq")  # fmt: skip
    pc.handle(0x5F, note.format(0x5F) + write(EOI, 0) + "iretq")
    pc.handle(0x61, note.format(0x61) + in_service + write(EOI, 0) + "iretq")
    pc.run("xor rbx, rbx; sti; " + send(SELF | 0x51) + BOUNDARY)
    assert pc.registers()["rbx"] == 0x51_61_01_5F
    assert pc.results() == [1 << 17, 0, 1 << 17, 1 << 1]


def test_the_highest_requested_vector_comes_first_and_each_once() -> None:
    """11.8.4: one bit per vector, so a vector that is requested twice comes once."""
    pc = BarePc()
    for vector in (0x31, 0x80, 0xEF):
        pc.handle(vector, f"shl rbx, 8; or rbx, {vector}; {write(EOI, 0)}iretq")
    pc.run("xor rbx, rbx; " + "".join(send(SELF | vector) for vector in (0x80, 0xEF, 0x31, 0xEF)) + "sti; nop; " + BOUNDARY)
    assert pc.registers()["rbx"] == 0xEF8031


def test_the_end_of_interrupt_clears_the_highest_in_service() -> None:
    """11.8.5. Without a vector in service it does nothing."""
    pc = BarePc()
    pc.handle(0x41, send(SELF | 0x71) + "sti; nop; " + BOUNDARY + "cli; iretq")
    pc.handle(0x71, "iretq")
    ends = (write(EOI, 0) + keep(ISR + 0x20, ISR + 0x30)) * 3
    assert pc.run("sti; " + send(SELF | 0x41) + BOUNDARY + "cli; " + ends).results() == [1 << 1, 0, 0, 0, 0, 0]


def test_illegal_vectors_are_errors() -> None:
    """11.5.3: ESR shows what has happened before it was written; sending a vector below 16 sets bit 5."""
    code = keep(ESR) + send(SELF | 15) + keep(ESR) + write(ESR, 0) + keep(ESR) + write(ESR,
        0) + keep(ESR) + send(SELF | 16) + write(ESR, 0)
    assert results(code + keep(ESR)) == [0, 0, 1 << 5, 0, 0]


def test_an_error_raises_its_local_vector() -> None:
    """11.5.3."""
    for mask, times in ((0, 1), (MASKED, 0)):
        pc = BarePc().run("sti; " + write(LVT_ERROR, mask | 0xFE) + send(SELF | 3) + BOUNDARY)
        assert pc.count(0xFE) == times


def test_software_disabling_masks_local_vectors_and_refuses_messages() -> None:
    """11.4.7.2: masks cannot be cleared while it is off; NMIs still come; enabling does not clear the masks."""
    code = (
        "sti; " + write(LINT0, 0x700) + write(LVT_TIMER, 0x40) + write(INITIAL, 1000) + write(SVR, 0xFF) + keep(LINT0, LVT_TIMER)
        + write(LVT_TIMER, 0x40) + keep(LVT_TIMER) + send(SELF | 0x50) + BOUNDARY
        + write(SVR, ENABLE) + keep(LVT_TIMER, SVR) + send(SELF | 0x51) + BOUNDARY
    )  # fmt: skip
    pc = BarePc().run(code)
    assert pc.results() == [MASKED | 0x700, MASKED | 0x40, MASKED | 0x40, MASKED | 0x40, ENABLE]
    assert pc.counts() == {0x51: 1}


@pytest.mark.parametrize(("priority", "wakes"), [(0x4F, True), (0x50, False), (0x51, False)])
def test_a_halted_cpu_wakes_only_for_what_is_above_its_priority(priority: int, wakes: bool) -> None:
    """11.8.3.1: vector 0x53 from another CPU, and from the CPU's own timer."""
    sleeper = "sti; " + write(TPR, priority) + "hlt; mov dword ptr [r15], 1"
    waker = wait(2000) + send(0x53, 1)
    pc = BarePc(2).run(waker, sleeper)
    assert (pc.read(pc.registers(1)["r15"]), pc.count(0x53, 1)) == (wakes, wakes)
    timer = "sti; " + write(TPR, priority) + write(LVT_TIMER, 0x53) + write(INITIAL, 50) + "hlt; mov dword ptr [r15], 1"
    pc = BarePc().run(timer)
    assert (pc.read(pc.registers()["r15"]), pc.count(0x53)) == (wakes, wakes)
    assert (pc.board.cpus[0].next_event is None) != wakes or pc.board.cpus[0].record.status == 3


def test_a_halted_cpu_sleeps_through_what_it_holds_back_until_a_higher_vector() -> None:
    """Both vectors are requested then; the lower one still waits."""
    sleeper = "sti; " + write(TPR, 0x60) + "hlt; nop; cli; " + keep(IRR + 0x20)
    pc = BarePc(2).run(wait(500) + send(0x53, 1) + send(0x91, 1), sleeper)
    assert pc.counts(1) == {0x91: 1}
    assert pc.results(1) == [1 << 19]


def test_the_trigger_mode_register_shows_edges_as_zeros() -> None:
    """11.8.4."""
    assert results("cli; " + send(SELF | 0x45) + BOUNDARY + keep(IRR + 0x20, TMR + 0x20)) == [1 << 5, 0]


def test_a_vector_sent_in_a_block_is_requested_in_that_block() -> None:
    assert results(send(SELF | 0x45) + keep(IRR + 0x20)) == [1 << 5]
