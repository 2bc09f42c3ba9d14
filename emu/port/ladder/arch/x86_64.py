# SPDX-License-Identifier: GPL-2.0-only
"""Programs for bare boards of x86-64: page tables, segments and gates, in AT&T syntax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from emu.port.ladder.arch import HANDLER, AssemblerTemplates, LitmusTest, Summarised, Trap, x86_64_litmus, x86_64_programs
from emu.port.ladder.board_memory import DATA, USER_DATA, BoardMemory

__all__ = ["TEMPLATES"]

_PML4, _PDPT_HIGH, _PD, _PDPT_LOW, _PD_USER, _PT_USER, _GDT, _IDT, _TSS, _STUBS = (0x10000 + 0x1000 * n for n in range(10))
_PRESENT, _WRITABLE, _USER, _LARGE = 1, 2, 4, 0x80  # bits of a page table entry (SDM 3A, table 4-20)
_TRAP_STACK, _CALL_STACK = 0x28000, 0x2A000  # the tops
_SAVED_STACK, _FLAGS = "$0x23", 0x202
_WITH_ERROR_CODE = {8, 10, 11, 12, 13, 14, 17}
_SYSTEM_CALL = 256  # a cause above all vectors
_STUB = 32  # bytes of a vector's stub


class _Templates(AssemblerTemplates):
    name: ClassVar[str] = "x86_64"
    registers: ClassVar[Sequence[str]] = ("rbx", "rbp", "r12", "r13", "r14", "r15", "r8", "r9", "r10")
    arguments: ClassVar[Sequence[str]] = ("rdi", "rsi")
    causes: ClassVar[Mapping[Trap, int]] = {
        # the vector, and above it the error code
        Trap.UNDEFINED: 6, Trap.BREAKPOINT: 3, Trap.SYSTEM_CALL: _SYSTEM_CALL, Trap.PRIVILEGED: 13,
        Trap.READ: 14 | 4 << 16, Trap.WRITE: 14 | 6 << 16, Trap.FETCH: 14 | 0x14 << 16, Trap.PROTECTION: 14 | 7 << 16,
    }  # fmt: skip
    after_breakpoint: ClassVar[int] = 1
    after_system_call: ClassVar[int] = 2
    nmi_cause: ClassVar[int | None] = 2
    counts_traps: ClassVar[bool] = True
    unused_vector: ClassVar[int | None] = 0x80
    probe_argument: ClassVar[str] = "%di"
    held_argument: ClassVar[str] = "di"
    returns_42: ClassVar[str | None] = "mov eax, 42; ret"
    not_litmus: ClassVar[Sequence[str]] = x86_64_litmus.NOT_LITMUS
    numbered: ClassVar[Sequence[str]] = (
        "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    )  # fmt: skip
    repaired: ClassVar[Sequence[str]] = ("vpaddd %xmm1, %xmm0, %xmm0", "vaddsd %xmm1, %xmm0, %xmm2", "rdrand %eax")

    def prepare(self, board: BoardMemory) -> None:
        for address, value in (
            (_PML4, _PDPT_LOW | 7), (_PML4 + 511 * 8, _PDPT_HIGH | 3), (_PDPT_HIGH + 510 * 8, _PD | 3),
            (_PDPT_LOW, _PD_USER | 7), (_PD_USER + 16, _PT_USER | 7),
        ):  # fmt: skip
            board.word(address, value)
        for n in range(board.board.memory >> 21):
            board.word(_PD + n * 8, n << 21 | _LARGE | _WRITABLE | _PRESENT)
        board.board.reset_page_table = _PML4
        # 08 kernel code, 10 kernel data, 18: none, 23 user data, 2b user code, 30 TSS
        for n, value in enumerate((0, 0x00AF9B000000FFFF, 0x00CF93000000FFFF, 0, 0x00CFF3000000FFFF, 0x00AFFB000000FFFF)):
            board.word(_GDT + n * 8, value)
        tss = board.virtual(_TSS)
        board.word(_GDT + 0x30, 0x67 | (tss & 0xFFFFFF) << 16 | 0x89 << 40 | (tss >> 24 & 0xFF) << 56)
        board.word(_GDT + 0x38, tss >> 32)
        board.word(_TSS + 4, board.virtual(_TRAP_STACK))  # RSP0
        board.word(_TSS + 0x60, 0x68 << 48)  # the bitmap of ports is beyond the limit: user mode has none
        for n, (limit, table) in enumerate(((0x3F, _GDT), (0xFFF, _IDT))):
            board.word(_TSS + 0x800 + n * 16, limit | board.virtual(table) << 16)
            board.word(_TSS + 0x808 + n * 16, board.virtual(table) >> 48)
        stubs = []
        for vector in range(256):
            stub = board.virtual(_STUBS + vector * _STUB)
            gate = stub & 0xFFFF | 8 << 16 | (0xEE if vector == 3 else 0x8E) << 40 | (stub >> 16 & 0xFFFF) << 48
            board.word(_IDT + vector * 16, gate)
            board.word(_IDT + vector * 16 + 8, stub >> 32)
            error = "pop %r14; shl $16, %r14" if vector in _WITH_ERROR_CODE else "xor %r14d, %r14d"
            stubs.append(f".org {vector * _STUB}; {error}; or ${vector}, %r14; jmp common")
        common = f"common: mov (%rsp), %r15; mov %cr2, %r8; movabs ${board.virtual(HANDLER)}, %r9; jmp *%r9"
        # `syscall` changes no stack, so the frame of an interrupt is made for it.
        call = (
            f"system_call: movabs ${board.virtual(_CALL_STACK)}, %rsp; push {_SAVED_STACK}; push $0; push %r11; push $0x2b;"
            f"push %rcx; mov ${_SYSTEM_CALL}, %r14d; jmp common"
        )
        self._system_call = board.put(_STUBS, "; ".join((*stubs, f".org {256 * _STUB}", common, call))).symbols["system_call"]
        self._data = board.virtual(DATA)
        self._tables = board.virtual(_TSS + 0x800)
        self._page_table = board.virtual(_PT_USER)

    @property
    def peculiar(self) -> Mapping[str, tuple[str, int]]:
        first, second = (self._data + n for n in (0x100, 0x8003))
        from_to = f"movabs ${first}, %rsi; movabs ${second}, %rdi; mov $5000, %ecx; "
        fill = f"cld; movabs ${first}, %rdi; mov $0x5a, %al; mov $5000, %ecx; rep stosb; movb $0, (%rdi); "
        back = f"std; movabs ${first + 4992}, %rsi; movabs ${second + 4992}, %rdi; mov $625, %ecx; rep movsq; cld; "
        sse = "xorps %xmm1, %xmm1; mov $0x3f800000, %eax; movd %eax, %xmm0; "
        status = "sub $16, %rsp; stmxcsr (%rsp); mov (%rsp), %ebx; and $4, %ebx; add $16, %rsp; "
        scan = f"movabs ${first}, %rdi; mov $0x5a, %al; mov $6000, %ecx; repe scasb; mov %rcx, %rbx; "
        same = "repe cmpsb; mov %rcx, %rbx; setne %al; movzx %al, %eax; shl $32, %rax; or %rax, %rbx; "
        differ = f"movabs ${second + 4000}, %rax; movb $1, (%rax); "
        low = self.map_page(USER_DATA, DATA, True)
        short = (
            f"movabs ${(1 << 36) + USER_DATA}, %rdi; mov $0x5a, %al; movabs ${(1 << 36) + 100}, %rcx; addr32 rep stosb; "
            f"mov ${USER_DATA}, %esi; movzbl 99(%rsi), %ebx; add %rdi, %rbx; "
        )
        x87 = "fninit; fldz; fld1; fdivp; xor %eax, %eax; fnstsw %ax; and $4, %eax; mov %rax, %rbx; "
        return {
            "repeated stores, and a scan for something else": (fill + scan, 999),
            "repeated copies": (fill + from_to + "rep movsb; " + from_to + same, 0),
            "repeated copies backwards": (fill + back + from_to + same, 0),
            "a repeated comparison that stops": (fill + from_to + "rep movsb; " + differ + from_to + same, 1 << 32 | 999),
            "a repeated store by addresses of 32 bits": (low + short, 0x5A + USER_DATA + 100),
            "the flag of a division by zero in MXCSR": (sse + "divss %xmm1, %xmm0; " + status, 4),
            "no such flag after a division by one": (sse + "movaps %xmm0, %xmm1; divss %xmm1, %xmm0; " + status, 0),
            "the same flag of the x87": (x87, 4),
            "a port that nobody has": ("xor %eax, %eax; in $0x80, %al; movzx %al, %ebx; ", 0xFF),
            "rdtscp, which tells the CPU's number": ("mov $77, %ecx; rdtscp; mov %rcx, %rbx; ", 0),
            "an instruction with a VEX prefix": ("mov $6, %eax; mov $12, %ecx; andn %rcx, %rax, %rbx; ", 8),
        }  # fmt: skip

    @property
    def floating_point(self) -> str:
        return (
            ".globl _start; _start: movq %xmm7, %rax; test %rax, %rax; jnz bad; mov $100, %ebx; cvtsi2sd %ebx, %xmm1;"
            "movsd %xmm1, %xmm7; mov $1, %eax; cvtsi2sd %eax, %xmm0;"
            "again: addsd %xmm0, %xmm1; mov $24, %eax; syscall; dec %ebx; jnz again;"
            "mov $200, %eax; cvtsi2sd %eax, %xmm2; ucomisd %xmm2, %xmm1; jne bad; jp bad; cmpq $2, (%rsp); jae right;"
            "mov 8(%rsp), %rdi; lea arguments(%rip), %rsi; mov %rdi, (%rsi); mov %rdi, 8(%rsi); xor %edx, %edx;"
            "mov $59, %eax; syscall; bad: mov $1, %edi; jmp out; right: mov $42, %edi; out: mov $231, %eax; syscall;"
            ".data; .balign 8; arguments: .quad 0, 0, 0"
        )

    @property
    def probed(self) -> Mapping[str, tuple[str, int]]:
        there = "add $4, %ebx; jmp 76f; 75: add $2, %ebx; ret; value: .quad 75b; 76: "
        over = "mov $2, %ebx; 75: "
        return {
            "an addition": ("mov $5, %ebx; probed: add $2, %ebx; ", 7),
            "a load relative to %rip": ("probed: mov value(%rip), %rbx; jmp 75f; value: .quad 11; 75: ", 11),
            "a jump": (f"mov $1, %ebx; probed: jmp 75f; {over}", 1),
            "a jump with a long distance": (f"mov $1, %ebx; probed: jmp.d32 75f; {over}", 1),
            "a branch that is taken": (f"mov $1, %ebx; cmp $1, %ebx; probed: je 75f; {over}", 1),
            "a branch that is not taken": (f"mov $1, %ebx; cmp $1, %ebx; probed: jne 75f; {over}", 2),
            "a branch with a long distance": (f"mov $1, %ebx; cmp $1, %ebx; probed: jae.d32 75f; {over}", 1),
            "a call": (f"mov $1, %ebx; probed: call 75f; {there}", 7),
            "a call through a register": (f"mov $1, %ebx; lea 75f(%rip), %rax; probed: call *%rax; {there}", 7),
            "a call through memory": (f"mov $1, %ebx; probed: call *value(%rip); {there}", 7),
            "a jump through a register": (f"mov $1, %ebx; lea 75f(%rip), %rax; probed: jmp *%rax; {over}", 1),
            "a return": ("call 75f; jmp 76f; 75: mov $3, %ebx; probed: ret; 76: ", 3),
        }

    @property
    def not_probed(self) -> Mapping[str, str]:
        traps = {f"`{name}`": f"probed: {name}; nop; " for name in ("int3", "ud2", "hlt", "iretq", "int $3", "sysretq")}
        return {
            **traps,
            "`loop`": "75: nop; probed: loop 75b; ",
            "a call through the stack": "probed: call *8(%rsp); ",
            "`sti` before `hlt`": "probed: sti; hlt; ",
            "what is behind `sti`": "sti; probed: nop; ",
            "what is behind a change of %ss": "mov %eax, %ss; probed: nop; ",
        }

    @property
    def entries(self) -> Mapping[str, tuple[str, bool, bool]]:
        site = "site: nopl 0(%rax,%rax); "
        return {
            "a function that begins with its site": (f"{site} mov %edi, %eax; ret; ", True, True),
            "a function that begins with something else": (f"push %rbx; {site} pop %rbx; ret; ", False, False),
        }

    @property
    def probed_program(self) -> str:
        return x86_64_programs.probed_program()

    @property
    def summarised(self) -> Mapping[str, Summarised]:
        return x86_64_programs.summarised(self._data)

    @property
    def litmus(self) -> Mapping[str, LitmusTest]:
        return x86_64_litmus.litmus()

    @property
    def programs(self) -> Mapping[str, str]:
        return x86_64_programs.PROGRAMS

    @property
    def timed(self) -> Mapping[str, tuple[str, float, float]]:
        there = f"movabs ${self._data}, %rsi; "
        return {
            "additions that wait for each other": ("add $1, %rax; " * 8, 6.5, 11.1),
            "additions that do not": ("add $1, %rax; add $1, %r8; add $1, %r9; add $1, %r10; " * 2, 1.6, 4.2),
            "multiplications that wait for each other": ("imul %rax, %rax; " * 4, 9.8, 15.2),
            "divisions": ("mov $1000, %eax; xor %edx, %edx; mov $7, %ecx; div %ecx; ", 5.0, 8.9),
            "divisions of a number that is not known": ("xor %edx, %edx; or $1, %rcx; div %rcx; ", 8.1, 12.8),
            "a division that halves": ("mov $1, %eax; shl $40, %rax; cqo; mov $2, %ecx; idiv %rcx; ", 5.8, 9.4),
            "loads that wait for each other": (f"{there}mov %rsi, (%rsi); " + "mov (%rsi), %rsi; " * 4, 1.5, 4.0),
            "a load of what has just been stored": (f"{there}mov %rax, 64(%rsi); mov 64(%rsi), %rax; ", 4.7, 8.0),
            "stores": (f"{there}mov %rax, (%rsi); mov %rax, 8(%rsi); mov %rax, 16(%rsi); ", 1.1, 3.4),
            "an address of two registers": (f"{there}mov $8, %ecx; lea 8(%rsi,%rcx,4), %rax; mov (%rsi,%rcx,8), %r8; ", 0.8, 3.0),
            "calls and returns": ("call 73f; jmp 74f; 73: ret; 74: ", 4.4, 7.5),
            "pushes and pops": ("push %rax; pop %rcx; push %rcx; pop %rax; ", 1.0, 2.7),
            "a locked addition": (f"{there}lock add %rax, (%rsi); ", 5.0, 8.9),
            "an exchange": (f"{there}xchg %rax, (%rsi); ", 6.7, 11.3),
            "vectors' additions": ("paddd %xmm0, %xmm1; " * 4, 3.0, 5.6),
            "vectors' loads and moves": (f"{there}movups (%rsi), %xmm0; movd %eax, %xmm2; movq %xmm2, %rax; ", 4.8, 8.7),
            "floating point": ("mulsd %xmm0, %xmm1; addsd %xmm0, %xmm1; divsd %xmm0, %xmm1; cvtsi2sd %rax, %xmm2; ", 15.8, 23.6),
            "breakpoints that return": ("int3; ", 145.0, 220.0),
            "a fence": ("mfence; ", 49.6, 70.7),
            "cpuid, which serialises": ("push %rbx; xor %eax, %eax; cpuid; pop %rbx; ", 85.8, 122.4),
            "a flush of the TLB": (f"mov %cr3, %rax; mov %rax, %cr3; {there}mov (%rsi), %rax; ", 0.5, 2.0),
            "a copy by bytes": (f"{there}lea 512(%rsi), %rdi; mov $256, %ecx; rep movsb; ", 22.1, 33.2),
            "a fill, and loads backwards": (
                f"{there}mov %rsi, %rdi; mov $64, %ecx; rep stosq; std; mov $8, %ecx; rep lodsb; cld; ", 55.1, 80.4),
            "jumps through a register": ("lea 75f(%rip), %rax; jmp *%rax; 75: ", 1.0, 2.6),
            "jumps that depend on data": ("imul $0x343fd, %rax, %rax; add $0x269ec3, %rax; bt $40, %rax; jc 76f; nop; 76: ",
            9.3, 15.0),
            "moves and extensions": ("movzbl %al, %ecx; movsbq %cl, %rdx; xchg %ah, %al; bswap %rax; mov %rax, %rcx; ", 0.8, 2.4),
            "shifts, and flags that wait": (
                "shl %cl, %rax; adc %rax, %rax; sete %cl; cmovz %rcx, %rax; bsf %rax, %rcx; popcnt %rax, %rcx; ", 4.0, 7.5),
        }  # fmt: skip

    def begin(self, stack: int) -> str:
        entry = self._system_call
        msr = "mov ${:#x}, %ecx; mov ${:#x}, %eax; mov ${:#x}, %edx; wrmsr; "
        return (
            f"movabs ${self._tables}, %rax; lgdt (%rax); lidt 16(%rax); movabs ${stack}, %rsp; "
            "mov %cr4, %rax; or $0x600, %rax; mov %rax, %cr4; "  # SSE
            "test %rsi, %rsi; jnz 70f; mov $0x30, %ax; ltr %ax; 70: "  # there is one task state segment
            + msr.format(0xC000_0081, 0, 0x0018_0008)
            + msr.format(0xC000_0082, entry & 0xFFFF_FFFF, entry >> 32)
            + msr.format(0xC000_0084, 0x200, 0)
        )

    def _r(self, register: int) -> str:
        return f"%{self.registers[register]}"

    def load(self, register: int, value: int | str) -> str:
        return f"movabs ${value}, {self._r(register)}; "

    def load_word(self, register: int, base: int) -> str:
        return f"mov ({self._r(base)}), {self._r(register)}; "

    def store_word(self, base: int, register: int) -> str:
        return f"mov {self._r(register)}, ({self._r(base)}); "

    def add(self, register: int, value: int) -> str:
        return f"add ${value}, {self._r(register)}; "

    def count_down(self, register: int, label: str) -> str:
        return f"dec {self._r(register)}; jnz {label}; "

    def jump_if_zero(self, register: int, label: str) -> str:
        return f"test {self._r(register)}, {self._r(register)}; jz {label}; "

    def jump(self, label: str) -> str:
        return f"jmp {label}; "

    def host_call(self, number: int) -> str:
        return f"mov ${number}, %eax; call 71f; jmp 72f; 71: out %eax, $0xe0; ret; 72: "

    def argument(self, number: int, register: int) -> str:
        return f"mov {self._r(register)}, %{self.arguments[number]}; "

    def result(self, register: int) -> str:
        return f"mov %rax, {self._r(register)}; "

    def cycle_counter(self, register: int) -> str:
        return f"rdtsc; shl $32, %rdx; or %rdx, %rax; mov %rax, {self._r(register)}; "

    def relax(self) -> str:
        return "pause; "

    def sleep(self) -> str:
        return "hlt; "

    def undefined(self) -> str:
        return "ud2; "

    def breakpoint(self) -> str:
        return "int3; "

    def resume_at(self, register: int) -> str:
        return f"mov {self._r(register)}, (%rsp); "

    def return_from_trap(self) -> str:
        return "iretq; "

    def interrupts(self, on: bool) -> str:
        return "sti; nop; " if on else "cli; "  # `sti` takes effect behind the next instruction

    def interrupt_cause(self, vector: int) -> int:
        return vector

    def map_page(self, virtual: int, physical: int, writable: bool) -> str:
        entry = physical | _PRESENT | _USER | _WRITABLE * writable
        return f"movabs ${entry}, %rax; {self._write_entry(virtual)}"

    def unmap_page(self, virtual: int) -> str:
        return f"xor %eax, %eax; {self._write_entry(virtual)}"

    def _write_entry(self, virtual: int) -> str:
        place = self._page_table + (virtual >> 12 & 511) * 8
        return f"movabs ${place}, %rcx; mov %rax, (%rcx); movabs ${virtual}, %rcx; invlpg (%rcx); "

    def enter_user(self, address: int, stack: int) -> str:
        return f"push {_SAVED_STACK}; push ${stack}; push ${_FLAGS}; push $0x2b; push ${address}; iretq; "

    def system_call(self) -> str:
        return "syscall; "

    def privileged(self) -> str:
        return "cli; "

    def atomic_add(self, base: int, register: int) -> str:
        return f"lock add {self._r(register)}, ({self._r(base)}); "

    def function(self, value: int) -> str:
        return f"mov ${value}, %ebx; ret; "

    def call(self, address: int) -> str:
        return f"movabs ${address}, %rax; call *%rax; "


TEMPLATES = _Templates()
