# SPDX-License-Identifier: GPL-2.0-only
"""Programs of x86-64 for the ladder's probes: instructions of every form that a probe has to tell from others."""

from __future__ import annotations

from collections.abc import Mapping

from emu.port.ladder.arch import Summarised

__all__ = ["PROGRAMS", "probed_program", "summarised"]

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


def summarised(data: int) -> Mapping[str, Summarised]:
    """See AssemblerTemplates.summarised. `data`: the address of 64 words, each of which is the address of a word."""
    here = f"movabs ${data}, %rsi; movabs ${data + 0x400}, %rdi; mov $3, %eax; mov $2, %ecx; xor %edx, %edx; mov $7, %r8; "
    of_constants = {
        "a register": "mov %rsi, %rax; ", "a constant": f"movabs ${data}, %rax; ", "a sum": "mov %rsi, %rax; add $16, %rax; ",
        "a difference": "mov %rsi, %rax; sub $-16, %rax; ", "one more": "mov %rdi, %rax; inc %rax; ",
        "one less": "mov %rdi, %rax; dec %rax; ", "an effective address": "lea 24(%rsi), %rax; ",
    }  # fmt: skip
    loaded = {
        "a word": "mov (%rsi), %rax; ", "a sum": "mov (%rsi), %rax; add $16, %rax; ",
        "bits": "mov (%rsi), %rax; and $-16, %rax; ",
        "a difference": "mov (%rsi), %rax; sub $8, %rax; ", "other bits": "mov (%rsi), %rax; or $15, %rax; ",
        "inverted bits": "mov (%rsi), %rax; xor $15, %rax; ", "one more": "mov (%rsi), %rax; inc %rax; ",
        "one less": "mov (%rsi), %rax; dec %rax; ", "a byte": "movzbl 8(%rsi), %eax; add %rsi, %rax; ",
        "a byte with its sign": "movsbq 8(%rsi), %rax; add %rsi, %rax; ", "a short word": "mov (%rsi), %eax; cltq; ",
        "a product": "movzbl 8(%rsi), %eax; imul $8, %rax, %rax; add %rsi, %rax; ",
        "a product of itself": "movzbl 8(%rsi), %eax; imul %rax, %rax; add %rsi, %rax; ",
        "a shift": "movzbl 8(%rsi), %eax; shl $3, %rax; add %rsi, %rax; ",
        "a short shift": "mov (%rsi), %eax; shr $28, %eax; add %rsi, %rax; ",
        "a shift with its sign": "mov (%rsi), %eax; sar $28, %eax; cltq; add %rsi, %rax; ",
        "a negative": "movzbl 8(%rsi), %eax; neg %rax; add %rdi, %rax; ",
        "a complement": "movzbl 8(%rsi), %eax; not %rax; add %rdi, %rax; ",
        "an exchange of parts": "movzbl 8(%rsi), %eax; mov %eax, %eax; add %rsi, %rax; ",
        "a quotient": "mov 8(%rsi), %eax; div %r8; mov %rax, %rax; and $0xff, %eax; add %rsi, %rax; ",
        "a remainder": "mov 8(%rsi), %eax; div %r8d; mov %rdx, %rax; add %rsi, %rax; ",
    }  # fmt: skip
    inverted = "mov (%rax), %rdx; not %rax; "

    def block(name: str, text: str, accesses: tuple[int, int, int, int]) -> tuple[str, Summarised]:
        return f"an address that is {name}", Summarised(here, text + inverted, accesses, inverted="rax")

    blocks = dict(block(name, text, (1, 0, 0, 0)) for name, text in of_constants.items())
    blocks |= dict(block(f"made of what was loaded: {name}", text, (1, 0, 1, 0)) for name, text in loaded.items())
    endings = {
        "JUMP": "jmp block_end; ", "INDIRECT_JUMP": "jmp *%rdi; ", "CALL": "call block_end; ", "INDIRECT_CALL": "call *%rdi; ",
        "RETURN": "ret; ", "CONDITIONAL": "jz block_end; ", "TRAPS": "ud2; ", "FALLS": "nop; ",
    }  # fmt: skip
    stack = {"CALL": 1, "INDIRECT_CALL": 1, "RETURN": 1}
    there = "lea block_end(%rip), %rdi; push %rdi; "
    for ending, text in endings.items():
        blocks[f"an ending: {text}"] = Summarised(here + there, text, (stack.get(ending, 0), 0, 0, 0), ending)
    blocks["a loop"] = Summarised(here, "loop block_end; ", (0, 0, 0, 0), "CONDITIONAL")
    blocks["an access relative to %rip"] = Summarised(
        f"{here} lea block(%rip), %rdi; not %rdi; ", "mov block(%rip), %rax; ", (1, 0, 0, 0), inverted="rdi")
    blocks["a flush of the TLB"] = Summarised(f"{here} mov %cr3, %rax; ", "mov %rax, %cr3; ", (0, 0, 0, 0), flushes=True)
    blocks["a flush of an address"] = Summarised(here, "invlpg (%rsi); ", (0, 0, 0, 0), flushes=True)
    return blocks | {name: Summarised(here, text, accesses) for name, (text, accesses) in _BLOCKS.items()}


_BLOCKS = {
    "a comparison, which stores nothing": ("cmp %rax, (%rsi); test %rax, 8(%rsi); ", (2, 0, 0, 0)),
    "a stored sum, in one access": ("add %rax, (%rsi); lock add %rax, 8(%rsi); xchg %rax, 16(%rsi); ", (3, 0, 0, 0)),
    "the end of a frame": ("push %rbp; mov %rsp, %rbp; sub $16, %rsp; mov %rax, -8(%rbp); leave; ", (3, 0, 0, 0)),
    "a compare and exchange": ("cmpxchg %rcx, (%rsi); ", (1, 0, 0, 0)),
    "no data": ("lea (%rsi), %rax; nopl (%rsi); prefetcht0 (%rsi); ", (0, 0, 0, 0)),
    "an indexed access": ("mov 8(%rsi,%rcx,8), %rax; ", (1, 0, 0, 0)),
    "an access by a base that is known at the end alone": ("bsf %rdi, %rdi; mov (%rsi,%rdi), %rax; ", (0, 1, 0, 0)),
    "an access by what nobody knows": ("bsf %rdi, %rdi; mov (%rsi,%rdi), %rax; bsf %rdi, %rdi; ", (0, 0, 0, 1)),
    "an access by part of a register": ("mov $1, %al; mov (%rsi,%rax), %rcx; bsf %rdi, %rax; ", (0, 0, 0, 1)),
    "an access by the second byte of a register": ("mov %ah, %cl; mov (%rsi,%rcx), %rax; bsf %rdi, %rcx; ", (0, 0, 0, 1)),
    "an access of another segment": ("mov %gs:(%rsi), %rax; ", (1, 0, 0, 0)),
    "a repeated access": ("mov $4, %ecx; rep movsb; ", (0, 0, 0, 0)),
    "accesses of vectors": ("movups (%rsi), %xmm0; movups %xmm0, 16(%rsi); paddd 16(%rsi), %xmm0; ", (3, 0, 0, 0)),
    "an access by nothing": ("xor %eax, %eax; mov (%rsi,%rax), %rcx; sub %edx, %edx; mov (%rsi,%rdx), %rcx; ", (2, 0, 0, 0)),
}

_ENDS = "mov $42, %edi; out: mov $231, %eax; syscall; bad: mov $1, %edi; jmp out; "


def _segment() -> str:
    """The base of a segment: set, used, told, and kept while another task runs."""
    call = "mov $158, %eax; mov ${:#x}, %edi; lea {}(%rip), %rsi; syscall; "
    right = "test %rax, %rax; jnz bad; "
    check = "cmpq $77, %fs:0; jne bad; mov $24, %eax; syscall; "
    return (
        ".globl _start; _start: " + call.format(0x1002, "first") + right + check * 3 + call.format(0x1003, "place") + right
        + "lea first(%rip), %rax; cmp %rax, place(%rip); jne bad; " + call.format(0x9999, "place") + "cmp $-22, %rax; jne bad; "
        + _ENDS + ".data; .balign 8; first: .quad 77; place: .quad 0; "
    )  # fmt: skip


def _signal() -> str:
    """A signal, whose handler changes all registers: behind it, they are as before."""
    kept = ("rbx", "rbp", "rdx", "r8", "r9", "r10", "r12", "r13", "r14", "r15")
    set_all = "".join(f"mov ${n + 100}, %{name}; " for n, name in enumerate(kept))
    clear_all = "".join(f"xor %{name}, %{name}; " for name in kept)
    check_all = "".join(f"cmp ${n + 100}, %{name}; jne bad; " for n, name in enumerate(kept))
    return (
        ".globl _start; _start: mov $13, %eax; mov $10, %edi; lea action(%rip), %rsi; xor %edx, %edx; mov $8, %r10d; syscall;"
        "test %rax, %rax; jnz bad; mov $39, %eax; syscall; mov %eax, %edi; mov $10, %esi; mov $55, %ecx; movd %ecx, %xmm5; fld1;"
        f"fldcw control(%rip); {set_all} mov $62, %eax; syscall; test %rax, %rax; jnz bad; {check_all}"
        "cmpq $10, got(%rip); jne bad; movd %xmm5, %eax; cmp $55, %eax; jne bad; fnstcw place(%rip); mov place(%rip), %ax;"
        "cmp %ax, control(%rip); jne bad; fistpl place(%rip); cmpl $1, place(%rip); jne bad; "
        + _ENDS
        + f"handler: mov %rdi, got(%rip); pxor %xmm5, %xmm5; fninit; {clear_all} ret; restorer: mov $15, %eax; syscall; "
        ".data; .balign 8; action: .quad handler, 0x04000000, restorer, 0; got: .quad 0; place: .quad 0; control: .word 0x27f; "
    )


PROGRAMS = {"the base of a segment": _segment(), "a signal, and registers behind it": _signal()}
