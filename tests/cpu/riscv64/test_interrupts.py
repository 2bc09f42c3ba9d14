# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts, NMIs, sleep and counters: each at the first block that allows it, at or after its time."""

from __future__ import annotations

import pytest
import unicorn
from unicorn import riscv_const

from tests.cpu.riscv64.bare import (
    DATA,
    HOST_CALL,
    IPI,
    KERNEL,
    SAVE,
    STOP,
    TIMER,
    TIMER_VECTOR,
    TO_USER,
    USER,
    VECTOR,
    Bare,
    pytestmark,  # noqa: F401
)

INTERRUPT = 1 << 63
NMI = INTERRUPT | 63
ALLOW_NMI = "li t0,1<<63; csrs sie,t0;"
# Counts at DATA, stores scause, sepc and the time behind it, and returns. It uses t0 and t1.
COUNT = (
    f"li t0,{KERNEL + DATA:#x}; ld t1,(t0); addi t1,t1,1; sd t1,(t0); csrr t1,scause; sd t1,8(t0); csrr t1,sepc; sd t1,16(t0);"
    "rdcycle t1; sd t1,24(t0);"
)
BUSY = "li s0,{}; 1: addi s0,s0,-1; bnez s0,1b;"


def timer(deadline: int, body: str) -> Bare:
    bare = Bare()
    bare.put(VECTOR, COUNT + "sret")
    bare.start(f"li a0,{deadline};" + HOST_CALL.format(TIMER) + body + STOP)
    assert bare.run()
    return bare


@pytest.mark.parametrize("deadline", range(300, 304))
def test_the_timer_interrupts_the_first_block_at_its_deadline(deadline: int) -> None:
    bare = timer(deadline, "csrsi sstatus,2;" + BUSY.format(2000))
    assert bare.read(DATA) == bare.board.cpus[0].record.taken == 1
    assert bare.read(DATA + 8) == INTERRUPT | TIMER_VECTOR
    assert deadline <= bare.read(DATA + 24) < deadline + 30


def test_sie_masks_the_timer_and_the_next_instruction_is_interrupted() -> None:
    bare = timer(300, BUSY.format(2000) + f"li s3,{KERNEL + DATA:#x}; ld a0,(s3); la s1,5f; csrsi sstatus,2; 5: nop; nop;")
    assert bare.calls[-1][2][0] == 0
    assert bare.read(DATA) == 1
    assert bare.read(DATA + 16) == bare.registers()["s1"]


def test_sret_that_sets_sie_is_followed_by_the_interrupt() -> None:
    bare = timer(10, "la s1,5f; csrw sepc,s1; li t0,0x120; csrs sstatus,t0;" + BUSY.format(200) + "nop; sret; 5: nop; nop;")
    assert bare.read(DATA + 16) == bare.registers()["s1"]


@pytest.mark.parametrize("late", range(5))
def test_an_interrupt_is_taken_once_between_on_and_off(late: int) -> None:
    bare = timer(10 + late, "li s0,50; 1: csrsi sstatus,2; csrci sstatus,2; addi s0,s0,-1; bnez s0,1b;")
    assert bare.read(DATA) == 1


def sums(period: int, quantum: int, seed: int = 0) -> tuple[list[int], int]:
    """A computation that is interrupted again and again: its results, and how often."""
    bare = Bare(quantum=quantum, seed=seed)
    bare.put(VECTOR, "addi sp,sp,-64; sd t0,(sp); sd t1,8(sp); sd a0,16(sp); sd a7,24(sp);" + COUNT
             + f"rdcycle a0; li t1,{period}; add a0,a0,t1;" + HOST_CALL.format(TIMER)
             + "ld t0,(sp); ld t1,8(sp); ld a0,16(sp); ld a7,24(sp); addi sp,sp,64; sret")  # fmt: skip
    bare.start("li a0,100;" + HOST_CALL.format(TIMER) + "csrsi sstatus,2; li s0,2000; li s1,0; li s2,1; 1: mul s2,s2,s0;"
               "xor s1,s1,s2; c.addi s2,3; addi s0,s0,-1; bnez s0,1b; csrci sstatus,2; mv a0,s1; mv a1,s2; rdcycle a2;"
               + STOP)  # fmt: skip
    assert bare.run(2000)
    return bare.calls[-1][2][:3], bare.read(DATA)


@pytest.mark.parametrize("period", [60, 97, 333])
def test_interrupts_do_not_disturb_a_computation(period: int) -> None:
    undisturbed, disturbed = sums(1 << 40, 1000), sums(period, 1000)
    assert disturbed[0][:2] == undisturbed[0][:2]
    assert disturbed[1] > 20 > undisturbed[1]
    assert sums(period, 1000) == disturbed


def test_an_ipi_is_taken_no_earlier_than_it_was_sent() -> None:
    for seed in range(3):
        bare = Bare(2, seed=seed)
        bare.put(VECTOR, COUNT + "sret")
        bare.start("csrsi sstatus,2; 1: j 1b", cpu=1)
        bare.start(BUSY.format(3000) + "rdcycle s1; li a0,1; li a1,33;" + HOST_CALL.format(IPI) + "mv a0,s1;" + STOP)
        assert bare.run()
        sent = bare.calls[-1][2][0]
        bare.board.limit = bare.board.now + 5000
        bare.board.run(lambda cpu, number, arguments: None)
        assert bare.read(DATA) == 1
        assert sent <= bare.read(DATA + 24) < sent + 1500


@pytest.mark.parametrize("vector", [15, 63])
def test_an_ipi_of_no_cause_is_refused(vector: int) -> None:
    bare = Bare()
    bare.start(f"li a0,0; li a1,{vector};" + HOST_CALL.format(IPI) + STOP)
    assert bare.run()
    assert bare.calls[-1][2][0] == 2**64 - 22


@pytest.mark.parametrize("status", [0, 2])
def test_wfi_sleeps_until_an_interrupt_is_pending_masked_or_not(status: int) -> None:
    bare = timer(50_000, f"csrsi sstatus,{status}; la s1,5f; wfi; 5: rdcycle a0; csrsi sstatus,2; nop;")
    assert 50_000 <= bare.calls[-1][2][0] < 50_100
    assert bare.read(DATA) == 1
    assert (bare.read(DATA + 16) == bare.registers()["s1"]) == bool(status)
    assert bare.board.cpus[0].record.slept > 49_000


def test_a_cpu_that_nothing_wakes_sleeps_for_ever() -> None:
    bare = Bare()
    bare.start("wfi;" + STOP)
    assert not bare.run()
    assert bare.board.cpus[0].next_event is None


# NMIs


def nmi_at(place: int, body: str, handler: str) -> tuple[Bare, bool]:
    """Raises an NMI before instruction `place` of the body. Returns also whether it is then taken at once."""
    bare = Bare()
    bare.put(VECTOR, handler)
    bare.start("la s11,8f; j 8f; .balign 4; 8:" + body)
    cpu = bare.board.cpus[0]
    for _ in range(100):
        if cpu.pc == bare.registers()["s11"]:
            break
        cpu.step()
    for _ in range(place):
        cpu.step()
    before = cpu.record.taken
    cpu.raise_nmi()
    cpu.step()
    return bare, cpu.record.taken > before


def test_an_nmi_ignores_sie_but_waits_for_its_bit_in_the_register_sie() -> None:
    body = "nop; nop;" + ALLOW_NMI + "nop; csrsi sstatus,2; nop; csrc sie,t0; nop; nop;" + STOP
    taken = [nmi_at(place, body, COUNT + "sret")[1] for place in range(11)]
    # nop, nop, li (2 instructions), csrs | nop, csrsi, nop, csrc | nop, nop
    assert taken == [False] * 4 + [True] * 5 + [False] * 2  # right behind csrs, in the same step, and right before csrc
    bare, _ = nmi_at(0, body, COUNT + "sret")
    assert bare.run()
    assert bare.read(DATA) == 1
    assert bare.read(DATA + 8) == NMI


def test_an_nmi_waits_until_a_trap_is_saved_and_comes_before_sret() -> None:
    """From the trap to the clearing of SDT, and from its setting to sret, sepc and the others are not destroyed."""
    handler = ("csrr t1,scause; bltz t1,7f; csrr s1,sepc; csrr s2,sstatus; li t0,0x1000000; csrc sstatus,t0; nop; addi s1,s1,2;"
               "csrw sstatus,s2; csrw sepc,s1; nop; sret; 7:" + COUNT + "sret")  # fmt: skip
    found = []
    for place in range(24):
        bare, _ = nmi_at(place, ALLOW_NMI + "li s3,7; c.ebreak; 5: li s4,8; nop; nop; nop; nop;" + STOP, handler)
        assert bare.run()
        assert bare.read(DATA) == 1
        assert (bare.registers()["s3"], bare.registers()["s4"]) == (7, 8)
        found.append(bare.read(DATA + 16) - (KERNEL + VECTOR))
    code = bytes(bare.board.ram[VECTOR : VECTOR + 0x60])
    clear = code.index(bytes.fromhex("73b00210"))  # csrc sstatus, t0
    restore = code.index(bytes.fromhex("73100910"))  # csrw sstatus, s2
    inside = {place for place in found if 0 <= place < 0x1000}
    assert inside == {clear + 4, clear + 6, restore}


def test_an_nmi_masks_others_until_the_handler_allows_them() -> None:
    bare = Bare()
    save = "addi sp,sp,-32; sd s1,(sp); sd s2,8(sp); sd t0,16(sp); csrr s1,sepc; csrr s2,sstatus;"
    restore = "csrw sstatus,s2; csrw sepc,s1; ld s1,(sp); ld s2,8(sp); ld t0,16(sp); addi sp,sp,32; sret"
    bare.put(VECTOR, save + "li t0,0x1000000; csrc sstatus,t0; addi s5,s5,1;" + HOST_CALL.format(33) + "addi s6,s6,1;"
             + ALLOW_NMI + restore)  # fmt: skip
    bare.start("li s5,0; li s6,0;" + ALLOW_NMI + HOST_CALL.format(32) + "nop; nop;" + STOP)
    seen = []

    def on_call(cpu, number, arguments):
        registers = cpu.registers()
        seen.append((number, registers["s5"], registers["s6"]))
        if len(seen) < 3:
            cpu.raise_nmi()
        cpu.answer(0)

    for _ in range(100):
        if seen and seen[-1][0] == 60:
            break
        assert bare.board.run(on_call)
    assert seen == [(32, 0, 0), (33, 1, 0), (33, 2, 1), (60, 2, 2)]


@pytest.mark.parametrize("allow", ["", ALLOW_NMI])
def test_an_nmi_interrupts_a_program_if_it_is_allowed(allow: str) -> None:
    bare = Bare()
    bare.put(VECTOR, SAVE + STOP)
    bare.start_program("1: j 1b")
    bare.start(allow + TO_USER)
    cpu = bare.board.cpus[0]
    for _ in range(30):
        cpu.step()
    assert cpu.in_user_mode
    cpu.raise_nmi()
    for _ in range(60):
        cpu.step()
    assert cpu.in_user_mode != bool(allow)
    assert bare.trapped()[:2] == ([NMI, USER] if allow else [0, 0])


# Counters


def test_counters_follow_the_virtual_clock() -> None:
    bare = Bare()
    bare.start("rdcycle s0; rdtime s1; rdinstret s2; nop; rdcycle s3; rdinstret s4;" + STOP)
    assert bare.run()
    cycle, time, instret, cycle_after, instret_after = (bare.registers()[f"s{n}"] for n in range(5))
    assert cycle < time < cycle_after < 100
    assert instret_after - instret == 3
    assert instret < cycle


@pytest.mark.parametrize("allowed", range(8))
def test_a_program_reads_the_counters_that_scounteren_names(allowed: int) -> None:
    for n, name in enumerate(("rdcycle", "rdtime", "rdinstret")):
        bare = Bare()
        bare.put(VECTOR, SAVE + STOP)
        bare.start_program(f"{name} s5; c.ebreak")
        bare.start(f"csrwi scounteren,{allowed}; li t0,0x1000; csrw sepc,t0; sret")
        assert bare.run()
        assert bare.trapped()[0] == (3 if allowed >> n & 1 else 2)


def csr_of_a_plain_uc(instruction: int) -> int | str:
    """What a Uc that is no CPU of a board reads into a0."""
    uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64)
    uc.mem_map(0, 0x1000)
    uc.mem_write(0, instruction.to_bytes(4, "little") + b"\1\0" * 4)
    try:
        uc.emu_start(0, 4)
    except unicorn.UcError as error:
        return error.errno
    return int(uc.reg_read(riscv_const.UC_RISCV_REG_A0))


def test_a_uc_that_is_no_cpu_has_unicorns_own_counters_and_status() -> None:
    Bare()  # Unicorn's table of CSRs has been changed
    first, second = csr_of_a_plain_uc(0xC0002573), csr_of_a_plain_uc(0xC0202573)  # rdcycle, rdinstret
    assert 0 < first < second  # the host's clock
    assert csr_of_a_plain_uc(0xC0102573) == unicorn.UC_ERR_EXCEPTION  # rdtime
    uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64)
    uc.reg_write(riscv_const.UC_RISCV_REG_SSTATUS, 2**64 - 1)
    assert uc.reg_read(riscv_const.UC_RISCV_REG_SSTATUS) >> 24 & 1 == 0
    assert uc.reg_read(riscv_const.UC_RISCV_REG_SSTATUS) & 0xC0122 == 0xC0122
    uc.reg_write(riscv_const.UC_RISCV_REG_MIDELEG, 0x222)
    uc.reg_write(riscv_const.UC_RISCV_REG_SIE, 2**64 - 1)
    assert uc.reg_read(riscv_const.UC_RISCV_REG_SIE) == 0x222
