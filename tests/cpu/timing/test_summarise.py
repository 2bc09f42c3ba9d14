# SPDX-License-Identifier: GPL-2.0-only
"""Summaries of blocks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.arch.x86_64.operations import Operations
from emu.cpu.arch.x86_64.register_names import FLAGS
from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.arch.x86_64.zen4 import ZEN4
from emu.cpu.native.timing.record import BRANCHED, FIRST_PLACE, PLACES, RETIRED, STORES
from emu.cpu.timing import CYCLE, BlockCost, BlockSummary, Ending, Output
from emu.cpu.timing.composition import Composition
from emu.cpu.timing.core import Core
from emu.cpu.timing.summarise import Summariser
from tests.cpu.timing.assembly import assemble

RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI = range(8)


class _Static:
    """A static model with a fixed cost."""

    def block(self, code: bytes, address: int) -> BlockCost:
        return BlockCost(2, 7, 1)


def _summary(text: str, core: Core = ZEN3) -> BlockSummary:
    return Summariser(core, Operations(core), _Static()).summarise(assemble(text), 0x1000)


def _outputs(text: str, core: Core = ZEN3) -> dict[int, Output]:
    return {output.register: output for output in _summary(text, core).outputs}


def _latencies(text: str, register: int, core: Core = ZEN3) -> dict[int, int]:
    """The latencies from each input, in cycles."""
    return {source: latency // CYCLE for source, latency in _outputs(text, core)[register].inputs}


def _repeated(text: str, core: Core = ZEN3) -> float:
    return Composition(core).cycles_of([_summary(text, core)])


@pytest.mark.parametrize(
    ("text", "register", "latencies"),
    [
        ("add rax, 1; add rax, 1; add rax, 1", RAX, {RAX: 3}),
        ("add rax, rcx", RAX, {RAX: 1, RCX: 1}),
        ("mov rax, rcx", RAX, {RCX: 0}),
        ("mov eax, 5", RAX, {}),
        ("xor eax, eax", RAX, {}),
        ("imul rax, rcx; add rax, rdx", RAX, {RAX: 4, RCX: 4, RDX: 1}),
        ("mov rax, qword ptr [rbx + 8]", RAX, {RBX: 4}),
        ("mov rax, qword ptr [rbx + rcx]", RAX, {RBX: 4, RCX: 4}),
        ("mov rax, qword ptr [rbx + rcx*8]", RAX, {RBX: 5, RCX: 5}),
        ("mov rax, qword ptr [rbx + rcx + 8]", RAX, {RBX: 5, RCX: 5}),
        ("movzx eax, byte ptr [rbx]", RAX, {RBX: 4}),
        ("movsx eax, byte ptr [rbx]", RAX, {RBX: 5}),
        ("add rax, qword ptr [rbx]", RAX, {RAX: 1, RBX: 5}),
        ("mov rax, qword ptr [rbx]; mov rax, qword ptr [rax]", RAX, {RBX: 8}),
        ("pop rax", RAX, {RSP: 4}),
    ],
)
def test_when_a_register_is_there(text: str, register: int, latencies: dict[int, int]):
    assert _latencies(text, register) == latencies


def test_registers_that_are_not_written_are_no_outputs():
    assert _outputs("mov rax, rcx").keys() == {RAX, RETIRED}
    assert _outputs("push rax; pop rcx").keys() == {RCX, STORES, RETIRED}


def test_an_output_has_the_slowest_inputs():
    text = "; ".join(f"add rax, {register}" for register in ("rcx", "rdx", "rbx", "rbp", "rsi", "rdi", "r8", "r9", "r10"))
    outputs = _outputs(text)
    assert {register for register, _ in outputs[RAX].inputs} == {RAX, RCX, RDX, RBX, RBP, RSI, RDI, 8}
    assert len(outputs[RETIRED].inputs) == 10  # the time of retirement depends on all registers


# Stores and loads of the same place


def test_places_on_the_stack_are_renamed():
    assert _latencies("push rbx; pop rcx", RCX) == {RBX: 0}
    assert _latencies("mov qword ptr [rsp + 8], rbx; push rax; mov rcx, qword ptr [rsp + 16]", RCX) == {RBX: 0}


def test_other_places_forward_what_was_stored():
    text = "mov qword ptr [rbp - 8], rbx; mov rcx, qword ptr [rbp - 8]"
    assert _latencies(text, RCX) == {RBX: ZEN3.forward, RBP: 4}
    assert _latencies(text, RCX, ZEN4) == {RBX: 0}


def test_a_part_of_what_was_stored_is_forwarded():
    assert _latencies("mov qword ptr [rbp - 8], rbx; mov ecx, dword ptr [rbp - 4]", RCX)[RBX] == ZEN3.forward


def test_a_load_of_more_than_was_stored_waits_until_the_store_has_left():
    blocked = _summary("mov dword ptr [rbp - 8], ebx; mov rcx, qword ptr [rbp - 8]")
    assert blocked.serialising == ZEN3.forward_failed
    assert _summary("mov qword ptr [rbp - 8], rbx; mov rcx, qword ptr [rbp - 8]").serialising == 0


@pytest.mark.parametrize("between", ["add rbp, 8", "mov rbp, rax"])
def test_another_base_is_another_place(between: str):
    latencies = _latencies(f"mov qword ptr [rbp - 8], rbx; {between}; mov rcx, qword ptr [rbp - 8]", RCX)
    assert RBX not in latencies


def test_a_place_that_is_modified_depends_on_itself():
    cycles = ZEN3.forward_learned + 1
    assert _repeated("add qword ptr [rbx + 8], 1") == pytest.approx(cycles)
    assert _repeated("mov rax, qword ptr [rbx]; add rax, 1; mov qword ptr [rbx], rax") == pytest.approx(cycles)
    assert _repeated("add qword ptr [rbx + 8], 1", replace(ZEN3, forward_learned=6)) == pytest.approx(7)
    assert _repeated("add qword ptr [rsp + 8], 1", replace(ZEN3, forward_learned=6)) == pytest.approx(1)
    assert _repeated("add byte ptr [rbx + 8], 1") == pytest.approx(ZEN3.forward + 1)
    outputs = _outputs("add qword ptr [rbx + 8], 1")
    (place,) = [outputs[register] for register in range(FIRST_PLACE, FIRST_PLACE + PLACES) if register in outputs]
    assert place.inputs[-1] == (place.register, cycles * CYCLE)


def test_a_place_that_moves_does_not():
    assert _repeated("add qword ptr [rbx + 8], 1; add rbx, 8") < 2


def test_a_locked_place_does_not_wait_for_itself_as_well():
    assert _repeated("lock add qword ptr [rbx + 8], 1") == pytest.approx(ZEN3.locked)


def test_parts_of_words_are_stored_slowly_if_they_are_stored_again_soon():
    one, other = "mov byte ptr [rbx], al", "mov qword ptr [{}], rax"
    assert _repeated(one) < 1
    assert _repeated(f"{one}; {other.format('rcx')}") == pytest.approx(5)
    assert _repeated("; ".join([one, *(other.format(r) for r in ("rcx", "rdx", "rsi", "rdi"))])) == pytest.approx(5)
    assert _repeated(f"{other.format('rbx')}; {other.format('rcx')}") == pytest.approx(2)


_MANY = [
    "add rax, rcx", "mov rbx, qword ptr [rax + 8]", "mov qword ptr [rbp - 8], rbx", "mov rdx, qword ptr [rbp - 8]", "pop rbx",
    "push rdx", "add qword ptr [rcx], 1", "mov byte ptr [rdi], al", "sub rsp, 8", "imul rdx, rbx", "addsd xmm0, xmm1",
    "movsd xmm1, qword ptr [rdi]", "movsd qword ptr [rdi], xmm0", "adc r9, r10", "lock inc dword ptr [rsi]", "leave",
    "cmovb rax, r11",
]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(_MANY), min_size=1, max_size=12))
def test_no_register_is_later_than_what_has_retired(texts: list[str]):
    """And nothing begins before the block is dispatched: native code depends on both."""
    outputs = _outputs("; ".join(texts))
    retired = dict(outputs[RETIRED].inputs)
    for output in outputs.values():
        assert output.base >= max((latency for _, latency in output.inputs), default=0)
        if output.register != STORES:
            assert output.base <= outputs[RETIRED].base
            assert all(latency <= retired[register] for register, latency in output.inputs)


# The stack pointer


def test_the_stack_engine_is_no_chain():
    assert _repeated("push rax; push rcx") == pytest.approx(1)
    assert RSP not in _outputs("push rax; pop rcx")


def test_the_stack_engines_offset_is_added_in_when_the_stack_pointer_is_read():
    assert _latencies("add rsp, 8; pop rbx; pop rbp", RSP) == {RSP: 2}
    assert _latencies("push rbp; mov rbp, rsp", RBP) == {RSP: 1}
    assert _latencies("sub rsp, 8; add rsp, 8", RSP) == {RSP: 2}  # without a push, there is no offset


# The rest of a summary


@pytest.mark.parametrize(
    ("text", "loads"),
    [("mov rax, qword ptr [rbx]", True), ("mov rax, rbx", False), ("add rax, qword ptr [rbx]; mov rax, 1", False)],
)
def test_what_waits_for_data(text: str, loads: bool):
    assert _outputs(text)[RAX].loads == loads
    assert _outputs(text)[RETIRED].loads == ("ptr" in text)


def test_data_are_waited_for_through_registers():
    outputs = _outputs("mov rax, qword ptr [rbx]; add rcx, rax; mov rdx, rsi")
    assert (outputs[RCX].loads, outputs[RDX].loads) == (True, False)


def test_flags_and_branches_are_outputs_if_something_can_depend_on_them():
    assert FLAGS in _outputs("add rax, rcx")
    assert FLAGS in _outputs("adc rax, rcx; jne 0x1000")
    outputs = _outputs("cmp rax, rcx; jne 0x1000")
    assert FLAGS not in outputs
    assert dict(outputs[BRANCHED].inputs) == {RAX: 2 * CYCLE, RCX: 2 * CYCLE}
    assert BRANCHED not in _outputs("cmp rax, rcx; jmp 0x1000")


def test_header():
    summary = _summary("push rbp; leave; mov cr3, rax; cpuid; jne 0x1000")
    assert summary.instructions == 5
    assert summary.ending == Ending.CONDITIONAL
    assert summary.serialising == ZEN3.serialising["cpuid"]
    assert summary.flushes_tlb
    assert summary.last == len(assemble("push rbp; leave; mov cr3, rax; cpuid"))
    assert not summary.static


@pytest.mark.parametrize(
    "code", [b"\x06\x06", b"\x90\x06\x06", b"\x0f\x01\xe0", b"\x0f\x1f"], ids=["none", "second", "unknown", "cut off"]
)
def test_what_cannot_be_decoded_costs_what_the_static_model_says(code: bytes):
    summary = Summariser(ZEN3, Operations(ZEN3), _Static()).summarise(code, 0x1000)
    assert summary.static
    assert (summary.instructions, summary.dispatch, summary.last) == (2, 7 * CYCLE, 1)
    assert summary.outputs == summary.at_entry == summary.at_exit == ()


@pytest.mark.parametrize("byte", [b"\x0f", b"\xe8"])
def test_a_breakpoint_that_is_there_no_longer_is_one(byte: bytes) -> None:
    """The CPU has translated `int3`; the original code has been restored, and is longer."""
    summariser = Summariser(ZEN3, Operations(ZEN3), _Static())
    summary, breakpoint_ = (summariser.summarise(b"\x90" + end, 0x1000) for end in (byte, b"\xcc"))
    assert summary == breakpoint_
    assert summary.ending == Ending.TRAPS


def test_addresses_are_those_of_the_block():
    code = assemble("mov rax, qword ptr [rip + 0x20]")
    first, second = (Summariser(ZEN3, Operations(ZEN3), _Static()).summarise(code, address) for address in (0x1000, 0x2000))
    assert second.at_entry[0].displacement - first.at_entry[0].displacement == 0x1000
    assert first._replace(at_entry=()) == second._replace(at_entry=())


def test_what_follows_the_end_of_a_block_is_not_of_it() -> None:
    """A call site with a breakpoint, seen by a CPU that has translated the nop."""
    summariser = Summariser(ZEN3, Operations(ZEN3), _Static())
    summary = summariser.summarise(bytes.fromhex("cc 5b b2 06 00"), 0x1000)
    assert summary == summariser.summarise(b"\xcc", 0x1000)
    assert (summary.instructions, summary.ending, summary.static) == (1, Ending.TRAPS, False)
