# SPDX-License-Identifier: GPL-2.0-only
"""The RAM of a guest that has never run, with structures in it as a small kernel's BTF describes them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from emu.ftrace.btf_types import Kind
from emu.linux import arch
from emu.linux.memory import LinuxMemory
from emu.linux.modules import ModuleState
from emu.linux.symbols import Symbols
from tests.linux.made_btf import BtfWriter
from tests.linux.made_kernels import PHYSICAL, TEXT, kallsyms, kernel_with

__all__ = ["MadeGuest"]

_RAM = 32 << 20
_LISTS = {"modules": TEXT + 0x100, "btf_modules": TEXT + 0x200}


def module_types(is_new: bool) -> BtfWriter:
    """What the kernel knows of modules: Linux 6.1's way, or 6.4's."""
    made = BtfWriter()
    integer, char, short = made.integer("unsigned int", 4), made.integer("char", 1, 3), made.integer("short", 2)
    pointer = made.add(Kind.PTR)
    links = made.aggregate(Kind.STRUCT, "list_head", 16, ("next", pointer, 0), ("prev", pointer, 64))
    name = made.add(Kind.ARRAY, "", 0, char, integer, 56)
    tables = (("num_orcs", integer, 0), ("orc_unwind_ip", pointer, 64), ("orc_unwind", pointer, 128))
    orc = made.aggregate(Kind.STRUCT, "mod_arch_specific", 24, *tables)
    made.aggregate(Kind.STRUCT, "orc_entry", 6, ("sp_offset", short, 0))
    lists = (("symtab", pointer, 0), ("num_symtab", integer, 64), ("strtab", pointer, 128), ("typetab", pointer, 192))
    made.aggregate(Kind.STRUCT, "mod_kallsyms", 32, *lists)
    made.aggregate(Kind.STRUCT, "btf", 16, ("data", pointer, 0), ("data_size", integer, 64))
    made.aggregate(Kind.STRUCT, "btf_module", 32, ("list", links, 0), ("module", pointer, 128), ("btf", pointer, 192))
    if is_new:
        part = made.aggregate(Kind.STRUCT, "module_memory", 16, ("base", pointer, 0), ("size", integer, 64))
        made.enum("mod_mem_type", ("MOD_TEXT", 0), ("MOD_DATA", 1), ("MOD_INIT_TEXT", 4))
        layouts = [("mem", made.add(Kind.ARRAY, "", 0, part, integer, 7), 640)]
    else:
        sizes = ("size", integer, 64), ("text_size", integer, 96)
        part = made.aggregate(Kind.STRUCT, "module_layout", 16, ("base", pointer, 0), *sizes)
        layouts = [("core_layout", part, 640), ("init_layout", part, 768)]
    made.aggregate(
        Kind.STRUCT, "module", 256,
        ("state", integer, 0), ("list", links, 64), ("name", name, 192), *layouts, ("arch", orc, 1536),
        ("kallsyms", pointer, 1728), ("btf_data_size", integer, 1792), ("btf_data", pointer, 1856),
        ("num_ftrace_callsites", integer, 1920), ("ftrace_callsites", pointer, 1984),
    )  # fmt: skip
    return made


class MadeGuest:
    """A guest whose kernel has two empty lists: of modules, and of their BTF. Everything is put into its direct map.

    Attributes:
        ram, symbols, btf, memory: the guest's.
    """

    def __init__(self, folder: Path, is_new: bool) -> None:
        found = [(TEXT, "T", "_text"), *((at, "d", name) for name, at in _LISTS.items()), (TEXT + 0x1000, "B", "_end")]
        others = [(TEXT + 0x2000 + 0x40 * n, "t", f"function_{n}") for n in range(300)]
        self.symbols = Symbols(kernel_with(kallsyms([*found, *others], "6.4", b""), folder))
        self.btf = module_types(is_new).btf()
        self.ram = memoryview(bytearray(_RAM))
        self.is_new = is_new
        self._next = arch.DIRECT_MAP + 0x10_0000
        for head in _LISTS.values():
            self.write(head, struct.pack("<QQ", head, head))
        self.memory = LinuxMemory(self.ram, self.symbols)

    def write(self, address: int, data: bytes) -> None:
        start = address - arch.KERNEL_HALF if address >= arch.KERNEL_HALF else address - arch.DIRECT_MAP
        assert start >= PHYSICAL or arch.DIRECT_MAP <= address < arch.KERNEL_HALF
        self.ram[start : start + len(data)] = data

    def put(self, data: bytes) -> int:
        """Puts data somewhere, and gives its address."""
        address, self._next = self._next, self._next + len(data) + -len(data) % 16 + 16
        self.write(address, data)
        return address

    def member(self, address: int, path: str, value: int) -> None:
        self.write(address + self.btf.offset(path), value.to_bytes(self.btf.size(path), "little"))

    def link(self, head: str, entry: int) -> None:
        """Adds a struct list_head at the beginning of a list."""
        at = _LISTS[head]
        self.write(entry, self.memory.read(at, 8))
        self.write(at, struct.pack("<Q", entry))

    def module(
        self,
        name: str,
        state: ModuleState,
        text: range,
        init_text: range,
        symbols: Sequence[tuple[int, str, str, int]] = (),
        sites: Sequence[int] = (),
        orc: tuple[bytes, bytes] = (b"", b""),
        btf: Mapping[str, bytes] | None = None,
    ) -> int:
        """Adds a module.

        Args:
            symbols: address, type, name and section of each.
            orc: orc_unwind_ip and orc_unwind.
            btf: the module's "own", the "kernel's" copy.
        """
        at = self.put(bytes(256))
        self.member(at, "module.state", state)
        self.write(at + self.btf.offset("module.name"), name.encode() + b"\0")
        for part, old, number in ((text, "core_layout", 0), (init_text, "init_layout", 4)):
            where = at + (self.btf.offset("module.mem") + 16 * number if self.is_new else self.btf.offset(f"module.{old}"))
            structure = "module_memory" if self.is_new else "module_layout"
            self.member(where, f"{structure}.base", part.start)
            self.member(where, f"{structure}.size" if self.is_new else f"{structure}.text_size", len(part))
        strings = b"\0" + b"".join(text.encode("utf-8", "surrogateescape") + b"\0" for _, _, text, _ in symbols)
        entries, place = bytes(24), 1
        for address, _, text_of_symbol, section in symbols:
            entries += struct.pack("<IBBHQQ", place if text_of_symbol else 0, 0, 0, section, address, 0)
            place += len(text_of_symbol.encode("utf-8", "surrogateescape")) + 1
        tables = self.put(bytes(32))
        self.member(tables, "mod_kallsyms.num_symtab", len(symbols) + 1)
        self.member(tables, "mod_kallsyms.symtab", self.put(entries))
        self.member(tables, "mod_kallsyms.strtab", self.put(strings))
        self.member(tables, "mod_kallsyms.typetab", self.put(b"?" + "".join(kind for _, kind, _, _ in symbols).encode()))
        self.member(at, "module.kallsyms", tables)
        self.member(at, "module.num_ftrace_callsites", len(sites))
        self.member(at, "module.ftrace_callsites", self.put(struct.pack(f"<{len(sites)}Q", *sites)))
        self.member(at, "module.arch.num_orcs", len(orc[0]) // 4)
        self.member(at, "module.arch.orc_unwind_ip", self.put(orc[0]))
        self.member(at, "module.arch.orc_unwind", self.put(orc[1]))
        if own := (btf or {}).get("own"):
            self.member(at, "module.btf_data", self.put(own))
            self.member(at, "module.btf_data_size", len(own))
        if copy := (btf or {}).get("kernel's"):
            entry, holder = self.put(bytes(32)), self.put(bytes(16))
            self.member(entry, "btf_module.module", at)
            self.member(entry, "btf_module.btf", holder)
            self.member(holder, "btf.data", self.put(copy))
            self.member(holder, "btf.data_size", len(copy))
            self.link("btf_modules", entry)
        self.link("modules", at + self.btf.offset("module.list"))
        return at
