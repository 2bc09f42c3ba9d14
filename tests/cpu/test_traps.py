# SPDX-License-Identifier: GPL-2.0-only
"""Exceptions and system calls reach the guest's own handlers, with the state described in the manual."""

from __future__ import annotations

from tests.cpu.bare import CODE, HANDLERS, KERNEL, PT_USER, USER, USER_FRAME, Bare

TO_USER = "push 0x23; push 0x401f00; push 0x202; push 0x2b; push 0x400000; iretq"


def user_machine(program: str) -> Bare:
    bare = Bare()
    bare.word(PT_USER, USER_FRAME | 7)
    bare.word(PT_USER + 8, USER_FRAME + 0x1000 | 7)
    bare.put(USER_FRAME, program, USER)
    return bare


def test_a_page_fault_has_its_error_code_and_address_and_can_be_repaired() -> None:
    bare = user_machine("mov rax, 1; mov rdi, 0x402008; mov [rdi], rax; mov rbx, [rdi]; int3")
    bare.put(
        HANDLERS,
        f"pop r13; mov r14, cr2; mov rax, {KERNEL + PT_USER + 16:#x}; mov rcx, {USER_FRAME + 0x2000 | 7:#x}; mov [rax], rcx; "
        "mov rax, 1; invlpg [r14]; iretq",
    )
    bare.put(HANDLERS + 0x100, "mov r15, [rsp]; cli; hlt")
    bare.gate(14, KERNEL + HANDLERS)
    bare.gate(3, KERNEL + HANDLERS + 0x100, dpl=3)
    bare.start(TO_USER)
    assert bare.run()
    registers = bare.registers()
    assert registers["r13"] == 6  # user, write, not present
    assert registers["r14"] == 0x402008
    assert registers["rbx"] == 1
    assert registers["rsp"] == KERNEL + 0x9F000 - 40  # the TSS's stack: SS RSP RFLAGS CS RIP


def test_user_mode_cannot_make_host_calls_or_stop_interrupts_or_touch_the_kernel() -> None:
    for instruction, vector in (
        ("out 0xe0, eax", 13),
        ("cli", 13),
        ("hlt", 13),
        ("mov rax, cr3", 13),
        (f"mov rbx, {KERNEL + CODE:#x}; mov rax, [rbx]", 14),
        ("ud2", 6),
    ):
        bare = user_machine(instruction)
        for number in (6, 13, 14):
            bare.put(HANDLERS + number * 0x100, f"mov r15, {number}; cli; hlt")
            bare.gate(number, KERNEL + HANDLERS + number * 0x100)
        bare.start(TO_USER)
        assert bare.run()
        assert bare.registers()["r15"] == vector, instruction
        assert bare.calls == []


def test_syscall_and_sysret_keep_flags_and_return_address() -> None:
    bare = user_machine("stc; mov rbx, 1000; l: mov eax, 39; syscall; dec rbx; jnz l; int3")
    bare.put(
        HANDLERS,
        "mov r8, cs; mov r9, rsp; mov r12, r11; pushfq; pop r10; inc r14; .byte 0x48, 0x0f, 0x07",
    )
    bare.put(HANDLERS + 0x100, "cli; hlt")
    bare.gate(3, KERNEL + HANDLERS + 0x100, dpl=3)
    msr = "mov ecx, {:#x}; mov eax, {:#x}; mov edx, {:#x}; wrmsr; "
    lstar = KERNEL + HANDLERS
    bare.start(
        "xor r14, r14; "
        + msr.format(0xC0000081, 0, 0x0018_0008)
        + msr.format(0xC0000082, lstar & 0xFFFF_FFFF, lstar >> 32)
        + msr.format(0xC0000084, 0x200, 0)
        + TO_USER
    )
    assert bare.run()
    registers = bare.registers()
    assert registers["r14"] == 1000
    assert registers["r8"] == 8  # ring 0 inside
    assert registers["r9"] == 0x401F00  # SYSCALL does not change the stack
    assert registers["r12"] & 0x200 and not registers["r10"] & 0x200  # FMASK cleared IF; R11 keeps it
    assert registers["rcx"] == USER + 0x0F  # the instruction after SYSCALL


def test_a_fault_on_an_ist_stack_uses_it() -> None:
    bare = Bare()
    bare.word(0x18000 + 0x24, KERNEL + 0xA8000)  # TSS: IST1
    bare.put(HANDLERS, "mov r15, rsp; cli; hlt")
    bare.gate(6, KERNEL + HANDLERS, ist=1)
    bare.start("ud2")
    assert bare.run()
    assert bare.registers()["r15"] == KERNEL + 0xA8000 - 40
