# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-in scsi: the contents of a command descriptor block. Its numbers are big-endian (SCSI Block Commands)."""

from __future__ import annotations

__all__ = ["scsi_trace_parse_cdb"]

_LONGEST = 32  # of a command descriptor block
_SAME_10, _SAME_16, _SAME_32 = 0x41, 0x93, 0x0D
_SIZES = {  # of READ, WRITE, VERIFY, WRITE SAME: offset and size of the address and of the length
    **dict.fromkeys((0x28, 0x2A, 0x2F, _SAME_10), (2, 4, 7, 2)),
    **dict.fromkeys((0xA8, 0xAA, 0xAF), (2, 4, 6, 4)),
    **dict.fromkeys((0x88, 0x8A, 0x8F, _SAME_16), (2, 8, 10, 4)),
}
_SERVICE_ACTIONS = {0x10: "READ_CAPACITY_16", 0x12: "GET_LBA_STATUS"}  # service actions of opcode 9Eh
_VARIABLE_LENGTH = {0x09: "READ", 0x0A: "VERIFY", 0x0B: "WRITE", _SAME_32: "WRITE_SAME"}  # service actions of opcode 7Fh


def scsi_trace_parse_cdb(block: bytes) -> str:
    """`lba=2048 txlen=8 protect=0`; `-` for a command that is not decoded."""
    block = block[:_LONGEST].ljust(_LONGEST, b"\0")

    def number(at: int, size: int) -> int:
        return int.from_bytes(block[at : at + size], "big")

    opcode = block[0]
    if opcode in (0x08, 0x0A):
        return f"lba={number(1, 3) & 0x1FFFFF} txlen={block[4]}"
    if opcode in _SIZES:
        address, address_size, length, length_size = _SIZES[opcode]
        unmap = f" unmap={block[1] >> 3 & 1}" if opcode in (_SAME_10, _SAME_16) else ""
        return f"lba={number(address, address_size)} txlen={number(length, length_size)} protect={block[1] >> 5}{unmap}"
    if opcode == 0x42:
        return f"regions={(number(7, 2) - 8 & 0xFFFFFFFF) // 16}"
    if opcode == 0x9E:
        action = _SERVICE_ACTIONS.get(block[1] & 0x1F)
        return f"{action} lba={number(2, 8)} alloc_len={number(10, 4)}" if action else "UNKNOWN"
    if opcode == 0x7F and (action := _VARIABLE_LENGTH.get(number(8, 2))):
        unmap = f" unmap={block[10] >> 3 & 1}" if number(8, 2) == _SAME_32 else ""
        tag = f"protect={block[10] >> 5} ei_lbrt={number(20, 4)}"
        return f"{action}_32 lba={number(12, 8)} txlen={number(28, 4)} {tag}{unmap}"
    return "-"
