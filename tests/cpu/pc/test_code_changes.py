# SPDX-License-Identifier: GPL-2.0-only
"""Code that changes: all CPUs of a PC execute what is in memory (SDM volume 3, 9.1.3 asks less), whoever wrote it, and where."""

from __future__ import annotations

import pytest

from tests.cpu.pc.bare_pc import COUNTS, RESULTS, SCRATCH, BarePc, assemble, results, wait

FUNCTION, FLAG, NEW, ALIAS_PAGE = 0x110000, 0x120000, 0x121000, 3
OLD_CODE = "mov eax, 1; ret"
SECOND_CODE = bytes.fromhex("b802000000c3")
# What a CPU counts in its page of results: calls of the old and of the new function, and wrong ones
OLD, CHANGED, WRONG = 0, 8, 16


def caller(function: int) -> str:
    """Calls the function until it has changed. Once the flag is set, only the new one is right."""
    return f"""
        mov rdi, {FLAG:#x}; mov r12d, {function:#x}; mov r13d, 20
        again: mov ebx, [rdi]; mov eax, 2; call r12; cmp eax, 1; jne new; inc qword ptr [r15 + {OLD}]; test ebx, ebx; jz again
        inc qword ptr [r15 + {WRONG}]; jmp again
        new: inc qword ptr [r15 + {CHANGED}]; dec r13d; jnz again
    """.strip().replace("\n", ";")


CHANGES = {
    "a store": "mov dword ptr [{0} + 1], 2; ",
    "a byte": "mov byte ptr [{0} + 1], 2; ",
    "an exchange": "mov eax, 2; xchg [{0} + 1], eax; ",
    "a locked addition": "lock inc dword ptr [{0} + 1]; ",
    "a comparison and exchange": "mov eax, 1; mov ebx, 2; lock cmpxchg [{0} + 1], ebx; ",
    "a vector": "mov rax, cr4; or eax, 0x200; mov cr4, rax; movdqu xmm0, [{1}]; movdqu [{0}], xmm0; ",
    "rep stosb": "mov edi, {0}; mov al, 0xc3; mov ecx, 6; rep stosb; ",
    "rep stosq over the page": "mov edi, {0}; mov rax, 0xc3c3c3c3c3c3c3c3; mov ecx, 256; rep stosq; ",
    "rep movsb": "mov esi, {1}; mov edi, {0}; mov ecx, 6; rep movsb; ",
    "rep movsb backward": "std; mov esi, {1} + 5; mov edi, {0} + 5; mov ecx, 6; rep movsb; cld; ",
}


def changed(function: int, change: str, *, cpus: int = 3, alias: bool = False, before: str = "") -> BarePc:
    """CPU 0 changes a function that all other CPUs execute, and sets the flag."""
    pc = BarePc(cpus, quantum=200)
    pc.put(function, OLD_CODE)
    pc.bytes(NEW, SECOND_CODE)
    written = function
    if alias:
        for page in range(2):
            virtual = pc.map(ALIAS_PAGE + page, (function & ~0xFFF) + 0x1000 * page)
        written = virtual - 0x1000 + (function & 0xFFF)
    change = change.format(f"{written:#x}", f"{NEW:#x}")
    code = f"{before.format(hex(written & ~0xFFF))}{wait(1000)}{change}mov dword ptr [{FLAG:#x}], 1; "
    return pc.run(code, *[caller(function)] * (cpus - 1))


def check(pc: BarePc) -> None:
    for cpu in range(1, len(pc.board.cpus)):
        old, new, wrong = (pc.read(RESULTS + 0x1000 * cpu + offset) for offset in (OLD, CHANGED, WRONG))
        assert old > 5
        assert (new, wrong) == (20, 0)


@pytest.mark.parametrize("alias", [False, True], ids=["same address", "another address"])
@pytest.mark.parametrize("change", CHANGES)
def test_all_cpus_execute_what_another_has_stored(change: str, alias: bool) -> None:
    check(changed(FUNCTION, CHANGES[change], alias=alias))


@pytest.mark.parametrize("alias", [False, True], ids=["same address", "another address"])
def test_stores_that_were_fast_before_there_was_code(alias: bool) -> None:
    """The writer knows the page already, as one without code."""
    check(changed(FUNCTION, CHANGES["a store"], alias=alias,
        before="mov ebx, {0}; mov dword ptr [rbx + 0x800], 7; mov dword ptr [rbx + 0x804], 8; "))


@pytest.mark.parametrize("alias", [False, True], ids=["same address", "another address"])
@pytest.mark.parametrize("change", ["a store", "a byte", "a vector", "rep movsb", "rep stosb"])
@pytest.mark.parametrize("offset", [0xFFF, 0xFFD, 0xFFB])
def test_a_function_across_two_pages(offset: int, change: str, alias: bool) -> None:
    check(changed(FUNCTION + offset, CHANGES[change], alias=alias))


def test_the_second_page_of_a_block_alone() -> None:
    """Its first byte there is the number's upper half."""
    pc = changed(FUNCTION + 0xFFD, "mov byte ptr [{0} + 3], 1; ")
    check(pc)


def test_a_store_next_to_code_changes_no_code() -> None:
    """The function is translated again, and does the same."""
    code = f"mov ecx, 300; mov ebx, {FUNCTION:#x}; l: inc dword ptr [rbx + 0x40]; inc dword ptr [rbx + 6]; dec ecx; jnz l"
    calls = f"mov r13d, 300; l: call {FUNCTION:#x}; add [r15], rax; dec r13d; jnz l"
    pc = BarePc(3, quantum=50)
    pc.put(FUNCTION, OLD_CODE)
    pc.run(code, calls, calls)
    assert [pc.read(RESULTS + 0x1000 * cpu) for cpu in (1, 2)] == [300, 300]
    assert pc.read(FUNCTION + 0x40) == 300
    assert pc.board.record.code_drops > 10


def test_a_cpu_that_executes_a_page_that_it_writes_to() -> None:
    code = f"mov ecx, 300; mov ebx, {FUNCTION:#x}; xor edx, edx; "
    code += "l: call rbx; add edx, eax; inc dword ptr [rbx + 1]; dec ecx; jnz l; mov [r15], rdx"
    pc = BarePc()
    pc.put(FUNCTION, OLD_CODE)
    assert pc.run(code).read(RESULTS) == sum(range(1, 301))


def test_a_block_that_changes_itself() -> None:
    """SDM volume 3, 9.1.3: a store into the next instruction is executed, also several times in a loop."""
    store = "lea rbx, [rip + next]; mov byte ptr [rbx + 1], 2; nop; next: mov eax, 1; nop; mov [r14], rax; add r14, 8"
    assert results(store) == [2]
    loop = "mov ecx, 5; again: lea rbx, [rip + next]; "
    loop += "inc byte ptr [rbx + 1]; next: mov eax, 1; mov [r14], rax; add r14, 8; dec ecx; jnz again"
    assert results(loop) == [2, 3, 4, 5, 6]


def test_a_block_that_changes_itself_with_a_string_instruction() -> None:
    code = "lea rdi, [rip + next]; inc rdi; mov al, 2; mov ecx, 1; rep stosb; next: mov eax, 1; mov [r14], rax; add r14, 8"
    assert results(code) == [2]
    code = "lea rdi, [rip + next]; inc rdi; mov al, 2; stosb; next: mov eax, 1; mov [r14], rax; add r14, 8"
    assert results(code) == [2]


def test_a_store_that_faults_changes_nothing() -> None:
    """Half of it lies on a page that is not mapped."""
    pc = BarePc()
    pc.put(FUNCTION + 0x1000 - 6, OLD_CODE)
    virtual = pc.map(0, FUNCTION)
    pc.handle(14, "mov rax, cr2; mov [r14], rax; add r14, 8; add rsp, 8; add qword ptr [rsp], 7; iretq")
    store = f"mov ebx, {virtual + 0xFFB:#x}; mov rax, 0x0303030303030303; .byte 0x48, 0x89, 0x83, 0, 0, 0, 0; "  # mov [rbx], rax
    call = f"call {FUNCTION + 0xFFA:#x}; mov [r14], rax; add r14, 8; "
    assert pc.run(call + store + call).results() == [1, virtual + 0x1000, 1]


def test_code_that_is_copied_and_executed_many_times() -> None:
    """One place, new code each time, as a just-in-time compiler does; another CPU executes it, too, when it is told to."""
    rounds = 50
    writer = f"""
        mov ebx, 1
        again: mov dword ptr [{FUNCTION:#x} + 1], ebx; mov dword ptr [{FLAG:#x}], ebx
        answer: pause; cmp dword ptr [{FLAG + 8:#x}], ebx; jne answer
        call {FUNCTION:#x}; cmp eax, ebx; je good; inc qword ptr [r15]; good: inc ebx; cmp ebx, {rounds}; jbe again
    """.strip().replace("\n", ";")
    reader = f"""
        mov ebx, 1
        again: pause; cmp dword ptr [{FLAG:#x}], ebx; jne again
        call {FUNCTION:#x}; cmp eax, ebx; je good; inc qword ptr [r15]; good: mov dword ptr [{FLAG + 8:#x}], ebx
        inc ebx; cmp ebx, {rounds}; jbe again
    """.strip().replace("\n", ";")
    pc = BarePc(2)
    pc.put(FUNCTION, OLD_CODE)
    pc.run(writer, reader)
    assert [pc.read(RESULTS), pc.read(RESULTS + 0x1000)] == [0, 0]


def test_places_do_not_overlap() -> None:
    assert len(assemble(OLD_CODE, 0)) == len(SECOND_CODE) == 6
    assert COUNTS > WRONG
    assert SCRATCH < FUNCTION
