# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts are taken at the first instruction boundary that allows it, and once."""

from __future__ import annotations

import capstone
import pytest

from emu.cpu.devices import provide_devices
from tests.cpu.bare import CODE, HANDLERS, KERNEL, Bare

VECTOR = 0x40
COUNT, WHERE = 0x50000, 0x50008  # stored by the handler: how often it ran, and the interrupted address

# Enables and disables interrupts in every possible way; R15 counts executed steps.
FUNCTION = """
    inc r15; cli; inc r15; sti; inc r15; inc r15; cli; inc r15;
    pushfq; sti; nop; popfq; inc r15;
    sti; cli; inc r15; sti; sti; inc r15;
    mov ax, 0x10; mov ss, ax; inc r15; inc r15;
    pushfq; cli; inc r15; popfq; inc r15; cli; inc r15; hlt
"""


def machine() -> Bare:
    bare = Bare()
    bare.put(
        HANDLERS,
        f"push rax; push rbx; mov rax, {KERNEL + COUNT:#x}; inc qword ptr [rax]; mov rbx, [rsp + 16]; "
        f"mov [rax + 8], rbx; pop rbx; pop rax; iretq",
    )
    bare.gate(VECTOR, KERNEL + HANDLERS)
    bare.start("xor r15, r15; " + FUNCTION)
    return bare


def boundaries(bare: Bare) -> list[tuple[int, bool]]:
    """Executes the function instruction by instruction: (its address, whether an interrupt may be taken before it)."""
    cpu = bare.board.cpus[0]
    disassembler = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    found = []
    shadow = False
    while True:
        code = bytes(bare.board.ram[cpu.pc - KERNEL : cpu.pc - KERNEL + 16])
        _, _, mnemonic, operands = next(disassembler.disasm_lite(code, cpu.pc))
        enabled = bool(cpu.registers()["rflags"] & 0x200)
        found.append((cpu.pc, enabled and not shadow))
        if mnemonic == "hlt":
            return found
        # `sti` blocks interrupts for one instruction if they were off before; `mov ss` always does (SDM volume 3, 6.8.3).
        shadow = (mnemonic == "sti" and not enabled) or (mnemonic == "mov" and operands.startswith("ss"))
        cpu.step()


def test_an_interrupt_injected_at_every_instruction_is_taken_once_and_where_it_may_be() -> None:
    path = boundaries(machine())
    assert {True, False} == {allowed for _, allowed in path}
    for n in range(len(path)):
        bare = machine()
        cpu = bare.board.cpus[0]
        for _ in range(n):
            cpu.step()
        assert cpu.pc == path[n][0]
        cpu.raise_interrupt(VECTOR)
        bare.run(2)
        expected = [address for address, allowed in path[n:] if allowed]
        assert bare.read(COUNT) == bool(expected), f"injected before instruction {n}"
        if expected:
            assert bare.read(WHERE) == expected[0], f"injected before instruction {n}"
        assert bare.registers()["r15"] == FUNCTION.count("inc r15")
        assert cpu.record.taken == bool(expected)


def test_an_nmi_ignores_the_interrupt_flag_and_does_not_nest() -> None:
    bare = Bare()
    bare.put(HANDLERS, "inc r14; mov edi, 1; mov eax, 40; call f; inc r13; iretq; f: out 0xe0, eax; ret")
    bare.gate(2, KERNEL + HANDLERS)
    bare.start("xor r13, r13; xor r14, r14; cli; mov eax, 39; call f; hlt; f: out 0xe0, eax; ret")
    inside: list[tuple[int, int]] = []

    def on_call(cpu, number, arguments):
        if len(inside) < 2:  # one before the handler, one while it runs
            cpu.raise_nmi()
        inside.append((number, cpu.registers()["r13"]))
        cpu.answer(0)

    while bare.board.run(on_call):
        pass
    assert inside == [(39, 0), (40, 0), (40, 1)]
    assert bare.registers()["r14"] == 2


@pytest.mark.parametrize("first", [0x31, 0xEC])
def test_the_highest_pending_vector_comes_first(first: int) -> None:
    bare = Bare()
    for n, vector in enumerate((0x31, 0xEC)):
        bare.put(HANDLERS + n * 0x100, f"shl r15, 8; or r15, {vector}; iretq")
        bare.gate(vector, KERNEL + HANDLERS + n * 0x100)
    bare.start("xor r15, r15; cli; mov eax, 39; call f; sti; nop; nop; cli; hlt; f: out 0xe0, eax; ret")

    def on_call(cpu, number, arguments):
        cpu.raise_interrupt(first)
        cpu.raise_interrupt(0x31 + 0xEC - first)
        cpu.answer(0)

    while bare.board.run(on_call):
        pass
    assert bare.registers()["r15"] == 0xEC31


def test_the_local_timer_wakes_a_halted_cpu_at_its_deadline() -> None:
    bare = Bare()
    provide_devices(bare.board, timer=5, ipi=6, stall=9, timer_vector=VECTOR)
    bare.put(HANDLERS, "rdtsc; shl rdx, 32; lea r15, [rax + rdx]; iretq")
    bare.gate(VECTOR, KERNEL + HANDLERS)
    bare.start("mov edi, 1000000; mov eax, 5; call f; sti; hlt; cli; hlt; f: out 0xe0, eax; ret")
    assert bare.run()
    assert 1_000_000 <= bare.registers()["r15"] < 1_000_300


def test_an_ipi_is_taken_no_earlier_than_it_was_sent() -> None:
    for seed in range(4):
        bare = Bare(2, seed=seed)
        provide_devices(bare.board, timer=5, ipi=6, stall=9, timer_vector=VECTOR)
        bare.put(HANDLERS, "rdtsc; shl rdx, 32; lea r15, [rax + rdx]; iretq")
        bare.gate(VECTOR, KERNEL + HANDLERS)
        bare.start("sti; hlt; cli; hlt", cpu=1)
        bare.start(
            f"mov rcx, 5000; l: dec rcx; jnz l; rdtsc; shl rdx, 32; lea r14, [rax + rdx]; mov edi, 1; mov esi, {VECTOR}; "
            "mov eax, 6; call f; cli; hlt; f: out 0xe0, eax; ret"
        )
        assert bare.run()
        assert bare.registers(0)["r14"] <= bare.registers(1)["r15"] < bare.registers(0)["r14"] + 500


def test_code_is_placed_where_the_tests_think() -> None:
    assert machine().board.cpus[0].pc == KERNEL + CODE
