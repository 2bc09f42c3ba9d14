# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-in kvm: exits, emulated instructions, and page tables of a guest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from emu.trace.event_table import EventTable
from emu.trace.lines import Piece, Texts, texts_of
from emu.trace.report.context import ReportContext
from emu.trace.report.plugins.fields import decimal, hexadecimal, shown, unsigned
from emu.trace.report.plugins.kvm_exits import EXITS

__all__ = ["KVM_NEEDS", "KVM_TEXTS", "is_writable_pte"]

_INTEL = 1  # a value of `isa`, also assumed for kernels without that field
_ACCESS = ("---", "--x", "w--", "w-x", "-u-", "-ux", "wu-", "wux")


def _reason(table: EventTable, name: str) -> list[Piece]:
    """`reason HLT`"""
    isa = unsigned(table, "isa") if table.has_number("isa") else np.full(table.count, _INTEL, np.uint64)
    pairs, which = np.unique(np.stack([isa, unsigned(table, name)], axis=1), axis=0, return_inverse=True)
    return [Texts([f"reason {_exit_name(*pair)}" for pair in pairs.tolist()], which.reshape(-1))]


def _exit_name(isa: int, number: int) -> str:
    if isa not in EXITS:
        return "UNKNOWN-ISA"
    return EXITS[isa].get(number, f"UNKNOWN ({number})")


def _exit(table: EventTable) -> list[Piece]:
    infos = all(table.has_number(name) for name in ("info1", "info2"))
    info = shown(table, " info ", ("info1", hexadecimal), " ", ("info2", hexadecimal)) if infos else []
    return [*_reason(table, "exit_reason"), *shown(table, " rip 0x", ("guest_rip", hexadecimal)), *info]


def _entry(table: EventTable) -> list[Piece]:
    return shown(table, " vcpu ", ("vcpu_id", decimal), " rip 0x", ("rip", hexadecimal))


def _nested_exit_inject(table: EventTable) -> list[Piece]:
    return [
        *_reason(table, "exit_code"),
        *shown(
            table, " info1 ", ("exit_info1", hexadecimal), " info2 ", ("exit_info2", hexadecimal),
            " int_info ", ("exit_int_info", hexadecimal), " int_info_err ", ("exit_int_info_err", hexadecimal),
        ),
    ]  # fmt: skip


def _nested_exit(table: EventTable) -> list[Piece]:
    return [*shown(table, " rip ", ("rip", hexadecimal)), *_nested_exit_inject(table)]


def _emulated(table: EventTable) -> list[Piece]:
    """`0:ffffffff81000010: 0f 01 d9 FAIL`"""
    lengths, failed = unsigned(table, "len"), unsigned(table, "failed") != 0
    [insn] = [field for field in table.call.fields if field.name == "insn"]
    which, contents = table.declared_ranges(insn).distinct()
    codes = [contents[code][:length].hex(" ") for code, length in zip(which.tolist(), lengths.tolist(), strict=True)]
    return [
        *shown(table, ("csbase", hexadecimal), ":", ("rip", hexadecimal), ": "),
        Texts(codes, np.arange(table.count)), Texts(["", " FAIL"], failed),
    ]  # fmt: skip


def _role(word: int) -> str:
    """The bits of a `union kvm_mmu_page_role`, from the lowest on: level, PAE, quadrant, direct, access, ..."""

    def bit(place: int) -> int:
        return word >> place & 1

    def words() -> Iterator[str]:
        yield f"{word & 0xF} q{word >> 5 & 3}{' direct' * bit(7)}"
        yield f"{_ACCESS[word >> 8 & 7]}{' invalid' * bit(11)}"
        yield from (f"{'' if bit(place) else '!'}{name}" for place, name in ((4, "pae"), (12, "nxe"), (13, "wp")))
        yield from (name for place, name in ((14, "smep"), (15, "smap")) if bit(place))
        if word >> 24:
            yield "smm"

    return " ".join(words())


def _page(context: ReportContext, table: EventTable) -> list[Piece]:
    """`3 q0 direct wux !pae !nxe !wp root 1 sync`. The bit order on machines with the other byte order is unknown."""
    roles = unsigned(table, "role") & np.uint64(0xFFFFFFFF)
    role = texts_of(roles, "WORD: {:08x}".format if context.words.swapped else _role)
    root = shown(table, " root ", ("root_count", decimal), " ")
    return [role, *root, Texts(["sync", "unsync"], unsigned(table, "unsync") != 0)]


def _new_page(context: ReportContext, table: EventTable) -> list[Piece]:
    made = Texts(["existing", "new"], unsigned(table, "created") != 0)
    frame = shown(table, " sp gfn ", ("gfn", hexadecimal), " ")
    return [made, *frame, *_page(context, table)]


def is_writable_pte(entry: int) -> int:
    """The writable bit of a page table entry."""
    return entry & 2


_MMU = ("role", "root_count", "unsync")
_NESTED = ("exit_code", "exit_info1", "exit_info2", "exit_int_info", "exit_int_info_err")
_PAGES = ("kvm_mmu_sync_page", "kvm_mmu_unsync_page", "kvm_mmu_zap_page", "kvm_mmu_prepare_zap_page")

KVM_TEXTS: Mapping[str, Callable[[ReportContext, EventTable], list[Piece]]] = {
    "kvm:kvm_exit": lambda _, table: _exit(table),
    "kvm:kvm_entry": lambda _, table: _entry(table),
    "kvm:kvm_emulate_insn": lambda _, table: _emulated(table),
    "kvm:kvm_nested_vmexit": lambda _, table: _nested_exit(table),
    "kvm:kvm_nested_vmexit_inject": lambda _, table: _nested_exit_inject(table),
    "kvmmmu:kvm_mmu_get_page": _new_page,
    **{f"kvmmmu:{name}": _page for name in _PAGES},
}

KVM_NEEDS: Mapping[str, tuple[str, ...]] = {  # number fields
    "kvm:kvm_exit": ("exit_reason", "guest_rip"),
    "kvm:kvm_entry": ("vcpu_id", "rip"),
    "kvm:kvm_emulate_insn": ("rip", "csbase", "len", "flags", "failed"),
    "kvm:kvm_nested_vmexit": ("rip", *_NESTED),
    "kvm:kvm_nested_vmexit_inject": _NESTED,
    "kvmmmu:kvm_mmu_get_page": ("created", "gfn", *_MMU),
    **{f"kvmmmu:{name}": _MMU for name in _PAGES},
}
