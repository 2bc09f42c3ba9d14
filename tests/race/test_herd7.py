# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests for herd7, and from it; where herd7 is installed, both find the same final states.

`HERD7` may name the program; it finds its models by itself, or in the folder HERD7_LIBRARY. Debian does not have it, but its
ocaml, ocaml-dune, menhir and libzarith-ocaml-dev build version 7.57: `dune build --profile release herd/herd.exe`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

import emu.race
from emu.race.litmus import Litmus, explore, format_herd7, parse, read

HERD7 = os.environ.get("HERD7") or shutil.which("herd7")
CORPUS = Path(emu.race.__file__).parent / "corpus"
MODELS = {"x86_64": "tso.cat", "riscv64": "riscv-tso.cat"}
# herd7's own model of x86-64 lets XCHG read a store that is later than its own (until 184f264ef in 2026).
TSO = """"total store order"
include "x86fences.cat"
include "cos.cat"
let within = [R]; (iico_data | iico_ctrl | iico_order)+; [W]
acyclic po-loc | within | rf | fr | co as coherence
empty rmw & (fre; coe) as atomicity
let kept = po & ((W * W) | (R * M))
let drained = [W]; po; [MFENCE]; po; [R] | [W]; po; [R & X] | [W & X]; po; [R]
acyclic kept | within | drained | rfe | fr | co as order
"""
MANY = 60

SB_FROM_DIY = """X86_64 SB
"PodWR Fre PodWR Fre"
Generator=diy7
Cycle=Fre PodWR Fre PodWR
{
uint64_t y; uint64_t x; uint64_t 1:rax; uint64_t 0:rax;
}
 P0             | P1             ;
 movq $1,(x)    | movq $1,(y)    ;
 movq (y),%rax  | movq (x),%rax  ;

exists (0:rax=0 /\\ 1:rax=0)
"""

MP_OF_RISC_V = """RISCV MP
{
0:x6=x; 0:x8=y;
1:x6=y; 1:x8=x;
}
 P0          | P1          ;
 ori x5,x0,1 | lw x5,0(x6) ;
 sw x5,0(x6) | lw x7,0(x8) ;
 fence w,w   |             ;
 sw x5,0(x8) |             ;
~exists (1:x5=1 /\\ 1:x7=0)
"""


def test_tests_of_herd7_are_read() -> None:
    for text, states in ((SB_FROM_DIY, 4), (MP_OF_RISC_V, 3)):
        found = explore(parse(text), "coherent")
        assert found.ok and len(found.finals) == states


@pytest.mark.parametrize(
    ("att", "intel"),
    [
        ("movl $1,(x)", "mov dword ptr [x], 1"), ("mov (y),%eax", "mov eax, [y]"),
        ("movq 8(%rbx),%rcx", "mov rcx, qword ptr [rbx + 8]"), ("cmpq $0,(x)", "cmp qword ptr [x], 0"),
        ("lock xaddq %rax,-8(%rbx,%rcx,2)", "lock xadd qword ptr [rbx + rcx*2 - 8], rax"), ("shl $2,%eax", "shl eax, 2"),
        ("incb (x)", "inc byte ptr [x]"), ("MOVQ %rax,%rbx", "mov rbx, rax"), ("mfence", "mfence"), ("jne L1", "jne L1"),
    ],
)  # fmt: skip
def test_att_syntax(att: str, intel: str) -> None:
    text = "X86_64 att\n{{ x = 0; y = 0; }}\n P0 ;\n {} ;\n L1: ;\nexists (x = 0)"
    assert parse(text.format(att)).program.code == parse(text.format(intel)).program.code


def test_a_test_for_herd7_is_read_back() -> None:
    for path in sorted(CORPUS.glob("*.litmus")):
        litmus = read(path)
        try:
            text = format_herd7(litmus)
        except ValueError:
            assert any(word in path.read_text() for word in ("site", ".ipi", ".align", "SPARC64", "fault"))
            continue
        again = parse(text)
        assert (again.program.code, again.memory) == (litmus.program.code, litmus.memory), text
        assert again.registers == litmus.registers and again.condition == litmus.condition


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("sparc-flush", "herd7 has no sparc64"), ("x2apic", "herd7 has no `.interrupt`|is more than herd7 reads"),
        ("riscv-two-words", "herd7 has no such exceptions"), ("riscv-fence-i", "is the address of code"),
        ("smc", "is more than herd7 reads"),
    ],
)  # fmt: skip
def test_what_herd7_cannot_have_is_said(name: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        format_herd7(read(CORPUS / f"{name}.litmus"))


def random_test(number: int, arch: str) -> str:
    """A random test without loops: stores, loads, atomic instructions and fences of two or three CPUs at two words."""
    source = Random(f"herd7 {arch} {number}")
    cpus = 2 + (number % 3 == 2)

    def line() -> str:
        word, value, register = source.choice("xy"), source.randint(1, 2), source.choice(("rax", "rbx"))
        if arch == "x86_64":
            return source.choice((
                f"mov qword ptr [{word}], {value}", f"mov {register}, qword ptr [{word}]", f"inc qword ptr [{word}]",
                f"lock inc qword ptr [{word}]", f"xchg qword ptr [{word}], {register}", "mfence",
                f"add qword ptr [{word}], {register}", f"mov {register}, {value}",
            ))  # fmt: skip
        register, at = {"rax": "a0", "rbx": "a1"}[register], {"x": "s2", "y": "s3"}[word]
        return source.choice((
            f"ori {register}, zero, {value}", f"ld {register}, 0({at})", f"sd {register}, 0({at})", f"sd {register}, 0({at})",
            f"amoadd.d {register}, {register}, ({at})", "fence rw, rw", "fence w, w",
        ))  # fmt: skip

    columns = [[line() for _ in range(5 - cpus)] for _ in range(cpus)]
    rows = [" | ".join(column[n] for column in columns) for n in range(len(columns[0]))]
    names = ("rax", "rbx") if arch == "x86_64" else ("a0", "a1")
    state = " ".join(f"{cpu}:s2 = x; {cpu}:s3 = y;" * (arch != "x86_64") for cpu in range(cpus))
    zero = " ".join(f"{cpu}:{name} = 0;" for cpu in range(cpus) for name in names)
    shown = " ".join(f"{cpu}:{name};" for cpu in range(cpus) for name in names)
    heads = " | ".join(f"P{cpu}" for cpu in range(cpus))
    return "\n".join([f"{arch.upper()} random", f"{{ x = 0; y = 0; {state} {zero} }}", f"{heads} ;",
                      *(f"{row} ;" for row in rows), f"locations [{shown} x; y;]", "exists (x = 0)"])  # fmt: skip


def states_of_herd7(litmus: Litmus, folder: Path) -> set[frozenset[str]]:
    """The final states that herd7 finds, as sets of NAME=VALUE."""
    assert HERD7
    path = folder / "test.litmus"
    path.write_text(format_herd7(litmus))
    (folder / "tso.cat").write_text(TSO)
    library = os.environ.get("HERD7_LIBRARY")
    command = [HERD7, *(("-set-libdir", library) if library else ()), "-model", MODELS[litmus.arch], str(path)]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=5)
    assert said.returncode == 0 and "States" in said.stdout, said.stderr + path.read_text()
    lines = said.stdout.split("States")[1].splitlines()
    return {frozenset(re.findall(r"[\w:]+=\w+", line.replace("[", "").replace("]", ""))) for line in lines[1 : 1 + int(lines[0])]}


def states_of_emu(litmus: Litmus) -> set[frozenset[str]]:
    from emu.race.litmus.arch import load

    arch = load(litmus.arch)
    return {
        frozenset(
            f"{value.name if value.cpu < 0 else f'{value.cpu}:{arch.for_herd_register(value.name)}'}={number}"
            for value, number in state.values
        )
        for state in explore(litmus, "coherent").finals
    }


@pytest.mark.skipif(not HERD7, reason="needs herd7")
@pytest.mark.long("herd7 takes a while, and is seldom there")
@pytest.mark.parametrize("arch", MODELS)
def test_herd7_finds_the_same_final_states(arch: str, tmp_path: Path) -> None:
    compared = 0
    for number in range(MANY):
        litmus = parse(random_test(number, arch))
        with contextlib.suppress(subprocess.TimeoutExpired):  # many stores to one word have very many orders
            assert states_of_emu(litmus) == states_of_herd7(litmus, tmp_path), format_herd7(litmus)
            compared += 1
    assert compared > MANY * 0.8


@pytest.mark.skipif(not HERD7, reason="needs herd7")
@pytest.mark.long("herd7 takes a while, and is seldom there")
@pytest.mark.parametrize("name", ["store-buffering", "inc-with-lock", "inc-without-lock"])
def test_herd7_finds_the_same_final_states_of_shipped_tests(name: str, tmp_path: Path) -> None:
    litmus = read(CORPUS / f"{name}.litmus")
    assert states_of_emu(litmus) == states_of_herd7(litmus, tmp_path)
