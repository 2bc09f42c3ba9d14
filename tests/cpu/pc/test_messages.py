# SPDX-License-Identifier: GPL-2.0-only
"""Messages between CPUs: for whom they are, and what they do (Intel SDM volume 3, 9.4 and 11.6)."""

from __future__ import annotations

import pytest

from emu.cpu.native.cpu_records import OFF
from tests.cpu.pc.bare_pc import (
    BOUNDARY,
    DFR,
    ESR,
    ICR,
    ICR_HIGH,
    KEEP,
    LDR,
    LVT_TIMER,
    RESULTS,
    TPR,
    BarePc,
    keep,
    send,
    wait,
    write,
)

VECTOR = 0x52
LOGICAL, LOWEST, NMI, INIT, STARTUP = 1 << 11, 1 << 8, 4 << 8, 5 << 8, 6 << 8
ASSERT, LEVEL = 1 << 14, 1 << 15
SELF, ALL, OTHERS = 1 << 18, 2 << 18, 3 << 18
FLAT, CLUSTER = 0xFFFF_FFFF, 0x0FFF_FFFF
REAL_MODE_PAGE = 0x8


def receivers(low: int, high: int = 0, *, format: int = FLAT, logical: tuple[int, ...] = (1, 2, 4, 8)) -> list[int]:
    """Which of four CPUs take the vector of a message that the first one sends."""
    ready = [write(DFR, format) + write(LDR, number << 24) + "sti; " for number in logical]
    first, *others = (code + ("" if n == 0 else "hlt") for n, code in enumerate(ready))
    pc = BarePc(4).run(first + wait(1000) + send(low, high) + wait(1000), *others)
    counts = [pc.count(low & 0xFF, n) for n in range(4)]
    assert max(counts) <= 1
    return [n for n in range(4) if counts[n]]


@pytest.mark.parametrize(("destination", "expected"), [(0, [0]), (2, [2]), (3, [3]), (4, []), (0xFE, []), (0xFF, [0, 1, 2, 3])])
def test_physical_destinations(destination: int, expected: list[int]) -> None:
    """11.6.2.1: an APIC's ID, or all of them."""
    assert receivers(VECTOR, destination) == expected


@pytest.mark.parametrize(("destination", "expected"), [(1, [0]), (6, [1, 2]), (0x10, []), (9, [0, 3]), (0xFF, [0, 1, 2, 3])])
def test_logical_destinations_in_the_flat_model(destination: int, expected: list[int]) -> None:
    """11.6.2.2: any bit of the APIC's logical ID."""
    assert receivers(LOGICAL | VECTOR, destination) == expected


@pytest.mark.parametrize(
    ("destination", "expected"), [(0x11, [0]), (0x13, [0, 1]), (0x21, [2]), (0x2F, [2, 3]), (0x31, []), (0xFF, [0, 1, 2, 3])]
)
def test_logical_destinations_in_the_cluster_model(destination: int, expected: list[int]) -> None:
    """11.6.2.2: the cluster's number, and any bit of the four."""
    assert receivers(LOGICAL | VECTOR, destination, format=CLUSTER, logical=(0x11, 0x12, 0x21, 0x22)) == expected


@pytest.mark.parametrize(("shorthand", "expected"), [(SELF, [0]), (ALL, [0, 1, 2, 3]), (OTHERS, [1, 2, 3])])
def test_shorthands(shorthand: int, expected: list[int]) -> None:
    """11.6.1: the destination does not matter."""
    assert receivers(shorthand | VECTOR, 2) == expected


@pytest.mark.parametrize("mode", [LOWEST, NMI])
@pytest.mark.parametrize("shorthand", [SELF, ALL])
def test_what_shorthands_with_oneself_cannot_send(shorthand: int, mode: int) -> None:
    """Table 11-3."""
    pc = BarePc(2).run("sti; " + wait(500) + send(shorthand | mode | VECTOR) + wait(500), "sti; hlt")
    assert pc.counts(0) == pc.counts(1) == {}


@pytest.mark.parametrize(
    ("priorities", "shorthand", "expected"),
    [((0x40, 0x30, 0x20, 0x30), 0, 2), ((0x20, 0x40, 0x20, 0x20), 0, 0), ((0x00, 0x40, 0x30, 0x30), OTHERS, 2)],
)
def test_the_lowest_priority(priorities: tuple[int, ...], shorthand: int, expected: int) -> None:
    """11.6.2.4: one CPU of the destination, which does the least important work; of equals, here, the first."""
    codes = ["sti; " + write(LDR, 1 << n + 24) + write(TPR, priority) for n, priority in enumerate(priorities)]
    first, *others = codes
    message = send(shorthand | LOWEST | LOGICAL | VECTOR, 0xF)
    pc = BarePc(4).run(first + wait(1000) + message + wait(1000), *(code + "hlt" for code in others))
    assert [pc.count(VECTOR, n) for n in range(4)] == [n == expected for n in range(4)]


def test_the_command_is_read_back_as_sent() -> None:
    """11.6.1: when the message has been sent, "delivery status" is idle."""
    pc = BarePc(2).run(send(OTHERS | ASSERT | NMI | 0x35, 0x7A) + keep(ICR, ICR_HIGH), wait(2000))
    assert pc.results() == [OTHERS | ASSERT | NMI | 0x35, 0x7A << 24]


@pytest.mark.parametrize("enabled", ["sti; hlt", "cli; hlt"])
def test_a_non_maskable_interrupt_wakes_a_cpu_after_it_was_sent(enabled: str) -> None:
    """11.6.1: the vector does not matter; also a CPU that sleeps with interrupts off, at any priority."""
    for seed in range(3):
        pc = BarePc(2, seed=seed, quantum=100)
        pc.handle(2, "rdtsc; mov [r15 + 8], rax; iretq")
        pc.run(wait(500) + "rdtsc; " + KEEP + send(NMI | 0x35, 1) + wait(2000), write(TPR, 0xFF) + enabled
            + "; mov qword ptr [r15], 1")
        page = RESULTS + 0x1000
        assert pc.read(page) == 1
        assert pc.results()[0] + 500 <= pc.read(page + 8) < pc.results()[0] + 700


def test_messages_take_their_time() -> None:
    for seed in range(3):
        pc = BarePc(2, seed=seed, quantum=100)
        pc.handle(VECTOR, "rdtsc; mov [r15], rax; iretq")
        pc.run(wait(500) + "rdtsc; " + KEEP + send(VECTOR, 1) + wait(2000), "sti; " + wait(5000))
        assert pc.results()[0] + 500 <= pc.read(RESULTS + 0x1000) < pc.results()[0] + 700


def test_a_vector_below_16_is_received_as_an_error() -> None:
    """11.5.3: bit 6, as from an I/O APIC; the sender of such a message has bit 5, and sends nothing."""
    pc = BarePc(2).run(wait(500) + send(0x0F, 1) + write(ESR, 0) + keep(ESR), wait(2000) + write(ESR, 0) + keep(ESR))
    assert (pc.results(0), pc.results(1)) == ([1 << 5], [0])


# Starting

STARTED = """
    mov ax, cs; mov ds, ax; mov word ptr [0x100], ax; mov eax, cr0; mov dword ptr [0x104], eax; mov dword ptr [0x108], edx;
    pushf; pop ax; mov word ptr [0x10c], ax; hlt
"""  # 16-bit code, as bytes below: keystone's other mode


def real_mode_code() -> bytes:
    import keystone

    return bytes(keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_16).asm(STARTED.replace("\n", " "))[0])


def start(messages: str, *, other: str | None = None) -> BarePc:
    pc = BarePc(2)
    for page in (REAL_MODE_PAGE, REAL_MODE_PAGE + 1):
        pc.bytes(page << 12, real_mode_code())
    return pc.run("sti; " + wait(500) + messages, *([] if other is None else [other]))


def started_at(pc: BarePc) -> list[int]:
    return [page for page in (REAL_MODE_PAGE, REAL_MODE_PAGE + 1) if pc.read((page << 12) + 0x100)]


def test_a_cpu_starts_in_real_mode_at_the_page_of_the_vector() -> None:
    """9.4.3, 10.1.1: CS is the vector's page; paging, protection and interrupts are off."""
    pc = start(send(INIT | ASSERT, 1) + send(STARTUP | REAL_MODE_PAGE, 1))
    assert started_at(pc) == [REAL_MODE_PAGE]
    page = REAL_MODE_PAGE << 12
    assert pc.read(page + 0x100) & 0xFFFF == REAL_MODE_PAGE << 8
    assert pc.read(page + 0x104) & 0xFFFF_FFFF == 0x6000_0010
    assert pc.read(page + 0x10C) & 0xFFFF == 2


def test_a_cpu_starts_once() -> None:
    """9.4.4.1: the second of the two start-up messages finds it running, and does nothing."""
    two = send(STARTUP | REAL_MODE_PAGE, 1) + send(STARTUP | REAL_MODE_PAGE + 1, 1)
    assert started_at(start(two)) == [REAL_MODE_PAGE]
    assert started_at(start(send(INIT | ASSERT, 1) + two)) == [REAL_MODE_PAGE]


def test_a_running_cpu_starts_only_after_init() -> None:
    pc = start(send(STARTUP | REAL_MODE_PAGE, 1) + wait(1000), other=wait(1500) + "mov dword ptr [r15], 7")
    assert pc.read(RESULTS + 0x1000) == 7


def test_init_stops_a_cpu_and_resets_its_apic() -> None:
    """11.4.7.3: everything but the ID; what was requested is gone."""
    busy = "cli; " + write(TPR, 0x40) + write(LVT_TIMER, 0x40) + send(SELF | 0x91) + "l: inc dword ptr [r15]; jmp l"
    pc = start(send(INIT | ASSERT, 1) + wait(3000), other=busy)
    cpu, apic = pc.board.cpus[1], pc.pc.apics[1]
    assert cpu.record.status == OFF
    assert (apic.task_priority, apic.spurious, apic.local_vectors[0], cpu.record.pending_count) == (0, 0xFF, 1 << 16, 0)
    assert cpu.cycles < 4000


def test_init_wakes_no_handler_and_a_de_assert_does_nothing() -> None:
    """11.6.1: INIT with level 0 and trigger mode "level" is the de-assert."""
    for shorthand in (0, ALL):
        pc = start(send(shorthand | INIT | LEVEL, 1) + wait(500),
            other="mov ecx, 3000; l: dec ecx; jnz l; mov dword ptr [r15], 1")
        assert pc.read(RESULTS + 0x1000) == 1


def test_a_waiting_cpu_takes_nothing_but_the_start() -> None:
    """9.4.1, 11.4.7.2: neither vectors nor NMIs, also later."""
    pc = BarePc(2)
    pc.bytes(REAL_MODE_PAGE << 12, bytes.fromhex("fb" "90" "eb00" "eb00" "faf4"))  # sti; nop; two blocks; cli; hlt
    pc.run(send(NMI, 1) + send(VECTOR, 1) + send(INIT | ASSERT, 1) + send(NMI, 1) + send(STARTUP | REAL_MODE_PAGE, 1)
        + wait(3000))
    assert pc.board.cpus[1].record.taken == 0
    assert pc.board.cpus[1].pc == 8


def test_a_cpu_that_resets_itself_stays_off() -> None:
    pc = BarePc(2).run(send(INIT | ASSERT, 0) + "hlt; " + BOUNDARY + "mov dword ptr [r15], 1", "")
    assert pc.board.cpus[0].record.status == OFF
    assert pc.read(RESULTS) == 0
