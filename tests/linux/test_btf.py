# SPDX-License-Identifier: GPL-2.0-only
"""What BTF says: of made types, and of a real kernel as its guest and bpftool tell it."""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from emu.ftrace.btf import BadBtf, BitField, Btf, Encoding, Kind, Type
from emu.linux.image import read_kernel
from emu.linux.kernel_btf import NoBtf, kernel_btf
from emu.linux.machine import LinuxMachine
from tests.lib.needs import needs
from tests.linux.made_btf import BtfWriter, some_types
from tests.linux.made_kernels import TEXT, kallsyms, kernel_with

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

MADE = some_types()
BTF = MADE.btf()
DATA = MADE.data()


def shown(found: Type) -> tuple[str, str, int, Encoding]:
    return found.kind.name, found.name, found.size, found.encoding


def test_members() -> None:
    members = [f"task_struct.{name}" for name in ("thread_info", "thread_info.cpu", "pid", "comm", "parent")]
    assert [(BTF.offset(path), BTF.size(path)) for path in members] == [(0, 16), (8, 4), (16, 4), (24, 16), (56, 8)]
    assert (BTF.size("task_struct"), BTF.size("pid_t"), BTF.size("unsigned long"), BTF.size("task_t")) == (72, 4, 8, 72)


def test_structures_without_a_name_are_looked_into_in_their_order() -> None:
    assert [BTF.offset(f"task_struct.{name}") for name in ("first", "exit_state", "exit_word")] == [40, 48, 48]


def test_bit_fields() -> None:
    assert BTF.bit_field("task_struct.in_execve") == BitField(161, 1)
    assert BTF.bit_field("task_struct.in_iowait") == BitField(162, 5)
    assert BTF.bit_field("task_struct.pid") == BitField(128, 32)
    for ask in (BTF.offset, BTF.size):
        with pytest.raises(LookupError, match=r"^task_struct\.in_execve is a bit field$"):
            ask("task_struct.in_execve")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("nosuch.pid", "there is no type 'nosuch'"), ("", "there is no type ''"), ("pid.x", "there is no type 'pid'"),
        ("task_struct.nosuch", "struct task_struct has no member 'nosuch'"),
        ("task_struct.", "struct task_struct has no member ''"),
        ("task_struct.pid.x", "int has no member 'x'"), ("task_struct.parent.pid", "a type of kind ptr has no member 'pid'"),
        ("task\0struct.pid", r"there is no type 'task\x00struct'"),
        ("task_struct.comm.x", "a type of kind array has no member 'x'"),
        ("state.RUNNING", "enum state has no member 'RUNNING'"), ("ask_struct.pid", "there is no type 'ask_struct'"),
    ],
)  # fmt: skip
def test_what_is_not_there(path: str, why: str) -> None:
    with pytest.raises(LookupError) as refused:
        BTF.offset(path if "." in path else f"{path}.x")
    assert (str(refused.value), BTF.has(path)) == (why, False)


def test_what_is_there() -> None:
    assert all(BTF.has(path) for path in ("task_struct", "task_struct.in_execve", "task_struct.exit_word", "pid_t", "_Bool"))


def test_types() -> None:
    assert shown(BTF.type("pid_t")) == ("INT", "int", 4, Encoding.SIGNED)
    assert shown(BTF.type("char")) == ("INT", "char", 1, Encoding.SIGNED | Encoding.CHAR)
    assert shown(BTF.type("double")) == ("FLOAT", "double", 8, Encoding.NONE)
    assert shown(BTF.type("restart")) == ("ENUM", "restart", 4, Encoding.SIGNED)
    assert shown(BTF.type("wide")) == ("ENUM64", "wide", 8, Encoding.NONE)
    comm, rows = BTF.member("task_struct.comm").type, BTF.member("table.rows").type
    assert (shown(comm), shown(BTF.target(comm))[1]) == (("ARRAY", "", 16, Encoding.NONE), "char")
    assert (rows.size, BTF.target(rows).size, BTF.size("table.rows")) == (24, 12, 24)
    parent = BTF.target(BTF.member("task_struct.parent").type)
    assert (shown(parent)[:2], BTF.member_of(parent, "thread_info.cpu").offset) == (("STRUCT", "task_struct"), 64)
    with pytest.raises(LookupError, match=r"^int is neither a pointer nor an array$"):
        BTF.target(BTF.type("int"))


def test_enumerators() -> None:
    expected = {
        "RUNNING": 0, "DEAD": 0xFFFF_FFFE, "RESTART": -3, "LARGE": 1 << 40, "LARGEST": (1 << 64) - 1, "SMALLEST": -(1 << 40),
        "state": None, "RUNN": None, "": None, "pid": None,
    }  # fmt: skip
    assert {name: BTF.enumerator(name) for name in expected} == expected


def test_prototypes() -> None:
    read = BTF.prototype("vfs_read")
    assert read is not None and not read.is_variadic
    assert [(name, *shown(found)) for name, found in read.parameters] == [
        ("file", "PTR", "", 8, Encoding.NONE),
        ("count", "INT", "unsigned long", 8, Encoding.NONE),
        ("wait", "INT", "_Bool", 1, Encoding.BOOL),
        ("pid", "INT", "int", 4, Encoding.SIGNED),
    ]
    assert (read.result.name, BTF.target(read.parameters[0][1]).name) == ("unsigned long", "char")
    assert BTF.prototype("btf_trace_wakeup") == read
    printk, nothing = BTF.prototype("printk"), BTF.prototype("nothing")
    assert printk and ([name for name, _ in printk.parameters], printk.is_variadic) == (["format"], True)
    assert nothing and (nothing.parameters, nothing.result.kind, nothing.is_variadic) == ([], Kind.VOID, False)
    assert [BTF.prototype(name) for name in ("task_struct", "pid_t", "task_t", "nosuch")] == [None] * 4


def of_module() -> BtfWriter:
    """A structure with a kernel's inside; one that has the name of the kernel's; a function that takes the kernel's."""
    made = BtfWriter(MADE)
    task, long = BTF.type("task_struct").number, BTF.type("unsigned long").number
    made.aggregate(Kind.STRUCT, "module_data", 80, ("pid", long, 0), ("task", task, 64), ("module_data", long, 640))
    made.aggregate(Kind.STRUCT, "table", 8, ("columns", long, 0))
    made.function("module_read", 0, ("task", made.add(Kind.PTR, "", task)))
    made.enum("", ("MODULE_MODE", 7))
    return made


def test_a_module_has_its_own_types_and_the_kernels() -> None:
    btf = Btf.split(BTF, of_module().data())
    assert (btf.offset("module_data.task.pid"), btf.offset("module_data.pid"), btf.size("module_data")) == (24, 0, 80)
    assert btf.offset("task_struct.pid") == 16
    assert [btf.has(path) for path in ("table.columns", "table.rows")] == [True, False]
    assert [btf.enumerator(name) for name in ("MODULE_MODE", "RESTART")] == [7, -3]
    read = btf.prototype("module_read")
    assert read and btf.target(read.parameters[0][1]) == BTF.type("task_struct")
    assert btf.prototype("vfs_read") == BTF.prototype("vfs_read")
    assert not BTF.has("module_data") and BTF.enumerator("MODULE_MODE") is None


# Damage


def ask_everything(btf: Btf) -> None:
    """Asks of each type, in all ways; what is not there is no damage."""
    for name in (
        "task_struct", "thread_info", "table", "state", "pid_t", "_Bool", "unknown", "vfs_read", "printk", "btf_trace_wakeup",
        "wide", "module_data", "double", "task_t", "module_read",
    ):  # fmt: skip
        for member in ("pid", "comm", "parent", "rows", "exit_word", "thread_info.cpu", "nosuch"):
            for ask in (btf.has, btf.offset, btf.size, btf.bit_field, lambda path: btf.target(btf.member(path).type)):
                try:
                    ask(f"{name}.{member}")
                except (BadBtf, LookupError) as error:
                    assert "\n" not in str(error) and str(error)
        for look in (btf.prototype, btf.enumerator, btf.size):
            try:
                look(name)
            except (BadBtf, LookupError) as error:
                assert "\n" not in str(error) and str(error)


FLIPS = st.lists(st.tuples(st.integers(0, len(DATA) + 400), st.integers(1, 255)), min_size=1, max_size=6)


@given(FLIPS)
@example([(0, 1)])
@example([(2, 1)])
def test_damage_is_bad_btf(flips: list[tuple[int, int]]) -> None:
    data, module = bytearray(DATA), bytearray(of_module().data())
    for at, change in flips:
        target, place = (data, at) if at < len(data) else (module, (at - len(data)) % len(module))
        target[place] ^= change
    try:
        base = Btf(bytes(data))
    except BadBtf as error:
        assert "\n" not in str(error)
        return
    ask_everything(base)
    try:
        ask_everything(Btf.split(base, bytes(module)))
    except BadBtf as error:
        assert "\n" not in str(error)


def test_truncated_btf_is_bad_btf() -> None:
    for length in range(len(DATA)):
        with pytest.raises(BadBtf):
            Btf(DATA[:length])


def types_that_contain_themselves() -> Iterator[BtfWriter]:
    for kind in (Kind.TYPEDEF, Kind.CONST):
        made = BtfWriter()
        made.add(kind, "endless" if kind == Kind.TYPEDEF else "", made.add(Kind.TYPEDEF, "endless", 2))
        yield made
    made = BtfWriter()
    made.add(Kind.TYPEDEF, "endless", made.add(Kind.ARRAY, "", 0, 1, 1, 2))
    yield made


def test_types_that_contain_themselves() -> None:
    for made in types_that_contain_themselves():
        with pytest.raises(BadBtf, match="leads to itself"):
            made.btf().size("endless")
    made = BtfWriter()
    made.aggregate(Kind.STRUCT, "endless", 8, *(("", 2, 0) for _ in range(30)))
    made.aggregate(Kind.STRUCT, "", 8, *(("", 2, 0) for _ in range(30)))
    assert not made.btf().has("endless.nosuch")


# Kernels


def test_btf_is_found_between_its_symbols(tmp_path: Path, cache: Path) -> None:
    symbols = [(TEXT + 0x40 * n, "t", f"function_{n}") for n in range(300)]
    places = [(TEXT + 0x10000, "R", "__start_BTF"), (TEXT + 0x10000 + len(DATA), "R", "__stop_BTF")]
    kernel = kernel_with(kallsyms([*symbols, *places], "6.4", bytes(0x10000) + DATA), tmp_path)
    assert bytes(kernel_btf(kernel).data) == DATA


def test_a_kernel_without_btf(tmp_path: Path, cache: Path) -> None:
    symbols = [(TEXT + 0x40 * n, "t", f"function_{n}") for n in range(300)]
    for data in (bytes(100), kallsyms(symbols, "6.4", bytes(0x10000))):
        with pytest.raises(NoBtf, match=r"^\S+/vmlinux: the kernel has no types \(CONFIG_DEBUG_INFO_BTF\)$"):
            kernel_btf(kernel_with(data, tmp_path))


def test_a_kernel_with_damaged_btf(tmp_path: Path, cache: Path) -> None:
    symbols = [(TEXT, "R", "__start_BTF"), (TEXT + len(DATA), "R", "__stop_BTF")]
    symbols += [(TEXT + 0x10000 + 0x40 * n, "t", f"function_{n}") for n in range(300)]
    with pytest.raises(BadBtf, match=r"^\S+/vmlinux: no BTF of version 1: it begins with 0xeb9e, 1$"):
        kernel_btf(kernel_with(kallsyms(symbols, "6.4", struct.pack("<H", 0xEB9E) + DATA[2:].ljust(0x10000, b"\0")), tmp_path))


@pytest.fixture(scope="session")
def real_btf(real_kernel: Path) -> Btf:
    return kernel_btf(read_kernel(real_kernel))


def test_it_is_what_the_guest_has(shared: LinuxMachine, real_btf: Btf) -> None:
    digest = shared.run("sha256sum < /sys/kernel/btf/vmlinux").output.split()[0].decode()
    assert digest == hashlib.sha256(real_btf.data).hexdigest()


@pytest.mark.long("reads a hundred thousand types as text")
@needs("bpftool")
def test_it_says_what_bpftool_says(real_btf: Btf, tmp_path: Path) -> None:
    """Of each structure with a name that is there once, each member; of each such function, its parameters."""
    path = tmp_path / "vmlinux.btf"
    path.write_bytes(real_btf.data)
    told = subprocess.run(["bpftool", "-j", "btf", "dump", "file", path], capture_output=True, check=True)
    types: dict[int, dict[str, Any]] = {found["id"]: found for found in json.loads(told.stdout)["types"]}
    assert len(types) == len(real_btf._table) - 1
    names: dict[str, int] = {}
    for found in types.values():
        if found["kind"] in ("STRUCT", "UNION", "FUNC"):
            names[found["name"]] = names.get(found["name"], 0) + 1
    checked = 0
    for found in types.values():
        name = found.get("name", "(anon)")
        if name == "(anon)" or names.get(name) != 1:
            continue
        if found["kind"] in ("STRUCT", "UNION"):
            assert real_btf.size(name) == found["size"]
            for member in found["members"]:
                if member["name"] != "(anon)":
                    known = real_btf.member(f"{name}.{member['name']}")
                    assert (known.offset, known.bits) == (member["bits_offset"], member.get("bitfield_size", 0))
                    checked += 1
        elif found["kind"] == "FUNC":
            prototype, expected = real_btf.prototype(name), types[found["type_id"]]
            assert prototype is not None
            parameters = [p["name"] for p in expected["params"] if p["type_id"]]
            assert [text or "(anon)" for text, _ in prototype.parameters] == parameters
            checked += 1
    assert checked > 50_000
