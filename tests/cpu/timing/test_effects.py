# SPDX-License-Identifier: GPL-2.0-only
"""Effects of pipelines, predictors and caches that programs notice, in cycles on a bare board: they match the CPU model."""

from __future__ import annotations

import functools

import pytest

from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.timing import CYCLE
from tests.cpu.bare import KERNEL, MEMORY, PT_USER, USER, USER_FRAME, Bare
from tests.cpu.timing.bench import DATA, Each, bouncing, chase, each, run

CACHES, PREDICTOR = ZEN3.caches, ZEN3.predictor
MISPREDICT = PREDICTOR.mispredict / CYCLE  # cycles


# Returns


def called(function: str) -> Each:
    return each("call f; nop", behind=f"f: {function}; ret")


def test_a_diverted_return_costs_a_misprediction_more() -> None:
    """The function returns behind the instruction that follows the call."""
    plain, diverted = called("add qword ptr [rsp], 0"), called("add qword ptr [rsp], 1")
    assert (plain.counts["return-misses"], diverted.counts["return-misses"]) == (0, 1)
    assert diverted.counts["returns"] == 1
    assert MISPREDICT <= diverted.cycles - plain.cycles < 2 * MISPREDICT + ZEN3.forward


@functools.cache
def nested(depth: int) -> Each:
    functions = "; ".join(f"f{n}: call f{n + 1}; ret" for n in range(1, depth))
    return each("call f1", behind=f"{functions}; f{depth}: ret", rounds=50)


def test_calls_that_are_deeper_than_the_return_stack_cost_a_misprediction_each() -> None:
    deepest = PREDICTOR.return_stack
    assert [nested(deepest + more).counts["return-misses"] for more in range(3)] == [0, 1, 2]
    one_call = nested(deepest).cycles - nested(deepest - 1).cycles
    for more in (1, 2):
        assert nested(deepest + more).cycles - nested(deepest + more - 1).cycles >= one_call + MISPREDICT - 4


# Branches


def jumps(count: int) -> str:
    return "; ".join(f"jmp j{n}; j{n}: nop" for n in range(count))


def test_jumps_are_as_far_apart_as_the_core_takes_them() -> None:
    assert (each(jumps(40)).cycles - each(jumps(20)).cycles) / 20 == pytest.approx(ZEN3.taken_each / CYCLE)


def test_a_jump_that_is_met_first_is_known_late() -> None:
    before = "jmp alone; alone: lfence"  # a block of its own, so that the loads of the one before are complete
    none, first = run(f"{before}; nop; lfence"), run(f"{before}; {jumps(20)}; lfence")
    assert first[1]["btb-misses"] - none[1]["btb-misses"] == 20
    assert first[0] - none[0] >= 20 * PREDICTOR.resteer / CYCLE


def random_branch(mask: int) -> Each:
    """A branch on a bit of a random number, if the mask has one."""
    body = f"imul rax, rcx; add rax, rdx; mov rsi, rax; shr rsi, 33; test esi, {mask}; jz skip; nop; skip: nop"
    return each(body, before="mov rax, 1; mov rcx, 0x5851f42d4c957f2d; mov rdx, 0x14057b7ef767814f", rounds=2000)


def test_an_unpredictable_branch_is_wrong_half_the_time() -> None:
    known, unknown = random_branch(0), random_branch(1)
    assert known.counts["conditional-misses"] == 0
    misses = unknown.counts["conditional-misses"]
    assert 0.4 < misses < 0.6
    # Instructions behind it also wait for the branch's input: the number, its shift and its test.
    assert misses * MISPREDICT <= unknown.cycles - known.cycles <= misses * (MISPREDICT + 8)


# Caches


@pytest.mark.parametrize(
    ("lines", "more"),
    [
        (CACHES.l1d.size // 64 // 2, 0),
        (CACHES.l1d.size // 64, 0),
        (CACHES.l1d.size // 64 * 4, CACHES.l2_hit),
        (CACHES.l2.size // 64 * 4, CACHES.llc_hit),
    ],
    ids=["half the L1", "the L1", "the L2", "the last level"],
)
def test_a_chase_of_pointers_has_a_step_at_the_size_of_each_cache(lines: int, more: int) -> None:
    assert chase(lines).cycles == pytest.approx(ZEN3.load + more, rel=0.01)


def test_a_chase_of_pointers_that_nobody_has_read_goes_to_memory() -> None:
    cold = chase(2048, passes=0)
    assert cold.counts["LLC-load-misses"] == 1
    assert (1 - cold.counts["prefetches"]) * CACHES.memory <= cold.cycles <= ZEN3.load + CACHES.memory


def code_and_data(distance: int) -> Each:
    """A function in a line of its own, and a byte written `distance` bytes behind it."""
    function = 0x24000

    def prepare(bare: Bare) -> None:
        bare.put(function, "nop; ret")

    body = f"mov byte ptr [rbx + {distance}], 0; call rax"
    return each(body, before=f"mov rax, {KERNEL + function:#x}; mov rbx, rax", rounds=50, prepare=prepare)


def test_a_line_of_code_that_is_written_is_fetched_again() -> None:
    apart, together = code_and_data(64), code_and_data(32)
    assert (apart.counts["L1-icache-load-misses"], together.counts["L1-icache-load-misses"]) == (0, 1)
    assert together.cycles - apart.cycles >= CACHES.l2_hit / 2 - 1  # half of it is visible, or a bit less: calls are late anyway


def test_code_may_go_on_behind_the_end_of_ram() -> None:
    """A block begins on the last page of RAM and continues on the next virtual page, which is elsewhere."""
    size = 4096
    last, elsewhere, start = MEMORY - size, USER_FRAME + 8 * size, USER + 4 * size - 100

    def prepare(bare: Bare) -> None:
        bare.word(PT_USER + 3 * 8, last | 7)
        bare.word(PT_USER + 4 * 8, elsewhere | 7)
        code = bare.put(elsewhere, "nop; " * 120 + "jmp rbx", start)  # within the longest block
        bare.bytes(MEMORY - 100, code[:100])
        bare.bytes(elsewhere, code[100:])

    plain, beyond = (run(f"lea rbx, [rip + end]; mov rax, {start}; {jump}; end: nop", prepare) for jump in ("nop", "jmp rax"))
    assert beyond[1]["L1-icache-load-misses"] - plain[1]["L1-icache-load-misses"] == 2


@pytest.mark.parametrize("others", [0x8000, 0x8008])
def test_a_string_instruction_accesses_what_its_registers_pass(others: int) -> None:
    """The source register, which `stos` does not use, is no address."""
    registers = f"mov rdi, {KERNEL + DATA:#x}; mov rsi, {KERNEL + DATA + others:#x}; mov ecx, 512; mov al, 1"
    plain, filled = run(f"{registers}; nop"), run(f"{registers}; rep stosb")
    misses = [counts["L1-dcache-load-misses"] + counts["L1-dcache-store-misses"] for _, counts in (plain, filled)]
    assert misses[1] - misses[0] == 512 // 64


@pytest.mark.parametrize("count", [2, 3, 65, 200])
def test_a_string_instruction_accesses_all_its_lines_whichever_way_it_goes(count: int) -> None:
    """It begins in the middle of a line, and the last element may be the first of one."""

    def misses(direction: str, first: int, instruction: str) -> float:
        counts = run(f"mov rdi, {KERNEL + DATA + first:#x}; mov ecx, {count}; {direction}; {instruction}; cld")[1]
        return counts["L1-dcache-store-misses"] + counts["L1-dcache-load-misses"]

    lowest = 0x8000 + 40
    lines = (lowest + count * 8 - 1) // 64 - lowest // 64 + 1
    for direction, first in (("cld", lowest), ("std", lowest + (count - 1) * 8)):
        assert misses(direction, first, "rep stosq") - misses(direction, first, "nop") == lines


# Waiting


CHAIN = "mov eax, 3; " + "imul rax, rax; " * 10
CHAIN_CYCLES = 10 * 3


def test_without_a_fence_rounds_overlap() -> None:
    assert each(CHAIN + "nop").cycles < CHAIN_CYCLES / 2


@pytest.mark.parametrize("fence", ["lfence", "mfence", "cpuid"])
def test_a_serialising_instruction_waits_for_all_before_it(fence: str) -> None:
    alone, behind = each(fence), each(f"{CHAIN}{fence}")
    assert alone.counts["serialising"] == behind.counts["serialising"] == 1
    assert alone.cycles >= ZEN3.serialising[fence]
    if fence != "cpuid":  # it writes the input of the chain
        assert behind.cycles - alone.cycles >= CHAIN_CYCLES - 2


@pytest.mark.parametrize(
    ("plain", "locked", "cycles"),
    [
        ("add qword ptr [rbx], 1; add qword ptr [rbx + 64], 1", "lock add qword ptr [rbx], 1; lock add qword ptr [rbx + 64], 1",
         ZEN3.locked),
        ("mov rax, [rbx]; mov [rbx], rcx; mov rax, [rbx + 64]; mov [rbx + 64], rcx",
         "mov rax, rcx; xchg rax, [rbx]; mov rax, rcx; xchg rax, [rbx + 64]", ZEN3.locked_complex),
    ],
    ids=["lock add", "xchg"],
)  # fmt: skip
def test_locked_instructions_wait_for_each_other(plain: str, locked: str, cycles: int) -> None:
    """Even if they are on different lines, where other accesses overlap."""
    of_plain, of_locked = (each(code, before=f"mov rbx, {KERNEL + DATA:#x}").cycles for code in (plain, locked))
    assert of_locked >= 2 * cycles > of_plain


def test_a_trap_takes_what_the_model_says() -> None:
    handler = 0x30000

    def prepare(bare: Bare) -> None:
        bare.put(handler, "iretq")
        bare.gate(0x80, KERNEL + handler)

    trapped, plain = each("int 0x80", rounds=50, prepare=prepare), each("nop")
    assert trapped.counts["traps"] == 1
    assert trapped.cycles - plain.cycles >= ZEN3.trap + ZEN3.serialising["iretq"]


# CPUs


@pytest.mark.parametrize("quantum", [60, 250, 1000, 4000])
def test_a_line_that_bounces_costs_the_same_whatever_the_quantum_is(quantum: int) -> None:
    expected, found = bouncing(500), bouncing(quantum)
    assert found.cycles == pytest.approx(expected.cycles, rel=0.1)
    assert found.counts["coherence-transfers"] == pytest.approx(expected.counts["coherence-transfers"], rel=0.1)
