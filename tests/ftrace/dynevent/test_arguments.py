# SPDX-License-Identifier: GPL-2.0-only
"""Arguments of probes: what is accepted, and the errors for the rest."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.ftrace.arch import load
from emu.ftrace.dynevent.argument import Argument, Bits, Op, ProbeSite
from emu.ftrace.dynevent.arguments import MOST_ARGUMENTS, parse_arguments
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.dynevent.event_names import parse_event_name
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError
from emu.ftrace.dynevent.types import TYPES
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, EventKind, Field

REGISTERS = load("x86_64").probing().registers
EVENT = EventCall("test", "sample", 99, [Field("int", "pid", 8, 4, True), Field("char[16]", "name", 12, 16, True, 1)], '""', 28)


def symbol(name: str) -> int | None:
    return 0x1000 if name == "jiffies" else None


ENTRY = ProbeSite(REGISTERS, symbol, at_entry=True)
ELSEWHERE = ProbeSite(REGISTERS, symbol)
RETURN = ProbeSite(REGISTERS, symbol, returns=True)
PROGRAM = ProbeSite(REGISTERS, user=True)
OF_EVENT = ProbeSite(None, symbol, event=EVENT)


def parsed(text: str, where: ProbeSite = ENTRY) -> list[Argument]:
    return parse_arguments(ProbeCommand("trace_kprobe", f"p vfs_read {text}"), 2, where)


def refused(text: str, where: ProbeSite = ENTRY) -> tuple[ProbeError, str]:
    """The error in error_log for an argument, and the argument from the caret on."""
    with pytest.raises(TraceError) as error:
        parsed(text, where)
    logged = error.value.logged
    assert logged is not None and logged.place == "trace_kprobe"
    return ProbeError(logged.text), logged.command[logged.position :]


@pytest.mark.parametrize(
    ("text", "where", "error", "rest"),
    [
        ("a=%nosuch", ENTRY, "BAD_REG_NAME", "%nosuch"),
        ("$retval", ENTRY, "RETVAL_ON_PROBE", "$retval"),
        ("a=$stackx", ENTRY, "BAD_VAR", "$stackx"),
        ("a=$stack99999", ENTRY, "BAD_STACK_NUM", "$stack99999"),
        ("a=$arg1", ELSEWHERE, "BAD_VAR", "$arg1"),
        ("a=$arg1", RETURN, "BAD_VAR", "$arg1"),
        ("a=$arg0", ENTRY, "BAD_ARG_NUM", "$arg0"),
        ("a=$arg17", ENTRY, "BAD_ARG_NUM", "$arg17"),
        ("a=$nosuch", ENTRY, "BAD_VAR", "$nosuch"),
        ("a=@0xzz", ENTRY, "BAD_MEM_ADDR", "@0xzz"),
        ("a=@+8", ENTRY, "FILE_ON_KPROBE", "@+8"),
        ("a=@nosuch", ENTRY, "BAD_PROBE_ADDR", "vfs_read a=@nosuch"),
        ("a=@+x", PROGRAM, "BAD_FILE_OFFS", "@+x"),
        ("a=@jiffies", PROGRAM, "SYM_ON_UPROBE", "@jiffies"),
        ("a=\\x", ENTRY, "BAD_IMM", "x"),
        ('a=\\"text', ENTRY, "IMMSTR_NO_CLOSE", ""),
        ("a=+0%di", ENTRY, "DEREF_NEED_BRACE", "+0%di"),
        ("a=+x(%di)", ENTRY, "BAD_DEREF_OFFS", "+x(%di)"),
        ("a=+0(%di", ENTRY, "DEREF_OPEN_BRACE", ""),
        ("a=-8(+0(%no))", ENTRY, "BAD_REG_NAME", "%no))"),
        ("a=+0($comm)", ENTRY, "COMM_CANT_DEREF", "$comm)"),
        ("+0(" * 15 + "%di" + ")" * 15, ENTRY, "TOO_MANY_OPS", "+0(" * 14 + "%di" + ")" * 15),
        ("a=di", ENTRY, "BAD_FETCH_ARG", "di"),
        ("a=%di:x8[4", ENTRY, "ARRAY_NO_CLOSE", ""),
        ("a=%di:x8[4]x", ENTRY, "BAD_ARRAY_SUFFIX", "x"),
        ("a=%di:x8[0]", ENTRY, "BAD_ARRAY_NUM", "0]"),
        ("a=%di:x8[65]", ENTRY, "ARRAY_TOO_BIG", "65]"),
        ("a=%di:x8[4]", ENTRY, "BAD_STRING", "x8[4]"),
        ("a=%di:badtype", ENTRY, "BAD_TYPE", "badtype"),
        ("a=%di:", ENTRY, "BAD_TYPE", ""),
        ("a=%di:b4@2/33", ENTRY, "BAD_TYPE", "b4@2/33"),
        ("a=%di:b4/32", ENTRY, "BAD_BITFIELD", "b4/32"),
        ("a=%di:b30@4/32", ENTRY, "BAD_BITFIELD", "b30@4/32"),
        ("%di:string", ENTRY, "BAD_STRING", "string"),
        ("a=$comm:symstr", OF_EVENT, "BAD_SYMSTRING", "symstr"),
        ("a=+u0(%di):symstr", ENTRY, "BAD_SYMSTRING", "symstr"),
        ("a=%di:symbol", PROGRAM, "BAD_TYPE", "symbol"),
        ("a" * 33 + "=%di", ENTRY, "ARG_NAME_TOO_LONG", "a" * 33 + "=%di"),
        ("=%di", ENTRY, "NO_ARG_NAME", "=%di"),
        ("1a=%di", ENTRY, "BAD_ARG_NAME", "1a=%di"),
        ("a=%di a=%si", ENTRY, "USED_ARG_NAME", "a=%si"),
        ("common_pid=%di", ENTRY, "USED_ARG_NAME", "common_pid=%di"),
        ("a=" + "x" * 64, ENTRY, "ARG_TOO_LONG", "x" * 64),
        ("a=", ENTRY, "NO_ARG_BODY", ""),
        ("a=$nosuch", OF_EVENT, "BAD_ATTACH_ARG", "a=$nosuch"),
        ("a=%di", OF_EVENT, "BAD_VAR", "%di"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_refused_with_linux_s_text_at_its_place(
    text: str, where: ProbeSite, error: str, rest: str
) -> None:
    assert refused(text, where) == (ProbeError[error], rest)


def test_arguments_that_take_too_much_room_are_refused() -> None:
    many = " ".join(f"a{n}=+0(%di):x64[64]" for n in range(7))
    with pytest.raises(TraceError) as error:
        parsed(many)
    assert error.value.errno == errno.E2BIG
    assert error.value.logged is not None and error.value.logged.text == "Event too big (too many fields?)"
    assert len(parsed("%di " * (MOST_ARGUMENTS + 9))) == MOST_ARGUMENTS


def test_a_text_is_a_string_and_nothing_else() -> None:
    for text in ("$comm", "$comm:string", '\\"some"', '\\"some":string'):
        assert parsed(text)[0].type.name == "string"
    with pytest.raises(TraceError) as error:
        parsed("$comm:u8")
    assert error.value.errno == errno.EINVAL and error.value.logged is None


def test_what_arguments_mean() -> None:
    arg7, bits, array, user, place = parsed("$arg7 %dx:b4@2/32 +8(%si):u16[3] -u4(%ax) @jiffies+8:s64")
    assert [(step.op, step.value) for step in arg7.steps] == [(Op.STACK, 1)] and arg7.name == "arg1"
    assert bits.bits == Bits(4, 2) and bits.type is TYPES["u32"]
    assert (array.count, array.size, array.steps[-1].value) == (3, 6, 8)
    assert user.steps[-1].op is Op.USER_DEREFERENCE and user.steps[-1].value == -4 and user.is_user
    assert [step.value for step in place.steps] == [0x1008, 0]
    assert parsed("@+16", PROGRAM)[0].steps[0].op is Op.FILE_OFFSET
    assert [one.steps[0].op for one in parsed("$pid $name:string $comm:string", OF_EVENT)] == [Op.FIELD, Op.FIELD, Op.COMM]


REGISTER_NAMES = st.sampled_from(sorted(REGISTERS.names)).map(lambda name: f"%{name}")
NUMBERS = st.integers(-(1 << 31), (1 << 31) - 1)
BASES = REGISTER_NAMES | st.sampled_from(["$stack", "$stack3", "$arg1", "\\7", "\\-1", "@jiffies", "@0x1234"])
MEMORY = st.recursive(
    st.tuples(NUMBERS, st.booleans(), BASES),
    lambda inner: st.tuples(NUMBERS, st.booleans(), inner.map(lambda one: dereference(*one))),
    max_leaves=3,
)
TYPE_NAMES = st.sampled_from([name for name, kind in TYPES.items() if not kind.is_string])


def dereference(offset: int, user: bool, inner: str) -> str:
    return f"{'-' if offset < 0 else '+'}{'u' * user}{abs(offset):#x}({inner})"


@settings(max_examples=50)
@given(st.lists(st.tuples(MEMORY, TYPE_NAMES, st.integers(0, 64)), max_size=5))
def test_what_is_accepted_is_laid_out_without_gaps(given: list[tuple[tuple[int, bool, str], str, int]]) -> None:
    words = [f"{dereference(*memory)}:{kind}{f'[{count}]' if count else ''}" for memory, kind, count in given]
    words = [word for word in words if len(word) < 64]
    arguments = parsed(" ".join(f"f{n}={word}" for n, word in enumerate(words)))
    assert [str(argument) for argument in arguments] == [f"f{n}={word}" for n, word in enumerate(words)]
    layout = EntryLayout.of(EventKind.KPROBE, arguments)
    end = 16
    for argument, offset in zip(arguments, layout.offsets, strict=True):
        assert offset == end and argument.steps[-1].is_dereference
        end += argument.size
    assert layout.size == end
    assert layout.print_fmt().count("REC->") == 1 + sum(argument.count or 1 for argument in arguments)


@given(st.text("p%$@+-u()\\\":=[]b@/rdiargstcom0123456789x", max_size=30))
def test_nothing_but_a_trace_error_comes_of_any_text(text: str) -> None:
    for where in (ENTRY, RETURN, PROGRAM, OF_EVENT):
        try:
            parsed(text, where)
        except TraceError as error:
            assert error.logged is None or error.logged.position <= len(error.logged.command) + 1


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("p", ("kprobes", "")),
        ("p:mine", ("kprobes", "mine")),
        ("p:my-group/mine", ("my-group", "mine")),
        ("p:group.mine", ("group", "mine")),
        ("p:group/", ("group", "")),
        ("p:", "NO_EVENT_NAME"),
        ("p:/mine", "NO_GROUP_NAME"),
        (f"p:{'g' * 64}/mine", "GROUP_TOO_LONG"),
        ("p:1g/mine", "BAD_GROUP_NAME"),
        (f"p:{'e' * 65}", "EVENT_TOO_LONG"),
        ("p:a/b/c", "BAD_EVENT_NAME"),
    ],
)  # fmt: skip
def test_names_of_events(head: str, expected: tuple[str, str] | str) -> None:
    command = ProbeCommand("trace_kprobe", f"{head} vfs_read")
    if isinstance(expected, tuple):
        assert parse_event_name(command, "kprobes") == expected
    else:
        with pytest.raises(TraceError) as error:
            parse_event_name(command, "kprobes")
        assert error.value.logged is not None and error.value.logged.text == ProbeError[expected].value
