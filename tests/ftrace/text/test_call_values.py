# SPDX-License-Identifier: GPL-2.0-only
"""The text of what calls are given and return. Expected are the lines that Linux's print_function_args() and
print_graph_retval() print."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from emu.ftrace.buffers.entries import FUNCGRAPH_ENTRY, FUNCGRAPH_EXIT, FUNCTION, VALUED_ENTRY, VALUED_EXIT, EventType
from emu.ftrace.text import render_events
from emu.ftrace.text.call_values import returned_text
from emu.ftrace.text.view import Parameter, ParameterKind
from tests.ftrace.text.golden import Recording

WORDS = (0xFFFF888103214800, 0x7FFD6C0B2000, 832, 0, 5, 0xFFFFFFFFFFFFFFFF)
CALLER = "ksys_read+0x6f/0xf0"


@dataclass
class Made:
    """Made prototypes, by the functions' names."""

    known: Mapping[str, Sequence[Parameter]]
    asked: list[tuple[str, str]] = field(default_factory=list)

    def parameters(self, function: str, module: str) -> Sequence[Parameter] | None:
        self.asked.append((function, module))
        return self.known.get(function)

    def data(self) -> Mapping[str, bytes]:
        return {}


def number(name: str) -> Parameter:
    return Parameter(name, ParameterKind.NUMBER)


def pointer(name: str) -> Parameter:
    return Parameter(name, ParameterKind.POINTER)


def by_value(name: str, size: int, type_: str = "STRUCT") -> Parameter:
    return Parameter(name, ParameterKind.OTHER, type_, size)


UNKNOWN = Parameter("", ParameterKind.UNKNOWN)
READ = [pointer("file"), pointer("buf"), number("count"), pointer("pos")]


def words(values: Iterable[int]) -> bytes:
    return b"".join(struct.pack("=Q", value) for value in values)


def called(known: Mapping[str, Sequence[Parameter]], *options: str, values: Sequence[int] = WORDS) -> str:
    """What the function tracer prints of a call of f by g after its time."""
    recording = Recording(1)
    addresses = {"ip": recording.symbols.address_of("f"), "parent_ip": recording.symbols.address_of("g")}
    recording.write(0, 1000, FUNCTION, {"type": EventType.FUNCTION, **addresses}, words(values))
    view = recording.view("function", ["nocontext-info", *options], prototypes=Made(known))
    return "".join(render_events(view))


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        (READ, "(file=0xffff888103214800, buf=0x7ffd6c0b2000, count=832, pos=0x0)"),
        ([], "()"),
        ([number(name) for name in "abcdef"], "(a=-131387292039168, b=140726416121856, c=832, d=0, e=5, f=-1)"),
        ([pointer("p%")], "(p%=0xffff888103214800)"),
        ([number("")], "(=-131387292039168)"),  # without a name
        ([pointer("format"), UNKNOWN], "(format=0xffff888103214800, =?0x7ffd6c0b2000)"),  # int printk(const char *format, ...)
        ([by_value("uid", 4)], "(uid=(STRUCT)[0xffff888103214800])"),
        ([by_value("flag", 1, "ENUM64")], "(flag=(ENUM64)[0xffff888103214800])"),
        ([by_value("t", 16), number("n")], "(t=(STRUCT)[0xffff888103214800:0x7ffd6c0b2000], n=832)"),
        ([by_value("u", 12, "UNION"), number("n")], "(u=(UNION)[0xffff888103214800:0x7ffd6c0b2000], n=832)"),
        ([by_value("empty", 0), number("n")], "(empty=(STRUCT)[0xffff888103214800], n=140726416121856)"),
        ([*READ, number("e"), number("f"), number("g"), number("h")],
         "(file=0xffff888103214800, buf=0x7ffd6c0b2000, count=832, pos=0x0, e=5, f=-1, ...)"),
        ([*READ, number("e"), by_value("s", 16), number("g")],
         "(file=0xffff888103214800, buf=0x7ffd6c0b2000, count=832, pos=0x0, e=5, s=(STRUCT)[0xffffffffffffffff:...])"),
        ([*READ, by_value("s", 16), number("g")],
         "(file=0xffff888103214800, buf=0x7ffd6c0b2000, count=832, pos=0x0, s=(STRUCT)[0x5:0xffffffffffffffff], ...)"),
    ],
)  # fmt: skip
def test_arguments(parameters: Sequence[Parameter], text: str) -> None:
    assert called({"f": parameters}) == f"f{text} <-g\n"


def test_a_function_without_a_prototype() -> None:
    assert called({}) == "f() <-g\n"


def test_without_the_caller() -> None:
    assert called({"f": READ[:1]}, "noprint-parent") == "f(file=0xffff888103214800)\n"


def test_raw_numbers_are_those_of_an_entry_without_arguments() -> None:
    assert called({"f": READ}, "raw") == called({"f": READ}, "raw", values=())


def test_of_entries_with_and_without_arguments() -> None:
    recording, made = Recording(1), Made({"f": READ[:1]})
    ip = recording.symbols.address_of("f")
    for time, values in enumerate(((), WORDS, (), WORDS)):
        recording.write(0, time, FUNCTION, {"type": EventType.FUNCTION, "ip": ip}, words(values))
    text = "".join(render_events(recording.view("function", ["nocontext-info"], prototypes=made)))
    assert text.splitlines() == ["f", "f(file=0xffff888103214800)"] * 2
    assert made.asked == [("f", "")], "a function is looked up once"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0x0"), (832, "0x340"), (0xFFFF888103214802, "0xffff888103214802"),
        (2**64 - 1, "-1"), (2**64 - 4095, "-4095"), (2**64 - 4096, "0xfffffffffffff000"),
        (2**32 - 2, "-2"), (2**32 - 4095, "-4095"), (2**32 - 4096, "0xfffff000"),  # of an int, in a register's lower half
        (2**33 - 2, "0x1fffffffe"), (0x80000000, "0x80000000"),
    ],
)  # fmt: skip
def test_returned_values(value: int, text: str) -> None:
    assert returned_text(value, always_hex=False) == f"ret={text}"
    assert returned_text(value, always_hex=True) == f"ret={value:#x}"


def graph(*options: str, values: Sequence[int] = WORDS, returned: int | None = 832) -> list[str]:
    """The lines of f() { g(); }, and of another g() whose call was not seen."""
    recording = Recording(1)
    f, g = map(recording.symbols.address_of, ("vfs_read", "fdget"))
    recording.symbols.address_of(CALLER)
    time = 0

    def enter(function: int, depth: int) -> None:
        nonlocal time
        time += 1
        layout = VALUED_ENTRY if values else FUNCGRAPH_ENTRY
        told = {"type": EventType.FUNCGRAPH_ENTRY, "func": function, "depth": depth}
        recording.write(0, time, layout, told, words(values))

    def leave(function: int, depth: int) -> None:
        nonlocal time
        time += 1
        layout, more = (FUNCGRAPH_EXIT, {}) if returned is None else (VALUED_EXIT, {"retval": returned})
        recording.write(0, time, layout, {"type": EventType.FUNCGRAPH_EXIT, "func": function, "depth": depth, **more})

    enter(f, 0)
    enter(g, 1)
    leave(g, 1)
    leave(f, 0)
    leave(g, 0)
    made = Made({"vfs_read": READ, "fdget": [number("fd")]})
    view = recording.view("function_graph", ["nofuncgraph-cpu", "nofuncgraph-duration", *options], prototypes=made)
    return "".join(render_events(view)).splitlines()


OPEN = "vfs_read(file=0xffff888103214800, buf=0x7ffd6c0b2000, count=832, pos=0x0) {"
LEAF = "  fdget(fd=-131387292039168);"


def test_graph_without_values() -> None:
    plain = ["vfs_read() {", "  fdget();", "}", "} /* fdget */"]
    assert graph(values=()) == graph(values=(), returned=None) == plain


def test_graph_with_arguments() -> None:
    assert graph("funcgraph-args") == [OPEN, LEAF, "}", "} /* fdget */"]
    assert graph() == graph("funcgraph-args"), "arguments that are recorded are shown, as in Linux"


def test_graph_with_returned_values() -> None:
    shown = graph("funcgraph-retval", values=())
    assert shown == ["vfs_read() {", "  fdget(); /* ret=0x340 */", "} /* vfs_read ret=0x340 */", "} /* fdget ret=0x340 */"]
    error = graph("funcgraph-retval", "funcgraph-args", returned=2**64 - 22)
    assert error == [OPEN, f"{LEAF} /* ret=-22 */", "} /* vfs_read ret=-22 */", "} /* fdget ret=-22 */"]
    always = graph("funcgraph-retval", "funcgraph-retval-hex", values=(), returned=2**32 - 22)
    assert always[1] == "  fdget(); /* ret=0xffffffea */"


def test_graph_with_return_addresses() -> None:
    symbols = Recording(1).symbols
    for name in ("vfs_read", "fdget"):
        symbols.address_of(name)
    values = (*WORDS, symbols.address_of(CALLER))
    alone = graph("funcgraph-retaddr", values=values)
    assert alone == [f"vfs_read() {{ /* <-{CALLER} */", f"  fdget(); /* <-{CALLER} */", "}", "} /* fdget */"]
    together = graph("funcgraph-retaddr", "funcgraph-args", "funcgraph-retval", values=values)
    assert together[:2] == [f"{OPEN} /* <-{CALLER} */", f"{LEAF} /* <-{CALLER} ret=0x340 */"]
    assert graph(values=values)[:2] == ["vfs_read() {", "  fdget();"]
