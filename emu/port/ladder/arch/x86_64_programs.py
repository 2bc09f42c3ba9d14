# SPDX-License-Identifier: GPL-2.0-only
"""Programs of x86-64 for the ladder's probes: instructions of every form that a probe has to tell from others."""

from __future__ import annotations

__all__ = ["probed_program"]

_CARRY, _PARITY, _ZERO, _SIGN, _OVERFLOW = 1, 4, 0x40, 0x80, 0x800  # flags (SDM 1, 3.4.3)
_CONDITIONS = {
    "o": (_OVERFLOW,), "c": (_CARRY,), "z": (_ZERO,), "be": (_CARRY, _ZERO), "s": (_SIGN,), "p": (_PARITY,),
    "l": (_SIGN, _OVERFLOW, _SIGN | _OVERFLOW), "le": (_ZERO, _SIGN, _OVERFLOW, _SIGN | _OVERFLOW),
}  # fmt: skip
_LOOPS = ("loop 71b", "loope 71b", "loopne 71b", "addr32 loop 71b")
_CALLS = (
    "call function", "call *%rax", "call *%r11", "call *pointer(%rip)", "call *(%rdx)", "call *8(%rdx)", "call *0x100(%rcx)",
    "call *16(%rdx,%rsi,8)", "call *(%r9)", "call *pointer", "call *-8(%rdx,%r10,8)", "call *%fs:8", "addr32 call *(%edx)",
    "call *(%rsp)",
)  # fmt: skip
_OTHERS = (
    "jmp 72f", "jmp.d32 72f", "jmp *%r8", "mov value(%rip), %rax", "cmpl $0x12345678, value(%rip)", "addb $1, value(%rip)",
    "movabs $0x123456789abcdef, %rax", "mov $0x1234, %ax", "mov $0x12345678, %eax", "testb $1, (%rdx)", "notb (%r9)",
    "testl $0x1234567, (%rdx)", "negq 8(%r9)", "testw $0x123, (%rdx)", "push $1; pop %rax", "push $0x1234567; pop %rax",
    "imul $3, %ebx, %eax", "imul $0x12345, %rbx, %rax", "shl $3, %rax", "shl %eax", "shl %cl, %rax", "add $3, %al",
    "add $0x1234567, %eax", "sub $0x123, %ax", "enter $16, $0; leave", "andn %rcx, %rbx, %rax", "rorx $3, %rbx, %rax",
    "pshufb %xmm0, %xmm1", "palignr $8, %xmm0, %xmm1", "pshufd $0x1b, %xmm0, %xmm1", "movaps %xmm0, %xmm1",
    "cmpps $1, %xmm1, %xmm0", "bt $3, %ebx", "shld $4, %rbx, %rax", "movabs value, %eax", "bswap %rax", "cmovz %rbx, %rax",
    "addr32 mov 4(%edx), %eax", "lock incl value(%rip)", "sete %al", "xchg %ax, %bx", "xchg %rax, %rcx", "cltq", "lahf",
    "mov $1, %al", "movb $2, 8(%r9)", "movl $3, 0x80(%r9)", "movw $4, 8(%r9,%rsi,2)", "lea 8(,%rbx,4), %rax",
    "pinsrw $1, %ebx, %xmm0",
    "psrldq $3, %xmm1", "movzbl %bl, %eax", "fld1; fstpl 8(%r9)", "emms", "nopl 0x12345678(%rax,%rax)", "cld", "ret $8",
    "movsb", "movq %fs:8, %rax", "bsr %rbx, %rax", "push %fs; pop %rax", "rep stosb",
)  # fmt: skip
_BEFORE = {"ret": "sub $8, %rsp; push %r8; ", "rep": "mov $3, %ecx; ", "movsb": "mov %rdx, %rsi; "}
_REFUSED = (
    "int3", "int $3", "int1", "lcall *(%rax)", "xbegin .", ".byte 0x66; jz .", "mov value(%eip), %eax",
    ".fill 14, 1, 0x66; .byte 0xb8, 1, 2, 3, 4",
)  # fmt: skip


def probed_program() -> str:
    """See AssemblerTemplates.probed_program."""
    text, count = [], 0

    def probed(instruction: str) -> str:
        nonlocal count
        count += 1
        return f"probed{count}: {instruction}; "

    for name, flags in _CONDITIONS.items():
        for condition in (name, f"n{name}"):
            for set_flags in (0, *flags):
                text.append(f"push ${set_flags}; popfq; {probed(f'j{condition} 71f')} inc %rbx; 71: rol $3, %rbx; ")
    for loop in _LOOPS:
        for compared in (1, 2):
            count_to = "movabs $0x100000003, %rcx" if loop.startswith("addr32") else "mov $3, %ecx"
            text.append(f"{count_to}; xor %eax, %eax; 71: inc %eax; cmp ${compared}, %eax; {probed(loop)}")
            text.append("add %rax, %rbx; add %rcx, %rbx; rol $3, %rbx; ")
    text.append(f"xor %ecx, %ecx; {probed('jrcxz 71f')} inc %rbx; 71: inc %ecx; {probed('jrcxz 71f')} inc %rbx; 71: ")
    text.append(f"movabs $0x100000000, %rcx; {probed('jecxz 71f')} inc %rbx; 71: {probed('jrcxz 71f')} inc %rbx; 71: ")
    registers = (
        "lea table(%rip), %rdx; lea -0x100(%rdx), %rcx; mov $1, %esi; mov $1, %r10d; lea 72f(%rip), %r8; lea space(%rip), %r9;"
        "lea (%rdx), %rax; mov (%rax), %rax; mov %rax, %r11; lea 0x200(%r9), %rdi; push %rax; "
    )
    for call in _CALLS:
        at = "mov %rdx, %r9; " if "r9" in call else ""
        text.append(f"{registers} {at} {probed(call)} add $8, %rsp; rol $3, %rbx; ")
    for instruction in _OTHERS:
        first, *rest = instruction.split("; ")
        before = _BEFORE.get(first.split()[0], "")
        behind = "".join(map(probed, rest))
        text.append(
            f"{registers} mov $7, %ecx; {before} {probed(first)} {behind} lea (%rbx,%rax), %rbx; 72: pushfq; pop %rax;"
            "and $0x8c1, %eax; add %rax, %rbx; movq %xmm1, %rax; add %rax, %rbx; add value(%rip), %rbx;"
            "add 8+space(%rip), %rbx; add %rcx, %rbx;"
            "add $8, %rsp; rol $3, %rbx; "
        )
    refused = "".join(f"refused{n}: {instruction}; " for n, instruction in enumerate(_REFUSED))
    return (
        ".globl _start; _start: cmpq $1, (%rsp); jne own; mov $158, %eax; mov $0x1002, %edi; lea table(%rip), %rsi; syscall;"
        "xor %ebx, %ebx; xor %eax, %eax; pxor %xmm0, %xmm0; pxor %xmm1, %xmm1; movd %esi, %xmm0; "
        + "".join(text)
        + "mov %rbx, %rdi; mov %rbx, %rax; shr $32, %rax; xor %rax, %rdi; mov %rdi, %rax; shr $16, %rax; xor %rax, %rdi; "
        "mov %rdi, %rax; shr $8, %rax; xor %rax, %rdi; and $127, %edi; mov $231, %eax; syscall;"
        f"function: add $5, %rbx; add (%rsp), %rbx; ret; own: int3; {refused} nop;"
        ".data; .balign 8; value: .quad 0x12345678; pointer: .quad function; table: .quad function, function, 0, function;"
        " .fill 64, 8, 3; space: .fill 128, 8, 5; "
    )
