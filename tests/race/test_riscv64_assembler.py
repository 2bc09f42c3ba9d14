# SPDX-License-Identifier: GPL-2.0-only
"""The assembler for RISC-V's litmus tests: it makes what the GNU assembler makes."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

from emu.race.litmus import parse
from emu.race.litmus.arch import CODE
from emu.race.litmus.arch.riscv64_assembler import TABLE
from emu.race.scenario.text_file import TextError
from tests.lib.needs import needs

# What the GNU assembler makes of each line, at CODE + 4; `back` is before it, and `there` 8 bytes behind it.
RISCV = {
    "add a0, a1, a2": "33 85 c5 00",
    "sraw a0, a1, a2": None,
    "addi a0, a1, -1": "13 85 f5 ff",
    "srli a0, a1, 33": "13 d5 15 02",
    "ld a0, -8(sp)": "03 35 81 ff",
    "lhu s0, (t0)": "03 d4 02 00",
    "sd a0, -8(sp)": "23 3c a1 fe",
    "sb fp, 2047(t6)": "a3 8f 8f 7e",
    "beq a0, a1, there": "63 04 b5 00",
    "bnez a0, back": "e3 1e 05 fe",
    "jal there": "ef 00 80 00",
    "j back": "6f f0 df ff",
    "jalr t0, 32(gp)": "e7 82 01 02",
    "jalr t0, there - here(t0)": "e7 82 82 00",
    "ret": "67 80 00 00",
    "lui a0, 0xfffff": "37 f5 ff ff",
    "auipc t0, 1": "97 12 00 00",
    "li a0, -2048": "13 05 00 80",
    "mv a0, a1": "13 85 05 00",
    "nop": "13 00 00 00",
    "c.nop": "01 00",
    "c.li a5, -5": "ed 57",
    "c.jr t0": "82 82",
    "c.ebreak": "02 90",
    "fence": "0f 00 f0 0f",
    "fence rw, w": "0f 00 10 03",
    "fence.i": "0f 10 00 00",
    "amoadd.d.aqrl a0, a1, (a2)": "2f 35 b6 06",
    "amoswap.w a0, a1, (a2)": "2f 25 b6 08",
    "lr.w.aq a0, (a1)": "2f a5 05 14",
    "sc.d.rl a0, a1, (a2)": "2f 35 b6 1a",
    ".byte 1, 0": "01 00",
}


def riscv(line: str) -> str:
    return f"RISCV64 n\n{{ x = 0; }}\n P0 ;\n back: nop ;\n here: {line} ;\n .align 4 ;\n nop ;\n there: ;\nexists (x = 0)"


@pytest.mark.parametrize(("line", "code"), RISCV.items())
def test_lines_of_risc_v(line: str, code: str | None) -> None:
    if code is None:
        with pytest.raises(TextError, match=r"^litmus:5:8: 'sraw a0, a1, a2' does not assemble: 'sraw' is not known; an instr"):
            parse(riscv(line))
        return
    expected = bytes.fromhex(code)
    assert parse(riscv(line)).program.code[4 : 4 + len(expected)].hex(" ") == code


@needs("riscv64-linux-gnu-as", "riscv64-linux-gnu-objcopy")
def test_the_gnu_assembler_makes_the_same_of_every_instruction(tmp_path: Path) -> None:
    lines = [line for line, code in RISCV.items() if code and line != ".byte 1, 0"]
    operands = {"d": "s3", "s": "a4", "t": "t5", "z": "a1", "i": "-77", "h": "45", "u": "0x12345", "l": "36(s7)", "m": "-4(a2)",
                "p": "(t1)", "b": "here", "j": "here", "f": "ow", "g": "ir", "c": "-3"}  # fmt: skip
    lines += [f"{name} {', '.join(operands[letter] for letter in format)}" for name, (_, format) in TABLE.items()]
    program = parse("\n".join(["RISCV64 n", "{ x = 0; }", "P0 ;", "back: nop ;", "here: nop ;", "nop ;", "there: nop ;",
                               *(f"{line} ;" for line in lines), "exists (x = 0)"])).program  # fmt: skip
    source = ["back: nop", "here: nop", "nop", "there: nop", *lines]
    assembly = ".option norvc\n" + "\n".join(source).replace("there - here(", "8(") + "\n"
    compressed = "\n".join(f".option rvc\n{line}\n.option norvc" if line.startswith("c.") else line
                           for line in assembly.splitlines())  # fmt: skip
    (tmp_path / "n.s").write_text(f"{compressed}\n")
    run = functools.partial(subprocess.run, check=True, cwd=tmp_path)
    run(["riscv64-linux-gnu-as", "-march=rv64imac_zifencei", "-mno-relax", "n.s", "-o", "n.o"])
    run(["riscv64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", "n.o", "n.bin"])
    code = (tmp_path / "n.bin").read_bytes()
    assert program.code[: program.ends[0] - CODE].hex(" ", 2) == code.hex(" ", 2)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("add a0, a1", "2 operands, and not 3"),
        ("addi a0, a1, 2048", "2048 is not from -2048 to 2047"),
        ("li a0, x", "69632 is not from -2048 to 2047"),
        ("ld a0, x", "'0x11000' is no place in memory, as 8(a0)"),
        ("amoadd.d a0, a1, 8(a2)", "'8(a2)' has an offset, which the instruction has not"),
        ("fence a0, a1", "'a0' is nothing that a fence orders, as rw"),
        ("lw 4, (a0)", "'4' is no register"),
        ("beq a0, a1, x + 8", "the target is 4100 bytes away, and not up to 4096"),
        ("beqz a0", "'beqz' is not known with so many operands"),
        ("c.li a0, 32", "32 is not from -32 to 31"),
    ],
)
def test_what_is_no_line_of_risc_v_is_said_with_its_text(line: str, why: str) -> None:
    with pytest.raises(TextError) as raised:
        parse(riscv(line))
    said = f"litmus:5:8: '{line}' does not assemble: {why}; an instruction of RISC-V that litmus tests know is needed"
    assert str(raised.value) == said


def test_an_operand_must_fit_without_labels_too() -> None:
    with pytest.raises(TextError, match="4096 is not from -2048 to 2047"):
        parse("RISCV64 n\n{ x = 0; }\n P0 ;\n li a0, 4096 ;\nexists (x = 0)")
