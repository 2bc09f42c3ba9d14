# SPDX-License-Identifier: GPL-2.0-only
"""Arguments by the names of a kernel's source, with types that are made up here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.dynevent.argument import Argument, Bits, Op, ProbeSite, Step
from emu.ftrace.dynevent.arguments import parse_arguments
from emu.ftrace.dynevent.c_types import CKind, CMember, CType, Signature
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError
from emu.ftrace.errors import TraceError

NAMES = {name: n for n, name in enumerate(("ax", "di", "si", "dx", "sp", "ip"))}
REGISTERS = ProbeRegisters(NAMES, [1, 2, 3], 1, 0, 5, 4, entry_arguments=[6, 7, 8])


def number(size: int, *, signed: bool = False) -> CType:
    return CType(CKind.NUMBER, size, signed, None)


def pointer(to: object) -> CType:
    return CType(CKind.POINTER, 8, False, to)


NODE = CType(CKind.AGGREGATE, 64, False, "node")
NODES: Mapping[str, CMember] = {
    "next": CMember(0, 0, pointer(NODE)),
    "name": CMember(64, 0, CType(CKind.ARRAY, 16, False, number(1))),
    "text": CMember(192, 0, pointer(number(1))),
    "low": CMember(256, 3, number(4)),
    "high": CMember(259, 29, number(4)),
    "byte": CMember(296, 0, number(1, signed=True)),
    "inner": CMember(320, 0, CType(CKind.AGGREGATE, 16, False, "node")),
    "row": CMember(384, 0, CType(CKind.ARRAY, 12, False, number(4))),
    "kind": CMember(480, 0, CType(CKind.ENUMERATION, 4, False, None)),
    "real": CMember(480, 0, CType(CKind.OTHER, 8, False, None)),
}


class Types:
    """The one structure, and what pointers and arrays have in them."""

    def target(self, of: CType) -> CType | None:
        return of.known_by if isinstance(of.known_by, CType) else None

    def member(self, of: CType, name: str) -> CMember | None:
        return NODES.get(name)

    def aggregate(self, name: str) -> CType | None:
        return NODE if name == "node" else None


SIGNATURE = Signature(
    [
        ("node", pointer(NODE)),
        ("pair", CType(CKind.AGGREGATE, 16, False, "node")),
        ("count", number(8)),
        ("flag", number(4, signed=True)),
    ],
    number(4, signed=True),
)
ENTRY = ProbeSite(REGISTERS, at_entry=True, types=Types(), signature=SIGNATURE)
RETURN = ProbeSite(REGISTERS, returns=True, types=Types(), signature=SIGNATURE)


def parsed(text: str, where: ProbeSite = ENTRY) -> list[Argument]:
    return parse_arguments(ProbeCommand("trace_kprobe", f"p f {text}"), 2, where)


def steps(text: str, where: ProbeSite = ENTRY) -> Sequence[tuple[Op, int]]:
    (argument,) = parsed(text, where)
    return [(step.op, step.value) for step in argument.steps]


def kinds(text: str, where: ProbeSite = ENTRY) -> Sequence[tuple[str, str]]:
    return [(argument.name, argument.type.name) for argument in parsed(text, where)]


NODE_IN, MEMORY = (Op.REGISTER, 1), Op.DEREFERENCE


def test_how_values_are_fetched() -> None:
    assert steps("node") == [NODE_IN]
    assert steps("node->byte") == [NODE_IN, (MEMORY, 37)]
    assert steps("node->next->inner.byte") == [NODE_IN, (MEMORY, 0), (MEMORY, 77)]
    assert steps("node->row[2]") == [NODE_IN, (MEMORY, 56)]
    assert steps("node->name:string") == [NODE_IN, (MEMORY, 8)]
    assert steps("node->text:string") == [NODE_IN, (MEMORY, 24), (MEMORY, 0)]
    assert steps("x=+4(node->next)") == [NODE_IN, (MEMORY, 0), (MEMORY, 4)]
    assert steps("x=$arg1->byte") == steps("node->byte")


def test_where_parameters_are() -> None:
    """A structure of two words takes two registers; what follows is on the stack, behind the return address."""
    assert steps("flag") == [(Op.STACK, 2)]
    assert steps("count") == [(Op.STACK, 1)]
    assert steps("node", RETURN) == [(Op.REGISTER, 6)]


def test_types_and_names_are_those_of_the_source() -> None:
    assert kinds("node count flag node->byte node->kind node->real node->low") == [
        ("node", "x64"), ("count", "u64"), ("flag", "s32"), ("byte", "s8"), ("kind", "s32"), ("real", "x64"), ("low", "u32"),
    ]  # fmt: skip
    assert kinds("$retval node->row[1]", RETURN) == [("arg1", "s32"), ("row", "u32")]
    assert kinds("node:u8 x=count:x16") == [("node", "u8"), ("x", "x16")]


def test_bit_fields() -> None:
    low, high = parsed("node->low node->high")
    assert (low.bits, high.bits) == (Bits(3, 0), Bits(29, 3))
    assert [argument.steps[-1] for argument in (low, high)] == [Step(Op.DEREFERENCE, 32), Step(Op.DEREFERENCE, 32)]
    (given_type,) = parsed("node->high:b4@1/8")
    assert given_type.bits == Bits(4, 1)


def test_casts() -> None:
    register = (Op.REGISTER, 2)
    elsewhere = ProbeSite(REGISTERS, types=Types())
    assert steps("(node)%si->byte", elsewhere) == [register, (MEMORY, 37)]
    assert steps("(node,byte)%si->next->kind", elsewhere) == [register, (MEMORY, -37), (MEMORY, 60)]
    assert steps("(node)(+8(%si))->text:string", elsewhere) == [register, (MEMORY, 8), (MEMORY, 24), (MEMORY, 0)]
    assert steps("x=(node)(node->next)->byte") == [NODE_IN, (MEMORY, 0), (MEMORY, 37)]
    assert kinds("(node)$retval->byte", RETURN) == [("byte", "s8")]


def test_words_that_stand_for_others() -> None:
    assert [str(one) for one in parsed("$arg1 $arg3:u8 x=$arg3")] == ["node=node", "count=count:u8", "x=$arg3"]
    with pytest.raises(TraceError) as refused:
        parsed("$arg*")  # among them is a structure
    assert refused.value.logged is not None and refused.value.logged.text == ProbeError.BAD_ARG_NUM.value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("^nosuch", ProbeError.NO_BTFARG),
        ("^$arg5", ProbeError.NO_BTFARG),
        ("node->^nosuch", ProbeError.NO_BTF_FIELD),
        ("node->row^[3]", ProbeError.NO_BTF_FIELD),
        ("node->byte^[0]", ProbeError.NO_BTF_FIELD),
        ("node->inner.^nosuch", ProbeError.NO_BTF_FIELD),
        ("node->^", ProbeError.NO_BTF_FIELD),
        ("node->byte.^x", ProbeError.BAD_BTF_TID),
        ("node->byte->^x", ProbeError.NO_PTR_STRCT),
        ("node->text->^x", ProbeError.BAD_BTF_TID),
        ("node^-byte", ProbeError.BAD_HYPHEN),
        ("node.^byte", ProbeError.NOSUP_DAT_ARG),
        ("node->^byte:string", ProbeError.BAD_TYPE4STR),
        ("^count:string", ProbeError.BAD_TYPE4STR),
        ("^$arg*x", ProbeError.BAD_VAR_ARGS),
        ("(^nosuch)%di->next", ProbeError.NO_PTR_STRCT),
        ("(node)%di^", ProbeError.TYPECAST_REQ_FIELD),
        ("(node,^low)%di->next", ProbeError.TYPECAST_NOT_ALIGNED),
        ("(node,next^->next)%di->next", ProbeError.TYPECAST_BAD_ARROW),
        ("(node)%di->^nosuch", ProbeError.NO_BTF_FIELD),
        ("(node)((node)((node)(^(node)%di->next)->next)->next)->next", ProbeError.TOO_MANY_NESTED),
        ("(node^", ProbeError.DEREF_OPEN_BRACE),
        ("^$retval", ProbeError.RETVAL_ON_PROBE),
        ("^$retval->x", ProbeError.RETVAL_ON_PROBE),
    ],
)
def test_what_is_wrong_is_said(text: str, error: ProbeError) -> None:
    with pytest.raises(TraceError) as refused:
        parsed(text.replace("^", ""))
    logged = refused.value.logged
    assert logged is not None and logged.text == error.value
    assert logged.position == len("p f ") + text.index("^")


PARTS = st.sampled_from(
    (
        "node", "count", "->", ".", "-", "next", "row", "[1]", "(node)", "(", ")", "%di", "low", "$arg*", "$arg1", "$retval",
        ":string", ":u8", "=",
    )
)


@given(st.lists(PARTS, max_size=9).map("".join))
def test_nothing_but_a_trace_error_comes_of_any_text(text: str) -> None:
    for where in (ENTRY, RETURN, ProbeSite(REGISTERS, types=Types())):
        try:
            parsed(text, where)
        except TraceError as error:
            assert error.logged is None or error.logged.position <= len(error.logged.command) + 1
