# SPDX-License-Identifier: GPL-2.0-only
"""A print fmt as Python: C's numbers, fields of every kind, and the helpers of TP_printk."""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.print_fmt import PrintFmtError, compile_print_fmt
from tests.ftrace.event.golden_events import CONSTANTS, VALUES, golden_calls
from tests.lib.host_compiler import compile_static


class _Guest:
    values: Mapping[str, int] = {"jiffies": 1000, "mem_map": 1 << 63}

    def symbol(self, address: int, *, offset: bool) -> str:
        return f"symbol_{address:x}" + ("+0x0/0x10" if offset else "")

    def string(self, address: int) -> str:
        return f"string_{address:x}"

    def pointer(self, address: int) -> str:
        return f"pointer_{address:x}"


def _call(print_fmt: str, fields: Sequence[Field] = (), size: int = 8) -> EventCall:
    return EventCall("test", "event", 300, fields, print_fmt, max([size, *(field.offset + field.size for field in fields)]))


def _text(print_fmt: str, fields: Sequence[Field] = (), data: bytes = b"") -> str:
    constants = {"MODE": 7, "NEGATIVE": -1, "sizeof(struct page)": 64}
    return compile_print_fmt(_call(print_fmt, fields), _Guest.values, constants)(bytes(8) + data, _Guest())


# Numbers

_FIELDS = [
    Field(f"{'s' if signed else 'u'}{8 * size}", f"{'s' if signed else 'u'}{8 * size}", offset, size, signed)
    for offset, size, signed in (
        (8, 8, True), (16, 8, False), (24, 4, True), (28, 4, False), (32, 2, True), (34, 2, False), (36, 1, True), (37, 1, False)
    )
]  # fmt: skip
_ENTRY = struct.Struct("=qQiIhHbB2x")
_TYPES = {field.type: field for field in _FIELDS} | {"int": _FIELDS[2], "unsigned long": _FIELDS[1], "long long": _FIELDS[0]}


def _expression(chance: random.Random, depth: int) -> str:
    """A C expression with a defined value, given -fwrapv."""
    if depth == 0:
        return chance.choice(
            [f"REC->{chance.choice(_FIELDS).name}"] * 3
            + ["0", "-1", "1UL", "0x80000000", "4294967295", "0xffffffffffffffff", "077", "2147483647", "5u", "'a'", "9LL"]
        )
    one, other = _expression(chance, depth - 1), _expression(chance, chance.randrange(depth))
    match chance.randrange(9):
        case 0:
            return f"({chance.choice(list(_TYPES))})({one})"
        case 1:
            return f"{chance.choice('-~!+')}({one})"
        case 2:
            return f"(({one}) {chance.choice(['<<', '>>'])} (({other}) & 31))"
        case 3:
            return f"(({one}) {chance.choice('/%')} ((({other}) & 255u) + 1))"
        case 4:
            return f"(({one}) {chance.choice(['==', '!=', '<', '>', '<=', '>=', '&&', '||'])} ({other}))"
        case 5:
            return f"(({one}) ? ({other}) : ({_expression(chance, chance.randrange(depth))}))"
        case _:
            return f"(({one}) {chance.choice('+-*&|^')} ({other}))"


def test_expressions_have_the_values_that_c_gives_them(tmp_path: Path) -> None:
    chance = random.Random(1)
    expressions = [
        "((REC->u8 & 4) | (REC->u16 & 3)) * 500000000",
        *(_expression(chance, chance.randint(1, 5)) for _ in range(400)),
    ]
    entries = [bytes(_ENTRY.size), b"\xff" * _ENTRY.size, *(chance.randbytes(_ENTRY.size) for _ in range(10))]
    numbers = ",".join(map(str, b"".join(entries)))
    lines = "".join(f'printf("%lld\\n", (long long)({expression}));' for expression in expressions)
    types = "".join(
        f"typedef {'signed' if field.signed else 'unsigned'} {name} {field.type};"
        for field in _FIELDS for name in [{8: "long", 4: "int", 2: "short", 1: "char"}[field.size]]
    )  # fmt: skip
    members = "".join(f"{field.type} {field.name};" for field in _FIELDS)
    source = (
        f"#include <stdio.h>\n{types}struct entry {{ {members} }};"
        f"static const unsigned char entries[] __attribute__((aligned(8))) = {{ {numbers} }};"
        f"int main(void) {{ for (int n = 0; n < {len(entries)}; n++) {{"
        f"const volatile struct entry *REC = (const void *)(entries + n * {_ENTRY.size}); {lines} }} }}"
    )
    compile_static("x86_64", source, tmp_path / "values", "-fwrapv", "-w")
    wanted = iter(subprocess.run([tmp_path / "values"], capture_output=True, text=True, check=True).stdout.split())
    compiled = [compile_print_fmt(_call(f'"%lld", (long long)({expression})', _FIELDS), []) for expression in expressions]
    for entry in entries:
        for expression, text in zip(expressions, compiled, strict=True):
            assert text(bytes(8) + entry, _Guest()) == next(wanted), (expression, entry.hex())


@pytest.mark.parametrize(
    ("conversion", "argument", "shown"),
    [
        ("%d", "4294967295", "-1"),
        ("%u", "-1", "4294967295"),
        ("%lx", "-1", "ffffffffffffffff"),
        ("%hhu", "511", "255"),
        ("%hd", "65535", "-1"),
        ("%x", "(u8)-1", "ff"),
        ("%lu", "sizeof(unsigned int)", "4"),
        ("%lu", "sizeof(u16) * sizeof(void *)", "16"),
        ("%d", "__builtin_expect(!!(7), 0)", "1"),
        ("%lu", "jiffies - 1", "999"),
        ("%d", "MODE + NEGATIVE", "6"),
        ("%lx", "(unsigned long)((struct page *)mem_map + 2)", "8000000000000080"),
        ("%lx", "(unsigned long)((struct page *)mem_map + -1L)", "7fffffffffffffc0"),
        ("%llu", "__print_ns_to_secs(5000000123)", "5"),
        ("%09u", "__print_ns_without_secs(5000000123)", "000000123"),
        ("%d", "1 / 0", "0"),
        ("%d", "'\\377'", "-1"),
        ("%.08x", "10", "0000000a"),
    ],
)
def test_numbers(conversion: str, argument: str, shown: str) -> None:
    assert _text(f'"{conversion}", {argument}') == shown


def test_plain_text() -> None:
    assert _text('"100%% of \\"it\\"\\n {}"') == '100% of "it"\n {}'


# Fields

_NAME = Field("char[8]", "name", 8, 8, True, 1)
_LOCATION = Field("__data_loc char[]", "data", 8, 4, True, 1)
_RELATIVE = Field("__rel_loc char[]", "data", 8, 4, True, 1)
_WORDS = Field("__data_loc u32[]", "words", 8, 4, False, 4)


def _located(offset: int, data: bytes, length: int | None = None) -> bytes:
    return struct.pack("=I", (len(data) if length is None else length) << 16 | offset) + data


def test_an_array_of_characters_ends_at_its_nul_or_where_the_field_ends() -> None:
    assert _text('"%s|%.2s", REC->name, REC->name', [_NAME], b"abc\0defg") == "abc|ab"
    assert _text('"%s", REC->name', [_NAME], b"abcdefghijkl") == "abcdefgh"


def test_bytes_that_are_no_text_stay_what_they_are() -> None:
    data = b"\xff\xc3\xa9\0\0\0\0\0"
    assert _text('"%s", REC->name', [_NAME], data).encode(errors="surrogateescape") == data.rstrip(b"\0")


def test_the_text_of_a_pointer_is_the_guests() -> None:
    assert _text('"%s", REC->name', [Field("const char *", "name", 8, 8, False)], struct.pack("=Q", 16)) == "string_10"


@pytest.mark.parametrize("get", ["__get_str", "__get_rel_str"])
def test_a_dynamic_text_is_cut_where_the_entry_ends(get: str) -> None:
    field, base = (_LOCATION, 0) if get == "__get_str" else (_RELATIVE, 12)
    print_fmt = f'"[%s]", {get}(data)'
    assert _text(print_fmt, [field], _located(12 - base, b"word\0\0\0\0")) == "[word]"
    assert _text(print_fmt, [field], _located(12 - base, b"word", 400)) == "[word]"
    assert _text(print_fmt, [field], _located(14 - base, b"word", 4)) == "[rd]"
    assert _text(print_fmt, [field], _located(0x1000 + 12 - base, b"word", 4)) == "[]"
    assert _text(print_fmt, [field], _located(0xFFFF, b"word", 0xFFFF)) == "[]"


def test_dynamic_arrays() -> None:
    data = _located(12, struct.pack("=3I", 1, 0x20, 0xFFFFFFFF))
    assert _text('"%d", __get_dynamic_array_len(words)', [_WORDS], data) == "12"
    assert _text('"%x", ((u32 *)__get_dynamic_array(words))[1]', [_WORDS], data) == "20"
    assert _text('"%d", *(s8 *)__get_dynamic_array(words)', [_WORDS], data) == "1"
    assert _text('"%d", ((u32 *)__get_dynamic_array(words))[7]', [_WORDS], data) == "0"
    length = "__get_dynamic_array_len(words) / sizeof(u32)"
    assert _text(f'"%s", __print_array(__get_dynamic_array(words), {length}, 4)', [_WORDS], data) == "{0x1,0x20,0xffffffff}"
    assert _text('"%s", __print_array(__get_dynamic_array(words), 99, 8)', [_WORDS], data) == "{0x2000000001,0xffffffff}"
    assert _text('"%s", __print_hex(__get_dynamic_array(words), 5)', [_WORDS], data) == "01 00 00 00 20"
    assert _text('"%s", __print_hex_str(__get_dynamic_array(words), 5)', [_WORDS], data) == "0100000020"
    assert _text('"%*phC", 3, __get_dynamic_array(words)', [_WORDS], data) == "01:00:00"


def test_bitmasks() -> None:
    data = _located(12, struct.pack("=Q", 0x3_00000001))
    for get in ("__get_bitmask", "__get_cpumask"):
        assert _text(f'"%s", {get}(words)', [_WORDS], data) == "00000003,00000001"
    assert _text('"%*pbl", 64, __get_dynamic_array(words)', [_WORDS], data) == "0,32-33"


def test_the_address_of_a_socket() -> None:
    field = Field("__data_loc u8[]", "addr", 8, 4, False, 1)
    data = _located(12, struct.pack("=H", 2) + bytes.fromhex("3039 01020304") + bytes(8))
    assert _text('"%pISpc", __get_sockaddr(addr)', [field], data) == "1.2.3.4:12345"


def test_elements_of_an_array() -> None:
    field = Field("unsigned long[3]", "args", 8, 24, False, 8)
    data = struct.pack("=3Q", 1, 2, 3)
    assert _text('"%lx %lx", REC->args[2], REC->args[(int)REC->args[0]]', [field], data) == "3 2"
    assert _text('"%lx", REC->args[3]', [field], data) == "0"
    assert _text('"%d", (int)sizeof(REC->args)', [field], data) == "24"


# Helpers


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        ('__print_flags(5, "|", { 1, "A" }, { 2, "B" }, { 4, "C" })', "A|C"),
        ('__print_flags(13, ",", { 1, "A" }, { 4, "C" })', "A,C,0x8"),
        ('__print_flags(0, "|", { 1, "A" })', ""),
        ('__print_flags(8, "|", { 0, "ZERO" })', "ZERO|0x8"),
        ('__print_flags(0, "|", { 0, "ZERO" })', ""),
        ('__print_flags(7, "|", { 3, "AB" }, { 1, "A" }, { 4, "C" })', "AB|C"),
        ('__print_flags(-1, "", { 1UL << 63, "TOP" })', "TOP0x7fffffffffffffff"),
        ('__print_symbolic(2, { 1, "one" }, { 2, "two" }, { 2, "again" })', "two"),
        ('__print_symbolic(9, { 1, "one" })', "0x9"),
        ('__print_symbolic(-1, { -1, "minus" })', "minus"),
        ('__print_symbolic(3, { 1, "" }, { -1, ((void *)0) })', "0x3"),
        ('1 ? "yes" : "no"', "yes"),
    ],
)
def test_helpers(argument: str, shown: str) -> None:
    assert _text(f'"%s", {argument}') == shown


def test_symbols_and_pointers() -> None:
    field = Field("void *", "at", 8, 8, False)
    data = struct.pack("=Q", 0x1234)
    print_fmt = '"%pS %ps %p %px %pK %-20p.", REC->at, REC->at, REC->at, REC->at, REC->at, REC->at'
    shown = "symbol_1234+0x0/0x10 symbol_1234 pointer_1234 0000000000001234 pointer_1234 pointer_1234        ."
    assert _text(print_fmt, [field], data) == shown


# What cannot be compiled


@pytest.mark.parametrize(
    "print_fmt",
    [
        "",
        "no C at all",
        '"%d"',
        '"%d", REC->missing',
        '"%d", SOME_ENUM',
        '"%d", other->field',
        '"%d", function()',
        '"%s", __get_str()',
        '"%s", __get_str(name)',
        '"%s", __get_str(name, name)',
        '"%d", REC->name',
        '"%k", 1',
        '"%99999d", 1',
        '"%pd", REC->name',
        '"%pI4", 1',
        '"%d", ((struct page *)0) + 1',
        '"%d", (struct page)1',
        '"%s", __print_flags(1, "|", { REC->name, "A" })',
        '"%s", __print_symbolic(1, 2)',
        '"%f", 1.5',
        '"%d", 1.5',
        '"\\x", 1',
        '"%d", ' + "(" * 1000 + "1" + ")" * 1000,
        '"%d", ' + "-" * 1000 + "REC->name[0]",
        "{" * 50,
        "'",
    ],
)
def test_what_is_no_print_fmt(print_fmt: str) -> None:
    with pytest.raises(PrintFmtError):
        compile_print_fmt(_call(print_fmt, [_NAME]), [])


def test_every_event_of_a_real_kernel() -> None:
    """The ones that fail use values known only to the kernel's build."""
    failed: dict[str, int] = {}
    chance = random.Random(0)
    for call in golden_calls().values():
        try:
            text = compile_print_fmt(call, VALUES, CONSTANTS)
        except PrintFmtError as error:
            failed[str(error)] = failed.get(str(error), 0) + 1
            continue
        guest = _Guest()
        guest.values = VALUES
        for _ in range(3):
            text(chance.randbytes(call.size + chance.choice([0, 40])), guest)
    assert len(golden_calls()) == 1203
    assert failed == {
        "it asks for DEV_PM_QOS_RESUME_LATENCY": 3,
        "it asks for HI_SOFTIRQ": 1,
        "it asks for PM_QOS_ADD_REQ": 2,
        "it asks for TCP_ESTABLISHED": 2,
        "it asks for VMSCAN_THROTTLE_WRITEBACK": 1,
        "it calls jiffies_to_msecs()": 2,
    }
