# SPDX-License-Identifier: GPL-2.0-only
"""The text of litmus tests: its meaning, and the messages for wrong ones."""

from __future__ import annotations

import pytest

from emu.architectures import ARCHITECTURES
from emu.race.litmus import parse
from emu.race.litmus.arch import CODE, DATA
from emu.race.scenario.text_file import TextError

GOOD = """X86_64 name
"about"
{ x = 1; 0:rax = 2; 1:rbx = x; }
 P0               | P1           ;
 mov rcx, [x]     | site: nop    ;
 mov [x], rcx     | jmp site     ;
fetch torn1 amd
exists (0:rcx = 1 /\\ x = 1)
"""
SPARC = """SPARC64 name
{ x = 1; 0:g1 = x; }
 P0                   ;
 sethi %hi(x), %o0    ;
 here: ba here        ;
 nop                  ;
exists (0:o0 = 1)
"""


def test_a_test_is_what_its_text_says() -> None:
    litmus = parse(GOOD)
    assert (litmus.name, litmus.about, litmus.arch, litmus.cpus) == ("name", "about", "x86_64", 2)
    assert litmus.memory == {"x": 1} and litmus.registers == ({"rax": 2}, {"rbx": DATA})
    assert litmus.fetch == ("torn1", "torn8")
    assert litmus.program.begins == (CODE, CODE + 64) and litmus.program.labels == {"site": CODE + 64}
    assert litmus.condition_text == "exists (0:rcx = 1 /\\ x = 1)" and [str(value) for value in litmus.shown] == ["0:rcx", "x"]
    assert parse(SPARC).fetch == ("coherent", "stale", "word", "flushed", "translation")


def test_comments_may_be_anywhere_between_words() -> None:
    text = GOOD.replace("{ x", "(* one\ntwo *) { (* three *) x").replace("exists", "(* four *) exists (* five *)")
    assert parse(text).condition == parse(GOOD).condition
    with pytest.raises(TextError, match=r"^t:4:24: 'foo' is no value"):
        parse("(* one\n*) X86_64 n\n(* two *)\n{ (* x *) y = 1; z   = foo; }\n P0 ;\n nop ;\nexists (y = 1)", "t")


def test_locations_are_shown_too() -> None:
    litmus = parse(GOOD.replace("exists", "locations [1:rbx; x;]\nexists").replace(" /\\ x = 1", ""))
    assert [str(value) for value in litmus.shown] == ["0:rcx", "1:rbx", "x"]


@pytest.mark.parametrize(
    ("condition", "meaning"),
    [
        ("0:al = 1", "0:al = 0x01"),
        ("0:rax = 1 /\\ 0:rbx = 1 \\/ x = 1", "((0:rax = 1 /\\ 0:rbx = 1) \\/ (x = 1))"),
        ("~0:rax = 1 /\\ x = 1", "(~(0:rax = 1)) /\\ x = 1"),
        ("0:al = -1", "0:al = 255"),
        ("x = site", f"x = {CODE + 64:#x}"),
    ],
)
def test_conditions_bind_as_in_herd7(condition: str, meaning: str) -> None:
    texts = [GOOD.replace("0:rcx = 1 /\\ x = 1", text) for text in (condition, meaning)]
    assert parse(texts[0]).condition == parse(texts[1]).condition


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("mov rax, [x]", "48 8b 05 f9 0f 00 00"),
        ("mov rax, qword ptr [x + 8]", "48 8b 05 01 10 00 00"),
        ("mov qword ptr [x], 1", "48 c7 05 f5 0f 00 00 01 00 00 00"),
        ("mov rax, [rbx + x]", "48 8b 83 00 10 01 00"),
        ("mov rax, x", "48 c7 c0 00 10 01 00"),
        ("lea rax, [x]", "48 8d 05 f9 0f 00 00"),
        ("nop dword ptr [rax]", "0f 1f 00"),
        ("nop word ptr [rax + rax]", "66 0f 1f 04 00"),
        ("jz here", "74 fe"),
        ("rep stosb", "f3 aa"),
        (".byte 0x0f 1f 0x44, 0", None),
        (".byte 15, 0x1f 0x44 0 0", "0f 1f 44 00 00"),
    ],
)
def test_lines_of_x86_64(line: str, code: str | None) -> None:
    text = f"X86_64 n\n{{ x = 0; }}\n P0 ;\n here: {line} ;\nexists (x = 0)"
    if code is None:
        with pytest.raises(TextError, match=r"^litmus:4:8: `\.byte` has something that is no byte; numbers from 0 to 0xff$"):
            parse(text)
        return
    program = parse(text).program
    assert program.code[: program.ends[0] - CODE].hex(" ") == code


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("call there", 0x40000002),
        ("ba there", 0x10800002),
        ("bne,pt %xcc, there", 0x12680002),
        ("be,a,pn %xcc, here", 0x22600000),
        ("brz %o0, there", 0x02CA0002),
        ("brnz,pt %o0, back", 0x0AFA3FFF),
        ("sethi %hi(x), %o0", 0x11000044),
        ("or %o0, %lo(x + 8), %o0", 0x90122008),
        ("ldx [%o0 + %lo(x)], %o1", 0xD25A2000),
        ("st %o1, [%o0 + 4]", 0xD2222004),
        ("flush %o0 + 4", 0x81DA2004),
        ("jmpl %o0 + 4, %g1", 0x83C22004),
        ("membar 2", 0x8143E002),
        ("retl", 0x81C3E008),
        ("ta 3", 0x91D02003),
    ],
)
def test_lines_of_sparc_v9(line: str, code: int) -> None:
    text = f"SPARC64 n\n{{ x = 0; }}\n P0 ;\n back: nop ;\n here: {line} ;\n nop ;\n there: ;\nexists (x = 0)"
    assert parse(text).program.code[4:8].hex() == f"{code:08x}"


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_columns_do_not_touch_and_what_follows_them_is_no_instruction(arch: str) -> None:
    head = arch.upper()
    rows = " nop | nop ;\n" * 20
    litmus = parse(f"{head} n\n{{ }}\n P0 | P1 ;\n{rows}exists (0:fault)")
    (begin, second), (end, _) = litmus.program.begins, litmus.program.ends
    gap = litmus.program.code[end - CODE : second - CODE]
    assert begin % 64 == second % 64 == 0 and len(gap) >= 16 and set(gap) <= {0, 6}


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("X86_64", "X86-64", "1:1: 'X86-64' is no architecture; the first line is X86_64, SPARC64 or RISCV64 and a name; "
                             "did you mean X86_64?"),
        ("X86_64 name", "X86_64", "1:7: the test has no name; the first line is X86_64, SPARC64 or RISCV64 and a name"),
        (GOOD, "", "1:1: there is no test; the first line is X86_64, SPARC64 or RISCV64 and a name"),
        ('"about"', '"about', '2:1: the sentence is not one line between two quotation marks (")'),
        ("{ x = 1", "x = 1", "3:1: the initial state is missing; { NAME = VALUE; CPU:REGISTER = VALUE; } before the columns"),
        ("1:rbx = x; }", "1:rbx = x;", "4:2: no initial value; NAME = VALUE; or CPU:REGISTER = VALUE;"),
        ("x = 1; 0", "x = 1 0", "3:9: a semicolon (;) is missing after an initial value"),
        ("x = 1;", "x = 1; x = 2;", "3:10: 'x' has a value already; each word has one"),
        ("x = 1;", "rax = 1;", "3:3: 'rax' is a name of the assembly language; another name (a register is CPU:NAME)"),
        ("x = 1;", "x = 0x1ffffffffffffffff;", "3:7: '0x1ffffffffffffffff' is no value; a decimal or hexadecimal (0x) number, "
                                                "or the address of site or x"),
        ("x = 1;", "x = 18446744073709551616;", "3:7: '18446744073709551616' does not fit; a number of 64 bits"),
        ("0:rax = 2", "0:rxa = 2", "3:10: 'rxa' is no register of x86_64; one as al or r15b"),
        ("0:rax = 2", "2:rax = 2", "3:10: there is no CPU 2; CPUs 0 to 1"),
        ("0:rax = 2;", "0:rax = 2; 0:eax = 1;", "3:21: CPU 0's rax has a value already; each register has one"),
        ("P0  ", "P1  ", "4:2: 'P1' instead of P0; the columns' heads are `P0 | P1 | ... ;`"),
        ("P1           ;", "P1", "4:23: a semicolon (;) is missing at the end of a row"),
        ("site: nop    ;", "site: nop ; x", "5:32: something behind a row; a row is one line, and ends with a semicolon (;)"),
        ("site: nop ", "site: nop | nop", "5:33: a row of 3 columns; there are 2 CPUs"),
        ("mov [x], rcx", "site: nop", "5:21: the label 'site' is in line 6, too; each label has one place"),
        ("site: nop", "x: nop", "5:21: the label 'x' is a word of memory, too; another name"),
        ("site: nop", "rax: nop", "5:21: the label 'rax' is a name of the assembly language; another name"),
        ("mov rcx, [x]", "mov rcx, [y]", "5:12: 'y' is not known; a register (as al) or site or x"),
        ("mov rcx, [x]", "mov rcxx, [x]", "5:6: 'rcxx' is not known; a register (as al) or site or x; did you mean rcx?"),
        ("mov rcx, [x]", "mvo rcx, [x]", "5:2: 'mvo rcx, [x]' does not assemble: invalid mnemonic; "
                                         "an instruction of x86-64 in Intel's syntax is needed"),
        ("mov rcx, [x]", "mov [x], 1", "5:2: 'mov [x], 1' does not assemble: invalid operand; "
                                       "an instruction of x86-64 in Intel's syntax is needed"),
        ("mov rcx, [x]", "nop; nop", "5:6: something behind a row; a row is one line, and ends with a semicolon (;)"),
        ("mov rcx, [x]", ".align 3", "5:2: '.align 3' is no `.align N + K`; "
                                     "N is a power of 2 up to 1024, and K a multiple of 1 below N"),
        ("mov rcx, [x]", ".word 3", "5:2: '.word 3' is no directive; `.align N + K`, `.byte N ...`, `.ipi CPU` or `.interrupt`"),
        ("torn1 amd", "torn2", "7:7: 'torn2' is no fetch model of x86_64; coherent, stale, torn1, torn8, torn16, torn64 or "
                               "translation; did you mean torn8 or torn1?"),
        ("torn1 amd", "word", "7:7: 'word' is no fetch model of x86_64; coherent, stale, torn1, torn8, torn16, torn64 or "
                              "translation"),
        ("exists", "exist", "8:1: 'exist (0:rcx = 1 /\\ x = 1)' is no quantifier; exists (...), ~exists (...) or forall (...) "
                            "after the columns"),
        ("exists (0:rcx = 1 /\\ x = 1)\n", "", "8:1: the quantifier is missing; exists (...), ~exists (...) or forall (...) "
                                               "after the columns"),
        ("x = 1)", "y = 1)", "8:22: 'y' is no word of memory; x"),
        ("x = 1)", "x = 1", "9:1: the parenthesis of line 8 is not closed; /\\, \\/ or )"),
        ("x = 1)", "x 1)", "8:24: no number for x; x = NUMBER"),
        ("x = 1)", "x = 1) 2", "8:29: '2' behind the proposition; it is the last of a test"),
        ("0:rcx = 1", "0:cl = 256", "8:16: '256' does not fit; a number of 8 bits"),
        ("0:rcx = 1", "3:fault", "8:9: there is no CPU 3; CPUs 0 to 1"),
        ("(0:rcx", "(" * 60 + "0:rcx", "8:59: more than 50 parentheses and ~ in each other; fewer"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line_with_its_place(old: str, new: str, error: str) -> None:
    assert old in GOOD
    with pytest.raises(TextError) as raised:
        parse(GOOD.replace(old, new, 1), "file.litmus")
    assert str(raised.value) == f"file.litmus:{error}"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("set 0x12345, %o0", "'set 0x12345, %o0' is more than one instruction, the first of which is `sethi 0x48, %o0`; one"),
        ("inc %o0", "'inc %o0' is assembled to what reads as `add %o0, 1, %o0`; write that, or its bytes with `.byte`"),
        ("retry", "'retry' does not assemble: invalid mnemonic; an instruction of SPARC V9 is needed"),
        ("%q1", "'%q1' is no instruction; the name of one comes first"),
        ("=", "'=' is no instruction; the name of one comes first"),
        (".byte 1 2 3", "`.byte` has 3 bytes; a multiple of 4 is needed"),
        ("ba here + 2", "'ba here + 2' is assembled to what reads as "),
    ],
)
def test_what_keystone_encodes_otherwise_is_refused(line: str, error: str) -> None:
    with pytest.raises(TextError) as raised:
        parse(SPARC.replace("sethi %hi(x), %o0", line), "file.litmus")
    assert str(raised.value).startswith(f"file.litmus:4:2: {error}")


def test_too_much_of_anything_is_refused() -> None:
    nine = " | ".join(f"P{n}" for n in range(9))
    words = " ".join(f"w{n} = 0;" for n in range(129))
    rows = " nop ;\n" * 200
    align = " .align 1024 ;\n nop ;\n" * 5
    for text, error in (
        (f"X86_64 n\n{{ }}\n {nine} ;\n nop ;\nexists (0:fault)", "3:42: 9 CPUs; at most 8"),
        (f"X86_64 n\n{{ {words} }}\n P0 ;\n nop ;\nexists (0:fault)", "2:1173: 129 words of memory; at most 128"),
        (f"X86_64 n\n{{ }}\n P0 ;\n{rows}{align}exists (0:fault)", "210:2: the code does not fit; 4,032 bytes are possible"),
        ("X86_64 n\n{ }\n P0 ;\nexists (0:fault)", "3:2: no CPU has an instruction; rows as `instruction | instruction ;` "
                                                   "below the columns' heads"),
        ("X86_64 n\n{ }\n P0 ;\n nop\0 ;\nexists (0:fault)", "4:5: a NUL byte; a text has none"),
        (f"X86_64 n\n{{ }}\n P0 ;\n {'n' * 300} ;\nexists (0:fault)", f"4:2: '{'n' * 37}...' is no instruction; "
                                                                       "at most 200 characters of ASCII"),
    ):  # fmt: skip
        with pytest.raises(TextError) as raised:
            parse(text)
        assert str(raised.value) == f"litmus:{error}"
