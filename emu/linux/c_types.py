# SPDX-License-Identifier: GPL-2.0-only
"""What the arguments of probes must know of a kernel's types (emu.ftrace.dynevent.c_types), by BTF."""

from __future__ import annotations

from emu.ftrace.btf import BadBtf, Btf, Encoding, Kind, Type
from emu.ftrace.dynevent.c_types import CKind, CMember, CType, Signature

__all__ = ["LinuxTypes"]

_KINDS = {
    Kind.VOID: CKind.VOID, Kind.INT: CKind.NUMBER, Kind.ENUM: CKind.ENUMERATION, Kind.ENUM64: CKind.ENUMERATION,
    Kind.PTR: CKind.POINTER, Kind.ARRAY: CKind.ARRAY, Kind.STRUCT: CKind.AGGREGATE, Kind.UNION: CKind.AGGREGATE,
}  # fmt: skip


class LinuxTypes:
    """The types of a kernel, or of one of its modules and the kernel's. `btf`: its BTF."""

    def __init__(self, btf: Btf) -> None:
        self._btf = btf

    def signature(self, function: str, *, skipped: int = 0) -> Signature | None:
        """What a function, or one of the type of a typedef, takes and returns; None if that is not known.

        Args:
            skipped: parameters that are left out at the beginning.
        """
        try:
            found = self._btf.prototype(function)
        except BadBtf:
            return None
        if found is None:
            return None
        parameters = [(name, _type(of)) for name, of in found.parameters[skipped:]]
        return Signature(parameters, _type(found.result))

    def aggregate(self, name: str) -> CType | None:
        try:
            found = _type(self._btf.type(name))
        except (LookupError, BadBtf):
            return None
        return found if found.kind is CKind.AGGREGATE else None

    def target(self, of: CType) -> CType | None:
        assert isinstance(of.known_by, Type)
        try:
            return _type(self._btf.target(of.known_by))
        except (LookupError, BadBtf):
            return None

    def member(self, of: CType, name: str) -> CMember | None:
        assert isinstance(of.known_by, Type)
        try:
            found = self._btf.member_of(of.known_by, name)
        except (LookupError, BadBtf):
            return None
        return CMember(found.offset, found.bits, _type(found.type))


def _type(of: Type) -> CType:
    return CType(_KINDS.get(of.kind, CKind.OTHER), of.size, Encoding.SIGNED in of.encoding, of)
