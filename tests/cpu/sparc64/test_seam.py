# SPDX-License-Identifier: GPL-2.0-only
"""The board's classes work for SPARC V9: traps, interrupts, host calls, turns, steps, and code that changes."""

from __future__ import annotations

import numpy as np
import pytest

from emu.cpu.arch.sparc64.state import Env, windows
from emu.cpu.cpu import CpuFault
from emu.cpu.devices import provide_devices
from tests.cpu.sparc64.bare import CODE, DATA, HANDLERS, HOST_CALL, KERNEL, MEMORY, STACK, Bare, pytestmark  # noqa: F401

COUNT = f"setx {KERNEL + DATA:#x},%g1,%g2; ldx [%g2],%g3; inc %g3; stx %g3,[%g2];"
FAR = f"setx {KERNEL + HANDLERS:#x},%g1,%g2; jmp %g2; nop"
TRAPS_ON = "wrpr %g0,0,%pil; wrpr %g0,0x16,%pstate;"
STOP = HOST_CALL.format(60) + "99: ba 99b; nop"

# Sums with branches whose delay slots have an effect: %l0 taken, %l1 annulled, %l2 in a call's slot.
BUSY = """
    clr %l0; clr %l1; clr %l2; set {n},%l3;
 1: brnz,pt %l3,2f; add %l0,3,%l0; ba 3f; nop;
 2: andcc %l3,1,%g0; bne,a 4f; add %l1,5,%l1;
 4: call 5f; inc 7,%l2; ba 1b; dec %l3;
 5: retl; xor %l0,0,%l0;
 3: {call}
"""


def busy(n: int) -> str:
    return BUSY.format(n=n, call=f"mov %l0,%o0; mov %l1,%o1; mov %l2,%o2; {STOP}")


def expected(n: int) -> list[int]:
    return [3 * (n + 1), 5 * ((n + 1) // 2), 7 * n]


def finish(bare: Bare, calls: int = 1) -> None:
    for _ in range(2000):
        bare.run(1)
        if sum(number == 60 for _, number, _ in bare.calls) >= calls:
            return
    raise AssertionError(f"not finished: {[hex(cpu.pc) for cpu in bare.board.cpus]}")


def test_a_software_trap_reaches_the_trap_table() -> None:
    bare = Bare()
    bare.trap(0x103, FAR)
    bare.put(HANDLERS, COUNT + "done")
    bare.start("ta 3; ta 3; ta 3;" + STOP)
    finish(bare)
    assert bare.read(DATA) == 3


def test_the_timer_interrupts_at_level_14_and_pil_masks_it() -> None:
    bare = Bare()
    provide_devices(bare.board, timer=5, ipi=6, stall=9, timer_vector=14)
    bare.trap(0x4E, FAR)
    bare.put(HANDLERS, COUNT + "rd %asr23,%g3; stx %g3,[%g2+8]; retry")
    timer = "set {},%o0;" + HOST_CALL.format(5)
    bare.start(timer.format(2000) + "wrpr %g0,14,%pil; wrpr %g0,0x16,%pstate; set 5000,%l0; 1: brnz %l0,1b; dec %l0;"
               f"setx {KERNEL + DATA:#x},%g1,%g2; ldx [%g2],%o3; wrpr %g0,13,%pil; ba,a,pt %xcc,.+8; nop;" + STOP)  # fmt: skip
    finish(bare)
    assert bare.calls[-1][2][3] == 0
    assert bare.read(DATA) == 1
    assert bare.read(DATA + 8) > 5000
    assert bare.board.cpus[0].record.taken == 1


@pytest.mark.parametrize("period", [7, 50, 333])
def test_interrupts_do_not_disturb_delay_slots(period: int) -> None:
    bare = Bare()
    provide_devices(bare.board, timer=5, ipi=6, stall=9, timer_vector=14)
    bare.trap(0x4E, FAR)
    # An interrupt has globals of its own; the host call uses %o0, so the value is kept in %g4.
    bare.put(HANDLERS, COUNT + f"mov %o0,%g4; rd %asr23,%o0; add %o0,{period},%o0; mov 5,%g1; ta 0x7e; mov %g4,%o0; retry")
    bare.start(f"set 100,%o0; {HOST_CALL.format(5)} {TRAPS_ON}" + busy(3000))
    finish(bare)
    assert bare.calls[-1][2][:3] == expected(3000)
    assert bare.read(DATA) > 10


@pytest.mark.parametrize("quantum", [1, 3, 10, 1000])
def test_turns_on_two_cpus_do_not_disturb_delay_slots(quantum: int) -> None:
    bare = Bare(2, quantum=quantum)
    bare.start(busy(2000))
    bare.start(busy(3000), cpu=1)
    finish(bare, 2)
    assert {cpu: arguments[:3] for cpu, _, arguments in bare.calls if _ == 60} == {0: expected(2000), 1: expected(3000)}


def test_an_ipi_is_taken_no_earlier_than_it_was_sent() -> None:
    for seed in range(3):
        bare = Bare(2, seed=seed)
        provide_devices(bare.board, timer=5, ipi=6, stall=9, timer_vector=14)
        bare.trap(0x45, FAR)
        bare.put(HANDLERS, COUNT + "rd %asr23,%g3; stx %g3,[%g2+8]; retry")
        bare.start(TRAPS_ON + "1: ba 1b; nop", cpu=1)
        bare.start(f"set 5000,%l0; 1: brnz %l0,1b; dec %l0; rd %asr23,%l1; mov 1,%o0; mov 5,%o1; {HOST_CALL.format(6)}"
                   "mov %l1,%o0;" + STOP)  # fmt: skip
        finish(bare)
        bare.run(3, limit=bare.board.now + 5000)
        sent = bare.calls[-1][2][0]
        assert bare.read(DATA) == 1
        assert sent <= bare.read(DATA + 8) < sent + 1500  # the receiver may be a quantum ahead


@pytest.mark.parametrize("size", [1, 2, 3])
def test_steps_of_any_size_execute_the_same(size: int) -> None:
    bare = Bare()
    bare.start(busy(40))
    cpu = bare.board.cpus[0]
    slots = 0
    for _ in range(3000):
        cpu.step(size)
        registers = cpu.registers()
        slots += registers["npc"] != registers["pc"] + 4
        if cpu.record.request:
            break
    assert cpu.record.host_call == 60
    assert [cpu.registers()[f"l{n}"] for n in range(3)] == expected(40)
    assert slots > 10 or size == 3


def test_a_halted_cpu_is_woken_by_a_masked_interrupt_and_takes_it_when_it_may() -> None:
    bare = Bare(2)
    provide_devices(bare.board, timer=5, ipi=6, stall=9, timer_vector=14, halt=17, relax=18)
    bare.trap(0x4E, FAR)
    bare.put(HANDLERS, COUNT + "retry")
    bare.start(f"wrpr %g0,15,%pil; wrpr %g0,0x16,%pstate; set 1000000,%o0; {HOST_CALL.format(5)} {HOST_CALL.format(17)}"
               "rd %asr23,%o0; wrpr %g0,0,%pil; ba,a,pt %xcc,.+8; nop;" + STOP)  # fmt: skip
    finish(bare)
    assert 1_000_000 <= bare.calls[-1][2][0] < 1_000_100
    assert bare.read(DATA) == 1
    assert bare.board.cpus[0].instructions < 100


def test_code_outside_the_direct_map_is_charged_where_it_is() -> None:
    bare = Bare()
    bare.put(0x40000, STOP)
    bare.start("setx 0xfffffa0000000000,%g1,%g2; mov 0x30,%g3; stxa %g2,[%g3] 0x50; setx 0x8000000000040037,%g1,%g4;"
               "stxa %g4,[%g0] 0x54; jmp %g2; nop")  # fmt: skip
    finish(bare)


def test_an_ipi_of_no_level_is_refused() -> None:
    bare = Bare()
    provide_devices(bare.board, timer=5, ipi=6, stall=9, timer_vector=14)
    bare.start(f"mov 0,%o0; mov 16,%o1; {HOST_CALL.format(6)}" + STOP)
    finish(bare)
    assert bare.calls[-1][2][0] == 2**64 - 22


def test_nested_windows_spill_and_fill() -> None:
    bare = Bare()
    bare.put(HANDLERS, "rec: save %sp,-192,%sp; brz,pn %i0,1f; mov 1000,%l0; call rec; sub %i0,1,%o0; add %o0,%i0,%l0;"
                       "1: mov %l0,%i0; ret; restore %i0,0,%o0")  # fmt: skip
    bare.start(f"mov 100,%o0; setx {KERNEL + HANDLERS:#x},%g1,%g2; call %g2; nop;" + STOP)
    finish(bare)
    assert bare.calls[-1][2][0] == 6050


@pytest.mark.parametrize("depth", range(1, 12))
def test_the_windows_in_the_cpu_can_be_read(depth: int) -> None:
    """Each call's %sp is 192 below its caller's, and its %i7 is the address of the call."""
    bare = Bare()
    code = bare.put(HANDLERS, f"rec: save %sp,-192,%sp; dec %i0; brz,pn %i0,1f; nop; call rec; mov %i0,%o0; 1: {STOP}")
    recursive_call = KERNEL + HANDLERS + code.index(bytes.fromhex("7ffffffc"))
    bare.start(f"mov {depth},%o0; setx {KERNEL + HANDLERS:#x},%g1,%g2; 1: call %g2; nop")
    finish(bare)
    found = list(windows(Env.from_address(bare.board.cpus[0].env)))
    assert len(found) == min(depth + 1, 7)
    top = KERNEL + STACK - 2047 - 192
    for n, (sp, fp, call) in enumerate(found):
        level = depth - n  # 0: before the first call
        assert sp == top - 192 * level
        if level > 0:
            assert fp == sp + 192
        if level > 1:
            assert call == recursive_call


USER, FRAME = 0x400000, 8 << 20
# Virtual page n of user space is at physical 8 MiB + n * 8 KiB - 4 MiB; the miss handler computes the entry.
MISS = """
    mov 0x30,%g1; ldxa [%g1] {tag},%g2; srlx %g2,13,%g2; sllx %g2,13,%g2; setx {base:#x},%g1,%g3; add %g2,%g3,%g2;
    setx 0x8000000000000032,%g1,%g3; or %g2,%g3,%g2; stxa %g2,[%g0] {into}; retry
"""
TO_USER = "wrpr %g0,1,%tl; set 0x1200,%g1; wrpr %g1,0,%tstate;" + (
    f"set {USER},%g1; wrpr %g1,0,%tpc; add %g1,4,%g1; wrpr %g1,0,%tnpc; retry"
)


def user_machine(program: str) -> Bare:
    bare = Bare()
    bare.trap(0x64, MISS.format(tag=0x50, into=0x54, base=FRAME - USER))
    bare.trap(0x68, MISS.format(tag=0x58, into=0x5C, base=FRAME - USER))
    for number in (0x10, 0x11, 0x30, 0x37, 0x16D, 0x17E, 0x6C):
        bare.trap(number, f"mov {number:#x},%o3; mov 60,%g1; ta 0x7e; 1: ba 1b; nop")
    bare.put(FRAME, program)
    bare.start(TO_USER)
    return bare


def test_user_mode_misses_are_served_by_the_guest() -> None:
    bare = user_machine("set 0x410000,%l0; mov 77,%l1; stx %l1,[%l0]; ldx [%l0],%o0; set 0x408000,%l2; mov 1,%o1; ta 0x6d; nop")
    finish(bare)
    assert bare.calls[-1][2] == [77, 1, 0, 0x16D]
    assert bare.read(FRAME + 0x10000) == 77
    assert bare.board.cpus[0].translate(USER + 8) == FRAME + 8


@pytest.mark.parametrize(
    ("instruction", "trap"),
    [
        ("ta 0x7e", 0x17E),
        ("rdpr %pstate,%g1", 0x11),
        ("wrpr %g0,0,%pil", 0x11),
        (".word 0", 0x10),
        (f"setx {KERNEL + CODE:#x},%g1,%g2; ldx [%g2],%g3", 0x30),
    ],
)
def test_user_mode_cannot_make_host_calls_or_touch_the_kernel(instruction: str, trap: int) -> None:
    bare = user_machine(instruction + "; nop; nop")
    finish(bare)
    assert [call[2][3] for call in bare.calls] == [trap]


def test_a_trap_at_the_last_level_is_a_fault_of_the_board() -> None:
    bare = Bare()
    for number in (0x103, 0x303):
        bare.trap(number, "ta 3; nop")
    bare.start("ta 3; nop")
    with pytest.raises(CpuFault):
        bare.run(5)


def test_a_cpu_that_forgets_runs_what_is_in_memory() -> None:
    bare = Bare()
    bare.put(HANDLERS, "retl; mov 1,%o0")
    bare.start(f"1: setx {KERNEL + HANDLERS:#x},%g1,%g2; call %g2; nop; {HOST_CALL.format(33)} ba 1b; nop")
    seen = []

    def on_call(cpu, number, arguments):
        seen.append(arguments[0])
        if len(seen) in (2, 4):
            bare.board.write_code(HANDLERS + 4, (0x90102000 + len(seen)).to_bytes(4, "big"))
        if len(seen) == 4:
            cpu.forget(np.array([[HANDLERS, HANDLERS + 8]], np.uint64))
        cpu.answer(0)

    while len(seen) < 6:
        bare.board.run(on_call)
    assert seen == [1, 1, 1, 1, 4, 4]


def test_the_same_seed_gives_the_same_times() -> None:
    def times() -> list[int]:
        bare = Bare(2, quantum=100, seed=3)
        bare.start(busy(500))
        bare.start(busy(700), cpu=1)
        finish(bare, 2)
        return [cpu.cycles for cpu in bare.board.cpus] + [cpu.instructions for cpu in bare.board.cpus]

    assert times() == times()
    assert MEMORY >= CODE


@pytest.mark.parametrize(
    "instruction",
    [
        *(f"ldstuba [%g2] {asi:#x},%o3" for asi in (0x22, 0x2A, 0xE2, 0xE3, 0xEA, 0xEB)),
        "ldda [%g2] 0xeb,%f0",
        "stda %f0,[%g2] 0xe2",
    ],
)
def test_what_only_twin_loads_may_address_is_illegal_for_others(instruction: str) -> None:
    bare = Bare()
    bare.trap(0x10, FAR)
    bare.put(HANDLERS, "rdpr %tpc,%o2; inc %o1; done")
    bare.start(f"clr %o1; wr %g0,4,%fprs; wrpr %g0,0x14,%pstate; setx {KERNEL + DATA:#x},%g1,%g2; call 1f; nop;"
               f"1: {instruction}; sub %o2,%o7,%o2; mov %o1,%o0; mov %o2,%o1;" + STOP)  # fmt: skip
    finish(bare)
    assert bare.calls[-1][2][:2] == [1, 8]


@pytest.mark.parametrize("reserved", [0, 4])
def test_reserved_conditions_of_registers_are_never_met(reserved: int) -> None:
    branch = 0x00C0_4004 | reserved << 25  # br? %g1, four instructions on
    move = 0x9178_401F | reserved << 10  # movr? %g1, %i7, %o0
    bare = Bare()
    for value in (0, 1, -1):
        bare.start(f"mov {value},%g1; mov 7,%o0; mov 8,%o1; .word {branch:#x}; nop;"
                   f"ba 1f; nop; mov 9,%o1; 1: .word {move:#x};" + STOP)  # fmt: skip
        finish(bare, len(bare.calls) + 1)
        assert bare.calls[-1][2][:2] == [7, 8]
