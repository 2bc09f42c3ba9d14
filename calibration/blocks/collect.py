# SPDX-License-Identifier: GPL-2.0-only
"""Collects bodies of blocks: those that the guest executes, and those in the functions of this machine's programs.

    ./venv python -m calibration collect
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import capstone
from elftools.elf.elffile import ELFFile

from calibration.blocks.bodies import body_of, disassembler, is_special
from calibration.blocks.special import special_blocks
from calibration.stored import columns_text
from emu import Machine
from emu.cpu.timing import BlockCost
from emu.cpu.timing.static import StaticModel

__all__ = ["BODIES", "all_bodies", "collect", "digest", "stored_bodies"]

BODIES = Path(__file__).parent / "bodies.json"
_KERNEL = 1 << 63  # addresses from here on are in the kernel
_COMMANDS = [
    "ls -l /bin | sed s/[aeiou]/z/g | sort -r | uniq -c | head", "dd if=/dev/zero of=/tmp/zeroes bs=512 count=400",
    "for i in 1 2 3; do cp /bin/sh /tmp/sh$i; done; ls -l /tmp; rm /tmp/sh*", "ps", "hackbench -p -g 1 -f 3 -l 5", "pingpong 20",
    "wc /bin/true; hexdump -C /bin/true | tail", "seq 1 500 | grep -c 7.*3", "mkdir -p /tmp/a/b; ls /tmp/*", "threads", "signals",
    "modprobe ext2; dd if=/dev/zero of=/dev/ram0 bs=1024 count=64; cat /proc/meminfo /proc/interrupts", "timers",
    "echo 1 > /proc/sys/kernel/printk; sleep 0.01; cat /proc/self/maps; mount",
    "cd /sys/kernel/tracing; echo function > current_tracer; ls / > /dev/null; head -20 trace; echo nop > current_tracer",
]  # fmt: skip
_PROGRAMS = {  # of this machine, and how many of their blocks to take
    "/usr/bin/python3": 250, "/lib/x86_64-linux-gnu/libc.so.6": 250, "/bin/bash": 150, "/lib/x86_64-linux-gnu/libm.so.6": 150,
}  # fmt: skip
_MOST_KERNEL, _MOST_GUEST_PROGRAMS = 1300, 400


def _guest_blocks() -> dict[bytes, int]:
    """The blocks that a guest executes while it boots and runs some commands, and their addresses."""
    found: dict[bytes, int] = {}
    block = StaticModel.block

    def noting(model: StaticModel, code: bytes, address: int) -> BlockCost:
        found.setdefault(code, address)
        return block(model, code, address)

    with patch.object(StaticModel, "block", noting), Machine(arch="x86_64", cpus=2, seed=0) as machine:
        for command in _COMMANDS:
            machine.run(command)
    return found


def _program_blocks(path: Path) -> Iterator[tuple[bytes, int]]:
    """The basic blocks of the functions that an executable or a library exports, and their addresses."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        text = elf.get_section_by_name(".text")
        begin, data = text["sh_addr"], text.data()
        for symbol in elf.get_section_by_name(".dynsym").iter_symbols():
            offset = symbol["st_value"] - begin
            if symbol["st_info"]["type"] in ("STT_FUNC", "STT_GNU_IFUNC") and 0 <= offset < len(data) and symbol["st_size"]:
                yield from _cut(data[offset : offset + symbol["st_size"]], symbol["st_value"])


def _cut(code: bytes, address: int) -> Iterator[tuple[bytes, int]]:
    """Cuts code into blocks: a block ends where control flow leaves it, or enters the next one."""
    ends, branches = {address}, (capstone.CS_GRP_JUMP, capstone.CS_GRP_CALL, capstone.CS_GRP_RET)
    for insn in disassembler().disasm(code, address):
        if any(insn.group(group) for group in branches):
            ends.add(insn.address + insn.size)
            if insn.group(capstone.CS_GRP_JUMP) and insn.operands[0].type == capstone.x86.X86_OP_IMM:
                ends.add(insn.operands[0].imm)
    marks = [*sorted(end for end in ends if address <= end < address + len(code)), address + len(code)]
    for first, last in pairwise(marks):
        yield code[first - address : last - address], first


def _bodies(blocks: Iterable[tuple[bytes, int]]) -> list[bytes]:
    """The bodies of blocks, each once, in an order that is independent of their addresses."""
    found = sorted({body for code, address in blocks if (body := body_of(code, address)) is not None})
    random.Random(1).shuffle(found)
    return found


def collect() -> Path:
    """Stores bodies by origin: `kernel`, `programs`; and `special`, including those written by hand."""
    guest = _guest_blocks()
    kernel = _bodies((code, address) for code, address in guest.items() if address & _KERNEL)
    programs = _bodies((code, address) for code, address in guest.items() if not address & _KERNEL)
    special = list(dict.fromkeys(special_blocks())) + [body for body in kernel + programs if is_special(body)]
    origins = {
        "kernel": [body for body in kernel if not is_special(body)][:_MOST_KERNEL],
        "programs": [body for body in programs if not is_special(body)][:_MOST_GUEST_PROGRAMS],
    }
    for path, most in _PROGRAMS.items():
        origins["programs"] += [body for body in _bodies(_program_blocks(Path(path))) if not is_special(body)][:most]
    origins["special"] = special
    seen: set[bytes] = set()
    text = {}
    for origin, bodies in origins.items():
        text[origin] = [body.hex() for body in dict.fromkeys(bodies) if body not in seen]
        seen |= set(bodies)
    BODIES.write_text(f"{{\n  {columns_text(text)}\n}}\n")
    return BODIES


def stored_bodies() -> dict[str, list[bytes]]:
    """The bodies that `collect` has stored."""
    return {origin: [bytes.fromhex(body) for body in bodies] for origin, bodies in json.loads(BODIES.read_text()).items()}


def all_bodies() -> list[bytes]:
    """The stored bodies in one list; measurements are stored in its order."""
    return [code for bodies in stored_bodies().values() for code in bodies]


def digest() -> str:
    """Eight hexadecimal digits that identify the stored bodies, in whatever lines."""
    return hashlib.sha256(json.dumps(json.loads(BODIES.read_text())).encode()).hexdigest()[:8]
