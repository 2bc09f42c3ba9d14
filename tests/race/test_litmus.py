# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests: the shipped ones, and the meaning of each part of an execution."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

import emu.race
from emu.race import arch as race_arch
from emu.race.limits import INTERRUPTED, Limits
from emu.race.litmus import LitmusVerdict, explore, format_verdict, format_witness, parse, read
from emu.race.litmus.bare_board import BareBoard
from tests.race.conftest import Clock

CORPUS = sorted((Path(emu.race.__file__).parent / "corpus").glob("*.litmus"))

CROSS_MODIFYING = """
X86_64 cross-modifying
{ flag = 0; 0:rbx = 7; }
 P0                          | P1                           ;
 mov byte ptr [site + 1], bl | wait: cmp byte ptr [flag], 1 ;
 mov byte ptr [flag], 1      | jne wait                     ;
                             | INSTRUCTION                  ;
                             | site: mov edx, 5             ;
~exists (1:rdx = 5)
"""


def verdict(text: str, fetch: str = "coherent", limits: Limits | None = None) -> LitmusVerdict:
    return explore(parse(text), fetch, limits)


def finals(text: str, fetch: str = "coherent") -> list[str]:
    return [str(state) for state in verdict(text, fetch).finals]


def one(arch: str, *instructions: str, state: str = "", shown: str = "0:fault") -> str:
    """A test with one CPU."""
    rows = "\n".join(f" {instruction} ;" for instruction in instructions)
    return f"{arch} one\n{{ {state} }}\n P0 ;\n{rows}\nexists ({shown})"


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_shipped_tests_are_as_they_say(path: Path) -> None:
    litmus = read(path)
    assert litmus.name == path.stem and litmus.about
    for fetch in litmus.fetch:
        found = explore(litmus, fetch)
        assert found.ok is True, f"{fetch}\n{format_verdict(found)}{format_witness(found)}"
        assert found.endless == 0 and found.why == ""


def test_a_verdict_is_written_as_herd7_does() -> None:
    assert format_verdict(verdict(CROSS_MODIFYING.replace("INSTRUCTION", "nop"), "torn8")) == """\
Test cross-modifying Forbidden
Fetch torn8: each aligned quadword of each fetch is seen as it was at any time since the CPU synchronised
States 2
1:rdx=5;
1:rdx=7;
No
Witnesses
Positive: 1 Negative: 1
Condition ~exists (1:rdx = 5)
Observation cross-modifying Sometimes 1 1
Searched 16 states, 15 instructions
"""  # fmt: skip


def test_a_witness_is_a_table_with_what_was_fetched_and_what_memory_held() -> None:
    assert format_witness(verdict(CROSS_MODIFYING.replace("INSTRUCTION", "nop"), "stale")) == """\
   P0                          | P1
1  mov byte ptr [site + 1], bl |
2  mov byte ptr [flag], 1      |
3  (stored: site + 1: 07)      |
4  (stored: flag: 01)          |
5                              | wait: cmp byte ptr [flag], 1
6                              | jne wait
7                              | nop
8                              | site: mov edx, 5
                               |   fetched ba 05 00 00 00
                               |   memory  ba 07 00 00 00
=> 1:rdx=5;
"""  # fmt: skip
    assert format_witness(verdict(CROSS_MODIFYING.replace("INSTRUCTION", "nop"))) == ""


@pytest.mark.parametrize(
    ("instruction", "serialises"),
    [
        ("cpuid", True), ("wbinvd", True), ("invlpg byte ptr [flag]", True), ("mov cr3, rdi", True), ("mov dr0, rax", True),
        ("nop", False), ("mfence", False), ("mov rax, cr3", False), ("mov cr8, rax", False), ("lock inc qword ptr [flag]", False),
    ],
)  # fmt: skip
def test_serialising_instructions_make_fetches_new(instruction: str, serialises: bool) -> None:
    text = CROSS_MODIFYING.replace("INSTRUCTION", instruction).replace("flag = 0;", "flag = 0; 1:rdi = 0x20000;")
    assert verdict(text, "torn1").ok is serialises


def test_iretq_serialises() -> None:
    push = " | ".join(["", "push 0x10"]) + " ;\n"
    frame = "".join(f"{push.replace('push 0x10', what)}" for what in ("push 0x10", "push rdi", "push 2", "push 8", "push rsi"))
    text = CROSS_MODIFYING.replace("                             | INSTRUCTION                  ;\n", frame + " | iretq ;\n")
    assert verdict(text.replace("flag = 0;", "flag = 0; 1:rdi = 0x11500; 1:rsi = site;"), "torn1").ok is True


@pytest.mark.parametrize(
    ("instruction", "fault"),
    [
        ("int3", "#BP"), ("ud2", "#UD"), ("div rax", "#DE"), ("mov rax, qword ptr [0x24]", "#PF"), ("iretq", "#GP"),
        ("mov qword ptr [0x24000], rax", "#PF"), ("jmp 0x10800", "left the text, to 0x10800"), (".byte 0x06", "#UD"),
        ("hlt", None), ("push rax", None),
    ],
)  # fmt: skip
def test_an_exception_ends_its_cpu(instruction: str, fault: str | None) -> None:
    assert finals(one("X86_64", instruction, "nop")) == [
        f"0:fault={fault};" if fault else "0:fault=halted;" * (instruction == "hlt")
    ]


@pytest.mark.parametrize(
    ("instruction", "fault"),
    [
        ("unimp 0", "illegal_instruction"), ("ldx [%g0], %o0", "fast_data_access_MMU_miss"), ("restore", "fill"),
        ("ldx [%g1 + 1], %o0", "mem_address_not_aligned"), ("udivx %o0, %g0, %o0", "division_by_zero"),
        ("ta 3", "trap 0x3"), ("save %sp, -176, %sp", None),
    ],
)  # fmt: skip
def test_a_trap_ends_its_cpu(instruction: str, fault: str | None) -> None:
    found = finals(one("SPARC64", instruction, "nop", state="x = 0; 0:g1 = x;"))
    assert found == [f"0:fault={fault};" if fault else ""]


@pytest.mark.parametrize(
    ("instruction", "fault"),
    [
        (".byte 0x7f 0 0 0", "illegal_instruction"), ("ld a0, (zero)", "load_page_fault"), ("sd a0, (zero)", "store_page_fault"),
        ("c.ebreak", "breakpoint"), ("lr.d a0, (s1)", "load_address_misaligned"), ("jr zero", "instruction_page_fault"),
        ("jr s0", "left the text, to 0x11000"), ("ld a0, 1(s0)", None), ("amoadd.d a0, a0, (s0)", None),
    ],
)  # fmt: skip
def test_a_trap_ends_its_cpu_on_risc_v(instruction: str, fault: str | None) -> None:
    found = finals(one("RISCV64", instruction, "nop", state="x = 0; 0:s0 = x; 0:s1 = 0x11001;"))
    assert found == [f"0:fault={fault};" if fault else ""]


def test_atomic_instructions_of_risc_v_lose_nothing() -> None:
    text = """RISCV64 atomic
{ x = 0; y = 0; 0:s0 = x; 1:s0 = x; 0:s1 = y; 1:s1 = y; 0:a0 = 1; 1:a0 = 1; }
 P0                       | P1                       ;
 amoadd.d a1, a0, (s0)    | amoadd.d a1, a0, (s0)    ;
 again: lr.d a2, (s1)     | retry: lr.d a2, (s1)     ;
 add a2, a2, a0           | add a2, a2, a0           ;
 sc.d a3, a2, (s1)        | sc.d a3, a2, (s1)        ;
 bnez a3, again           | bnez a3, retry           ;
forall (x = 2 /\\ y = 2 /\\ (0:a1 = 0 \\/ 1:a1 = 0))
"""
    found = verdict(text)
    assert found.ok and found.endless == 0


def test_an_exception_leaves_nothing_that_others_could_read() -> None:
    text = "X86_64 t\n{ }\n P0 | P1 ;\n ud2 | mov rax, qword ptr [0x27038] ;\nexists (1:rax = 0)"
    assert finals(text) == ["1:rax=0; 0:fault=#UD;"]


@pytest.mark.parametrize("annul", ["", ",a"])
def test_other_cpus_come_between_a_branch_and_its_delay_slot(annul: str) -> None:
    text = f"""SPARC64 slot
{{ x = 0; 0:g1 = x; 1:g1 = x; }}
 P0                   | P1             ;
 ba{annul} out        | mov 1, %o0     ;
 ldx [%g1], %o1       | stx %o0, [%g1] ;
 out: ldx [%g1], %o2  |                ;
forall (0:o1 = 0 \\/ 0:o2 = 1)
"""
    found = {str(state) for state in verdict(text).finals}
    slot = {"0:o1=0; 0:o2=0;", "0:o1=0; 0:o2=1;"}
    assert found == slot if annul else found == {*slot, "0:o1=1; 0:o2=1;"}


def test_words_have_eight_bytes_in_the_byte_order_of_the_cpu() -> None:
    state = "x = 0x0102030405060708; y = -1; 0:REG = x;"
    little = one("X86_64", "mov al, byte ptr [rbx + 7]", "mov bl, byte ptr [rbx + 8]", state=state.replace("REG", "rbx"),
                 shown="0:al = 1 /\\ 0:bl = 0xff")  # fmt: skip
    big = one("SPARC64", "ldub [%g1 + 7], %o0", "ldub [%g1 + 8], %o1", state=state.replace("REG", "g1"),
              shown="0:o0 = 8 /\\ 0:o1 = 0xff")  # fmt: skip
    assert verdict(little).ok and verdict(big).ok


STORE_BUFFERING = """X86_64 SB
{ x = 0; y = 0; 0:rbx = 1; 1:rbx = 1; }
 P0    | P1    ;
 STORE | STORE ;
 FENCE | FENCE ;
 LOAD  | LOAD  ;
exists (0:rax = 0 /\\ 1:rax = 0)
"""


def both(store: str, fence: str = "nop", load: str = "mov rax, [x]") -> bool | None:
    """Whether both CPUs may load what was there before their stores: to x and y, from y and x."""
    text = STORE_BUFFERING
    for line, other in ((store, store.replace("[x]", "[y]")), (fence, fence), (load.replace("[x]", "[y]"), load)):
        kind = "STORE" if line == store else "FENCE" if line == fence else "LOAD"
        text = text.replace(f"{kind:6}|", f"{line} |").replace(f"| {kind:5} ;", f"| {other} ;")
    assert not {"STORE", "FENCE", "LOAD"} & set(text.split())
    return verdict(text).ok


def test_a_load_may_pass_an_older_store_but_no_fence_and_no_atomic_instruction() -> None:
    store = "mov qword ptr [x], 1"
    assert both(store) and both(store, "lfence") and both(store, "sfence")
    assert not both(store, "mfence") and not both(store, "cpuid") and not both(store, "lock inc qword ptr [rsp - 8]")
    assert both("inc qword ptr [x]") and not both("lock inc qword ptr [x]") and not both("xchg qword ptr [x], rbx")


def test_fences_of_other_architectures() -> None:
    sparc = """SPARC64 SB
{ x = 0; y = 0; 0:g1 = x; 0:g2 = y; 1:g1 = y; 1:g2 = x; 0:g3 = 1; 1:g3 = 1; }
 P0               | P1               ;
 stx %g3, [%g1]   | stx %g3, [%g1]   ;
 FENCE            | FENCE            ;
 ldx [%g2], %o0   | ldx [%g2], %o0   ;
exists (0:o0 = 0 /\\ 1:o0 = 0)
"""
    assert [verdict(sparc.replace("FENCE", fence)).ok for fence in ("nop", "membar 2")] == [True, False]
    risc_v = """RISCV64 SB
{ x = 0; y = 0; 0:s0 = x; 0:s1 = y; 1:s0 = y; 1:s1 = x; 0:a1 = 1; 1:a1 = 1; }
 P0           | P1           ;
 sd a1, (s0)  | sd a1, (s0)  ;
 FENCE        | FENCE        ;
 ld a0, (s1)  | ld a0, (s1)  ;
exists (0:a0 = 0 /\\ 1:a0 = 0)
"""
    fences = {"nop": True, "fence rw, rw": False, "fence w, r": False, "fence w, w": True, "fence r, rw": True}
    assert {fence: verdict(risc_v.replace("FENCE", fence)).ok for fence in fences} == fences


def test_a_cpu_loads_its_own_stores_at_once_and_others_see_them_in_order() -> None:
    own = one("X86_64", "mov qword ptr [x], 7", "mov byte ptr [x + 1], 1", "mov rax, qword ptr [x]", state="x = 0;",
              shown="0:rax = 0x107")  # fmt: skip
    assert finals(own) == ["0:rax=0x107;"]
    message = """X86_64 MP
{ x = 0; y = 0; }
 P0                   | P1           ;
 mov qword ptr [x], 1 | mov rax, [y] ;
 mov qword ptr [y], 1 | mov rbx, [x] ;
~exists (1:rax = 1 /\\ 1:rbx = 0)
"""
    assert verdict(message).ok


def test_a_store_of_what_is_there_already_is_a_store() -> None:
    text = """X86_64 silent
{ x = 0; }
 P0                   | P1                   ;
 mov qword ptr [x], 0 | mov qword ptr [x], 1 ;
exists (x = 0)
"""
    assert finals(text) == ["x=0;", "x=1;"]


@pytest.mark.parametrize(("lock", "loses"), [("", True), ("lock ", False)])
def test_an_instruction_is_atomic_only_if_it_is(lock: str, loses: bool) -> None:
    text = f"X86_64 inc\n{{ x = 0; }}\n P0 | P1 ;\n {lock}inc qword ptr [x] | {lock}inc qword ptr [x] ;\nexists (x = 1)"
    assert verdict(text).ok is loses


X2APIC = """X86_64 x2apic
{ x = 0; 0:rbx = 7; }
 P0                          | P1               ;
 mov byte ptr [site + 1], bl | .interrupt       ;
 FENCES                      | cpuid            ;
 .ipi 1                      | site: mov edx, 5 ;
exists (1:rdx = 5)
"""


@pytest.mark.parametrize(
    ("fences", "overtakes"),
    [
        (("nop",), True), (("mfence",), True), (("lfence",), True), (("lfence", "mfence"), True), (("mfence", "lfence"), False),
        (("cpuid",), False), (("mfence", "mov rcx, 5"), True), (("mfence", "mov rcx, [x]"), False),
    ],
)  # fmt: skip
def test_an_interrupt_overtakes_the_store_before_it(fences: tuple[str, ...], overtakes: bool) -> None:
    text = X2APIC.replace(" FENCES                      |", f" {fences[0]} |")
    for fence in fences[1:]:
        text = text.replace(" .ipi 1 ", f" {fence} | ;\n .ipi 1 ", 1)
    lines = text.split("\n")
    found = {fetch: verdict("\n".join(lines), fetch).ok for fetch in ("coherent", "torn1", "torn8")}
    assert found == {"coherent": overtakes, "torn1": overtakes, "torn8": False}


def test_an_interrupt_that_is_not_sent_is_waited_for_for_ever() -> None:
    found = verdict("X86_64 wait\n{ }\n P0 ;\n .interrupt ;\nexists (0:rax = 0)")
    assert (found.ok, found.finals, found.endless) == (False, (), 1)


SELF_MODIFYING = """X86_64 smc
{ 0:rbx = 7; 0:rdi = ADDRESS; }
 P0                      ;
 mov byte ptr [rdi], bl  ;
 INSTRUCTION             ;
 .align 64               ;
 site: mov edx, 5        ;
~exists (0:rdx = 5)
"""


@pytest.mark.parametrize(
    ("address", "instruction", "new"),
    [
        ("0x10041", "jmp site", True), ("0x10041", "nop", False), ("0x10041", "cpuid", True), ("0x10041", "mfence", False),
        ("0x10041", "call site", True), ("0x10041", "jc site", False), ("0x10041", "jnc site", True),
        ("0xffffffff80010041", "jmp site", False), ("0xffffffff80010041", "cpuid", True),
    ],
)  # fmt: skip
def test_a_cpu_fetches_its_own_stores_behind_a_jump_if_it_stores_where_it_fetches(
    address: str, instruction: str, new: bool
) -> None:
    text = SELF_MODIFYING.replace("ADDRESS", address).replace("INSTRUCTION", instruction)
    found = {fetch: verdict(text, fetch).ok for fetch in ("stale", "torn1", "torn8", "torn64", "translation")}
    assert set(found.values()) == {new}


def test_a_store_across_a_quadword_is_two_for_others_but_not_for_the_translation_model() -> None:
    text = """X86_64 across
{ 0:rbx = 0x0b0a; }
 P0                          | P1                    ;
 mov word ptr [site + 1], bx | .align 64 + 6         ;
 mov rax, 1                  | site: mov edx, 0x0102 ;
exists (1:rdx = 0x010a)
"""
    assert {fetch: verdict(text, fetch).ok for fetch in ("coherent", "torn64", "translation")} == {
        "coherent": True, "torn64": True, "translation": False,
    }  # fmt: skip


def test_a_cpu_that_has_seen_a_line_or_word_never_sees_an_older_one_under_monotone_models() -> None:
    text = """X86_64 twice
{ }
 P0                         | P1                   ;
 mov byte ptr [site + 1], 7 | mov ecx, 2           ;
                            | site: mov eax, 5     ;
                            | cmp ecx, 2           ;
                            | cmove ebx, eax       ;
                            | dec ecx              ;
                            | jne site             ;
exists (1:ebx = 7 /\\ 1:eax = 5)
"""
    assert {fetch: verdict(text, fetch).ok for fetch in ("coherent", "stale", "torn1", "torn64", "translation")} == {
        "coherent": False, "stale": False, "torn1": True, "torn64": True, "translation": False,
    }  # fmt: skip


@pytest.mark.parametrize("quantifier", ["exists", "~exists", "forall"])
def test_cpus_that_never_come_to_an_end_prove_nothing(quantifier: str) -> None:
    found = verdict(f"X86_64 loop\n{{ }}\n P0 ;\n again: jmp again ;\n{quantifier} (0:eax = 1)\n", "coherent")
    assert (found.finals, found.ok, found.endless) == ((), False, 1)


def test_endless_loops_are_found() -> None:
    text = """X86_64 endless
{ }
 P0                                | P1               ;
 again: xor byte ptr [site + 1], 3 | site: mov eax, 5 ;
 jmp again                         | jmp site         ;
exists (1:eax = 5)
"""
    for model in race_arch.load("x86_64").fetch_models:
        found = verdict(text, model.name, Limits(1_000))
        assert found.finals == ()
        if model.monotone:  # these models depend on how often the code has changed
            assert found.why == "the limit of 1,000 states was reached" and found.ok is None
        else:
            assert found.why == "" and found.ok is False and found.endless == found.states


def test_what_reaches_a_limit_is_not_decided_unless_it_is_shown_already(clock: Clock) -> None:
    count = one("X86_64", "again: inc rax", "jmp again", shown="0:rax = 5")
    assert (verdict(count, limits=Limits(50)).ok, verdict(count, limits=Limits(seconds=50)).ok) == (None, None)
    assert "Not decided: the limit of 50 states was reached" in format_verdict(verdict(count, limits=Limits(50)))
    ends = """X86_64 ends
{ x = 0; }
 P0                            | P1                   ;
 again: cmp qword ptr [x], 1   | mov qword ptr [x], 1 ;
 je out                        |                      ;
 inc rax                       |                      ;
 jmp again                     |                      ;
 out: nop                      |                      ;
QUANTIFIER (0:rax = 1)
"""
    outcomes = {
        quantifier: verdict(ends.replace("QUANTIFIER", quantifier), limits=Limits(200)).ok
        for quantifier in ("exists", "~exists", "forall")
    }
    assert outcomes == {"exists": True, "~exists": False, "forall": False}


def test_an_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    execute, left = BareBoard.execute, 10

    def interrupted(*arguments: object) -> object:
        nonlocal left
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)
        return execute(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(BareBoard, "execute", interrupted)
    found = verdict(CROSS_MODIFYING.replace("INSTRUCTION", "nop"))
    assert found.why == INTERRUPTED and found.ok is None and found.steps < 10
    left = 0  # do not raise it again
    assert verdict(CROSS_MODIFYING.replace("INSTRUCTION", "nop")).ok is True


def test_a_search_is_the_same_again() -> None:
    text = CROSS_MODIFYING.replace("INSTRUCTION", "nop")
    assert verdict(text, "torn1") == verdict(text, "torn1")


def test_a_fetch_model_of_another_architecture_is_refused() -> None:
    with pytest.raises(ValueError, match="x86_64 has no fetch model 'word'; it has coherent, stale, "):
        verdict(one("X86_64", "nop"), "word")
