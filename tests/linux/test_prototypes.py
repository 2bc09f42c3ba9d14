# SPDX-License-Identifier: GPL-2.0-only
"""What functions take, by made BTF."""

from __future__ import annotations

import pytest

from emu.ftrace.btf_types import Kind
from emu.ftrace.text.prototypes import BtfPrototypes
from emu.ftrace.text.view import Parameter, ParameterKind
from tests.linux.made_btf import BtfWriter, some_types

NUMBER, POINTER, UNKNOWN, OTHER = ParameterKind.NUMBER, ParameterKind.POINTER, ParameterKind.UNKNOWN, ParameterKind.OTHER


def test_every_kind_of_type() -> None:
    made = BtfWriter()
    integer, boolean = made.integer("int", 4, 1), made.integer("_Bool", 1, 4)
    state, wide = made.enum("state", ("ON", 1)), made.enum("wide", ("LARGE", 1 << 40), size=8)
    time = made.aggregate(Kind.STRUCT, "timespec64", 16, ("tv_sec", integer, 0))
    either = made.aggregate(Kind.UNION, "sockptr_t", 12, ("kernel", integer, 0))
    real = made.add(Kind.FLOAT, "double", 8)
    pointer = made.add(Kind.PTR, "", made.add(Kind.CONST, "", integer))
    modified = made.add(Kind.CONST, "", made.add(Kind.TYPEDEF, "loff_t", integer))
    user = made.add(Kind.TYPE_TAG, "user", pointer)
    kinds = {
        "i": integer, "b": boolean, "e": state, "w": wide, "t": time, "u": either, "d": real, "p": pointer, "m": modified,
        "tag": made.add(Kind.RESTRICT, "", user), "v": 0,
    }  # fmt: skip
    made.function("f", integer, *kinds.items())
    assert BtfPrototypes(made.btf()).parameters("f", "") == [
        ("i", NUMBER, "", 0), ("b", NUMBER, "", 0), ("e", NUMBER, "", 0), ("w", OTHER, "ENUM64", 8), ("t", OTHER, "STRUCT", 16),
        ("u", OTHER, "UNION", 12), ("d", OTHER, "FLOAT", 8), ("p", POINTER, "", 0), ("m", NUMBER, "", 0), ("tag", POINTER, "", 0),
        ("v", UNKNOWN, "", 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        ("printk", [Parameter("format", POINTER), Parameter("", UNKNOWN)]),  # more may follow
        ("nothing", []),
        ("unheard_of", None),
        ("task_struct", None),
    ],
)
def test_functions(function: str, parameters: list[Parameter] | None) -> None:
    assert BtfPrototypes(some_types().btf()).parameters(function, "") == parameters


def module_with(base: BtfWriter, parameter: str) -> bytes:
    module = BtfWriter(base)
    module.function("vfs_read", 0, (parameter, 1))
    return module.data()


def test_a_module_s_own_come_first() -> None:
    base = some_types()
    prototypes = BtfPrototypes(base.btf())
    prototypes.add("ext4", module_with(base, "mine"))
    assert prototypes.parameters("vfs_read", "ext4") == [Parameter("mine", NUMBER)]
    assert prototypes.parameters("nothing", "ext4") == [], "of the kernel's BTF"
    in_kernel = prototypes.parameters("vfs_read", "")
    assert in_kernel is not None and in_kernel[0] == Parameter("file", POINTER)
    assert prototypes.parameters("vfs_read", "without_btf") == in_kernel
    prototypes.add("ext4", module_with(base, "again"))  # another build was loaded
    assert prototypes.parameters("vfs_read", "ext4") == [Parameter("again", NUMBER)]
    assert set(prototypes.data()) == {"", "ext4"}


def test_a_module_with_damaged_btf() -> None:
    base = some_types()
    prototypes = BtfPrototypes(base.btf())
    prototypes.add("ext4", b"nonsense")
    assert prototypes.parameters("vfs_read", "ext4") == prototypes.parameters("vfs_read", "")
