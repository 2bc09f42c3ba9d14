# SPDX-License-Identifier: GPL-2.0-only
"""The serial ports (National Semiconductor PC16550D, section 8), as the guest and the host see them."""

from __future__ import annotations

import pytest

from tests.cpu.pc.bare_pc import BOUNDARY, EOI, BarePc, into, out, results, write
from tests.cpu.pc.test_io_apic import redirect

PORT, SECOND = 0x3F8, 0x2F8
DATA, ENABLE, IDENTIFICATION, FIFO, LINE, MODEM, LINE_STATUS, MODEM_STATUS, SCRATCH = 0, 1, 2, 2, 3, 4, 5, 6, 7
NONE, MODEM_CHANGED, EMPTY, AVAILABLE = 1, 0, 2, 4
OUT2, LOOP = 8, 0x10
VECTOR = 0x62


def put(register: int, value: int) -> str:
    return out(PORT + register, value)


def get(*registers: int) -> str:
    return "".join(into(PORT + register) for register in registers)


def received(data: bytes, code: str) -> list[int]:
    pc = BarePc()
    pc.pc.serial[0].give(data)
    return pc.run(code).results()


def test_the_state_after_reset() -> None:
    """Table III: no interrupts, the transmitter is empty; the cable has a partner that is ready."""
    assert results(get(ENABLE, IDENTIFICATION, LINE, MODEM, LINE_STATUS, MODEM_STATUS)) == [0, NONE, 0, 0, 0x60, 0xB0]


@pytest.mark.parametrize(("register", "mask"), [(ENABLE, 0x0F), (LINE, 0xFF), (MODEM, 0x1F), (SCRATCH, 0xFF)])
def test_what_registers_keep(register: int, mask: int) -> None:
    """Table II."""
    for value in (0x00, 0x7F, 0xA5, 0xFF):
        assert results(put(register, value) + get(register)) == [value & mask]


def test_the_divisor_is_behind_the_first_two_registers() -> None:
    """8.1, DLAB, and 8.5."""
    code = put(ENABLE, 5) + put(LINE, 0x83) + put(0, 0x34) + put(1, 0x12) + get(0, 1) + put(LINE, 3) + get(ENABLE) + put(LINE,
        0x83) + get(0, 1)
    assert results(code) == [0x34, 0x12, 5, 0x34, 0x12]


def test_data_goes_to_the_host_and_comes_from_it_in_order() -> None:
    pc = BarePc()
    pc.pc.serial[0].give(b"ab")
    pc.pc.serial[1].give(b"z")
    pc.run("".join(out(PORT, byte) for byte in b"hello") + out(SECOND, ord("w"))
        + get(LINE_STATUS, DATA, LINE_STATUS, DATA, LINE_STATUS, DATA)
           + into(SECOND))  # fmt: skip
    assert pc.results() == [0x61, ord("a"), 0x61, ord("b"), 0x60, 0, ord("z")]
    assert [port.take() for port in pc.pc.serial] == [b"hello", b"w"]
    assert [port.take() for port in pc.pc.serial] == [b"", b""]


def test_any_byte_value_arrives_unchanged_both_ways() -> None:
    pc = BarePc()
    every = bytes(range(256))
    pc.pc.serial[0].give(every)
    pc.run(f"mov ebx, 256; mov dx, {PORT:#x}; l: in al, dx; out dx, al; dec ebx; jnz l")
    assert pc.pc.serial[0].take() == every


# Interrupts


def test_identifications_by_priority() -> None:
    """Table IV: data, then the empty transmitter, then the modem status. Reading IIR, RBR and MSR ends them."""
    code = put(MODEM, LOOP) + put(ENABLE, 0xF) + get(IDENTIFICATION, DATA, IDENTIFICATION, IDENTIFICATION, MODEM_STATUS,
        IDENTIFICATION)
    assert received(b"q", code) == [AVAILABLE, ord("q"), EMPTY, MODEM_CHANGED, 0x0B, NONE]


def test_only_what_is_enabled_is_identified() -> None:
    """8.6.6."""
    for enabled, expected in ((0, NONE), (1, AVAILABLE), (2, EMPTY), (4, NONE), (8, MODEM_CHANGED), (0xB, AVAILABLE)):
        assert received(b"q", put(MODEM, LOOP) + put(ENABLE, enabled) + get(IDENTIFICATION)) == [expected]


def test_fifos_show_in_the_identification() -> None:
    """8.6.3, 8.6.5: bits 6 and 7, and no others: it is no 16750."""
    assert results(put(FIFO, 1) + get(FIFO) + put(LINE, 0x80) + put(FIFO, 0x21) + get(FIFO) + put(FIFO, 0)
        + get(FIFO)) == [0xC1, 0xC1, 1]


@pytest.mark.parametrize(
    ("commands", "left"),
    [([1], False), ([0], True), ([2], True), ([1, 1], False), ([1, 3], False), ([1, 5], False), ([1, 0], False)],
)
def test_fifo_commands_clear_what_is_received(commands: list[int], left: bool) -> None:
    """8.6.3: bit 1 if bit 0 is set, and each change of bit 0."""
    assert received(b"q", "".join(put(FIFO, value) for value in commands) + get(LINE_STATUS)) == [0x60 | left]


def test_clearing_the_receiver_keeps_what_comes_later() -> None:
    pc = BarePc()
    pc.pc.serial[0].give(b"old")
    pc.run(put(FIFO, 1) + put(FIFO, 3))
    pc.pc.serial[0].give(b"n")
    pc.load(get(DATA, LINE_STATUS))
    assert pc.pc.serial[0].waiting == b"n"
    assert pc.pc.serial[0].room == (1 << 16) - 1


def interrupts(code: str, *, data: bytes = b"") -> int:
    """How many edges there are on the port's line."""
    pc = BarePc()
    pc.pc.serial[0].give(data)
    return pc.run("sti; " + redirect(VECTOR) + code + BOUNDARY).count(VECTOR)


def test_out2_connects_the_line() -> None:
    assert interrupts(put(ENABLE, 2)) == 0
    assert interrupts(put(MODEM, OUT2) + put(ENABLE, 2)) == 1
    assert interrupts(put(ENABLE, 2) + BOUNDARY + put(MODEM, OUT2)) == 1


def test_enabling_the_transmitters_interrupt_raises_it_again() -> None:
    """8.6.6: also if the last one has not been identified, or has been long ago. Linux begins to send so."""
    again = put(ENABLE, 0) + put(ENABLE, 2) + BOUNDARY
    assert interrupts(put(MODEM, OUT2) + again * 3) == 3
    assert interrupts(put(MODEM, OUT2) + (again + get(IDENTIFICATION)) * 3) == 3
    assert interrupts(put(MODEM, OUT2) + (put(ENABLE, 2) + BOUNDARY) * 3) == 1


def test_each_byte_that_is_sent_raises_the_transmitters_interrupt() -> None:
    """8.4.2: writing THR ends the interrupt; the byte is sent at once, and the transmitter is empty again."""
    send = put(DATA, 65) + BOUNDARY
    assert interrupts(put(MODEM, OUT2) + put(ENABLE, 2) + BOUNDARY + send * 3) == 4
    assert results(put(ENABLE, 2) + get(IDENTIFICATION, IDENTIFICATION) + put(DATA, 1) + get(IDENTIFICATION)) == [EMPTY, NONE,
        EMPTY]


def test_a_byte_from_the_host_wakes_a_cpu() -> None:
    pc = BarePc()
    pc.handle(VECTOR, f"{get(DATA)}{write(EOI, 0)}iretq")
    pc.start("sti; " + redirect(VECTOR) + put(MODEM, OUT2) + put(ENABLE, 1) + "l: hlt; jmp l")
    while pc.moment():
        pass
    for text in (b"a", b"b"):
        pc.pc.serial[0].give(text)
        while pc.moment():
            pass
    assert pc.results() == [*b"ab"]


def test_bytes_that_come_before_the_last_ones_have_been_read_raise_another_interrupt() -> None:
    """Linux's handler gives up when it has found new bytes 512 times: nothing else would wake it."""
    pc = BarePc()
    pc.start("sti; " + redirect(VECTOR) + put(MODEM, OUT2) + put(ENABLE, 1) + "l: hlt; jmp l")
    for _ in range(3):
        pc.pc.serial[0].give(b"unread")
        while pc.moment():
            pass
    assert pc.count(VECTOR) == 3


# In a loop


@pytest.mark.parametrize(("outputs", "inputs"), [(0x1, 0x20), (0x2, 0x10), (0x4, 0x40), (0x8, 0x80), (0xA, 0x90), (0xF, 0xF0)])
def test_a_loop_connects_the_modems_outputs_to_the_inputs(outputs: int, inputs: int) -> None:
    """8.6.7: DTR to DSR, RTS to CTS, OUT1 to RI, OUT2 to DCD."""
    assert results(put(MODEM, LOOP | outputs) + get(MODEM_STATUS, MODEM_STATUS))[1] == inputs


def test_changes_of_inputs_are_noted_until_they_are_read() -> None:
    """8.6.8: TERI is set when the ring ends, not when it begins."""
    code = put(MODEM, LOOP) + get(MODEM_STATUS)
    for outputs in (0x1, 0x3, 0x7, 0x3, 0x8):
        code += put(MODEM, LOOP | outputs) + get(MODEM_STATUS)
    assert results(code) == [0x0B, 0x22, 0x31, 0x70, 0x34, 0x8B]


def test_a_loop_receives_what_is_sent() -> None:
    """8.6.7: the host gets nothing."""
    pc = BarePc().run(put(MODEM, LOOP) + put(DATA, 0x5A) + get(LINE_STATUS, DATA, LINE_STATUS))
    assert pc.results() == [0x61, 0x5A, 0x60]
    assert pc.pc.serial[0].take() == b""


# The host's side


def test_the_machine_stops_at_the_ends_of_lines() -> None:
    pc = BarePc()
    port = pc.pc.serial[0]
    pc.start("".join(put(DATA, byte) + BOUNDARY for byte in b"one\ntwo\nthree"))
    port.wait_for(None, lines=True)
    found = []
    while pc.moment():
        found.append(port.take())
    assert [*found, port.take()] == [b"one\n", b"two\n", b"three"]

def test_the_machine_stops_for_what_the_host_waits_for() -> None:
    pc = BarePc()
    port = pc.pc.serial[0]
    pc.start("mov ebx, 10; mov dx, 0x3f8; mov al, 65; l: out dx, al; dec ebx; jnz l")
    port.wait_for(4)
    assert pc.moment()
    assert port.take() == b"AAAA"
    port.wait_for(None)
    while pc.moment():
        pass
    assert port.take() == b"A" * 6


def test_the_host_takes_before_there_is_no_room() -> None:
    pc = BarePc()
    total, taken = 1_200_000, 0
    pc.start(f"mov ebx, {total}; mov dx, 0x3f8; l: out dx, al; dec ebx; jnz l")
    while pc.moment():
        taken += len(pc.pc.serial[0].take())
    assert taken + len(pc.pc.serial[0].take()) == total


def test_the_ring_of_received_bytes_wraps() -> None:
    pc = BarePc()
    port = pc.pc.serial[0]
    data = bytes(n % 251 for n in range(1 << 16))
    for n in (1000, 1 << 16):
        assert port.room == 1 << 16
        port.give(data[:n])
        pc.run("again: mov dx, 0x3fd; in al, dx; test al, 1; jz done; mov dx, 0x3f8; in al, dx; out dx, al; jmp again; done: nop")
        assert port.take() == data[:n]
