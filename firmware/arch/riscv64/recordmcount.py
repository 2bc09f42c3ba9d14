# SPDX-License-Identifier: GPL-2.0-only
"""Make the tables of call sites in object files what the linker expects.

    recordmcount.py OBJECT ...

gcc records the places that -fpatchable-function-entry leaves, in a section for
each section of code, which would be linked in the order of the code. They get
the name of the table of call sites, and no order. A place that is no aligned
word is an error, because it could not be written at once. An object that has
its table is left as it is.
"""

import struct
import sys
from pathlib import Path

RECORDED = b"__patchable_function_entries"
TABLE = b"__mcount_loc"

# ELF64, little-endian.
SHDR = struct.Struct("<IIQQQQIIQQ")
RELA = struct.Struct("<QQq")
SHT_RELA = 4
SHF_WRITE, SHF_LINK_ORDER = 0x1, 0x80
SITE_SIZE = 4


def record(path: Path) -> None:
    """Rename the tables of one object."""
    data = bytearray(path.read_bytes())
    (headers,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    sections = [list(SHDR.unpack_from(data, headers + n * SHDR.size)) for n in range(count)]
    strings = sections[names][4]

    def name(section: list[int]) -> bytes:
        start = strings + section[0]
        return bytes(data[start : data.index(b"\0", start)])

    recorded = [n for n, section in enumerate(sections) if name(section) == RECORDED]
    for section in sections:
        if section[1] == SHT_RELA and section[7] in recorded:
            for _, _, addend in RELA.iter_unpack(data[section[4] : section[4] + section[5]]):
                if addend % SITE_SIZE:
                    sys.exit(f"{path}: the call site at {addend:#x} is not an aligned word")
    for n in recorded:
        sections[n][2] &= ~(SHF_WRITE | SHF_LINK_ORDER)
        sections[n][6] = 0  # the section of code
        SHDR.pack_into(data, headers + n * SHDR.size, *sections[n])
    # The names of their relocations end with theirs.
    start, size = strings, sections[names][5]
    table = bytes(data[start : start + size])
    data[start : start + size] = table.replace(RECORDED + b"\0", (TABLE + b"\0").ljust(len(RECORDED) + 1, b"\0"))
    path.write_bytes(data)


for argument in sys.argv[1:]:
    record(Path(argument))
