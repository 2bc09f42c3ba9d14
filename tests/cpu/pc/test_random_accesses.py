# SPDX-License-Identifier: GPL-2.0-only
"""Whatever a guest writes to a PC's devices, ports and registers, the host goes on; and the same seed gives the same run."""

from __future__ import annotations

import hashlib
import random
import struct

import pytest

from tests.cpu.pc.bare_pc import APIC, CODE, IO_APIC, MEMORY, RESULTS, STACKS, BarePc

ACCESSES = 0x400000  # the code
PER_CPU = 0x200000
PORTS = (*range(0x20, 0x22), 0x40, 0x61, 0x70, 0x71, 0x71, *range(0x2F8, 0x300), *range(0x3F8, 0x400), *range(0x5FF, 0x608))
MSRS = (
    0x10, 0x1B, 0x3B, 0x48, 0x49, 0x10A, 0x10B, 0x1A0, 0x6E0, 0x6E0, 0xC000_0103, 0x174, 0x175, 0x176, 0x1D9, 0x200, 0x20F, 0x277,
    0x2FF, 0x400, 0x404, 0xC000_0081, 0xC000_0082, 0xC000_0084, 0xC000_0102,
)  # fmt: skip
# Unicorn's own registers with which a guest can only harm itself: they switch long mode off, or move segments
NOT_WRITTEN = (0xC000_0080, 0xC000_0100, 0xC000_0101)
RESET_OR_OFF = (0x600, 0x606)
COMMAND, INIT = 0x300, 5
INPUT_PERIOD = 2000  # cycles
REGISTERS = (0x80, 0xB0, 0xD0, 0xE0, 0xF0, 0x280, 0x300, 0x310, 0x320, 0x350, 0x370, 0x380, 0x390, 0x3E0)


def number(source: random.Random, size: int) -> int:
    """Mostly a number with few bits, or many."""
    bits = 8 * size
    return source.choice((source.getrandbits(bits), source.getrandbits(8), 0, (1 << bits) - 1, 1 << source.randrange(bits)))


def load(register: int, value: int) -> bytes:
    """mov of 32 bits into EAX (0), ECX, EDX or EBX."""
    return bytes([0xB8 + register]) + struct.pack("<I", value & 0xFFFF_FFFF)


EAX, ECX, EDX, EBX = range(4)
SUM = b"\x01\xc7"  # add edi, eax: what is read becomes part of the result


def access(source: random.Random) -> bytes:
    """The code of one access."""
    size = source.choice((1, 2, 4))
    prefix = b"\x66" if size == 2 else b""
    wide = 0 if size == 1 else 1
    value = load(EAX, number(source, size))
    kind = source.random()
    if kind < 0.45:  # memory: mov [rbx], eax; mov eax, [rbx]
        window = source.choice((APIC, APIC, IO_APIC))
        chosen = source.choice(REGISTERS) if window == APIC else source.choice((0, 0x10))
        offset = chosen if source.random() < 0.8 else source.randrange(0x1000 - size + 1)
        if source.random() < 0.6:
            written = number(source, 4)
            if offset == COMMAND and written >> 8 & 7 == INIT and source.random() < 0.95:
                written &= ~(INIT << 8)  # a CPU that is off accesses nothing
            value = load(EAX, written)
            return value + load(EBX, window + offset) + prefix + bytes([0x88 + wide, 0x03])
        return load(EAX, 0) + load(EBX, window + offset) + prefix + bytes([0x8A + wide, 0x03]) + SUM
    if kind < 0.8:  # ports: out dx, eax; in eax, dx
        port = source.choice(PORTS) if source.random() < 0.7 else source.getrandbits(16)
        if source.random() < 0.5 and not RESET_OR_OFF[0] - size < port <= RESET_OR_OFF[1]:
            return value + load(EDX, port) + prefix + bytes([0xEE + wide])
        return load(EAX, 0) + load(EDX, port) + prefix + bytes([0xEC + wide]) + SUM
    register = source.choice(MSRS) if source.random() < 0.7 else number(source, 4)
    if kind < 0.88 and register not in NOT_WRITTEN:
        return load(EAX, number(source, 4)) + load(EDX, number(source, 4)) + load(ECX, register) + b"\x0f\x30"  # wrmsr
    if kind < 0.95:
        return load(ECX, register) + b"\x0f\x32" + SUM  # rdmsr
    leaf = source.choice((number(source, 4), source.randrange(0x20), 0x8000_0000 + source.randrange(0x20)))
    return load(EAX, leaf) + load(ECX, number(source, 1)) + b"\x0f\xa2" + SUM  # cpuid


def run(seed: int, cpus: int, count: int) -> tuple[list[int], list[int], str]:
    """Random accesses on each CPU. Returns clocks, states and a digest of RAM and of what has been sent."""
    source = random.Random(seed)
    pc = BarePc(cpus, quantum=500, seed=seed)
    for n in range(cpus):
        code = b"".join(access(source) + (b"\xeb\x00" if source.random() < 0.3 else b"") for _ in range(count))
        assert len(code) < PER_CPU
        pc.bytes(ACCESSES + n * PER_CPU, code + bytes.fromhex("faf4"))
        pc.load(f"xor edi, edi; sti; mov eax, {ACCESSES + n * PER_CPU:#x}; jmp rax", n)
    for vector in (6, 8, 13, 14):
        pc.handle(vector, "cli; hlt")
    pc.bytes(0x8000, bytes.fromhex("fbf4ebfc"))  # where a start-up message may lead: sti; hlt, again and again
    for n in range(cpus):
        pc.begin(n)
    digest = hashlib.sha256()
    for limit in range(INPUT_PERIOD, 30 * count + 100_000, INPUT_PERIOD):
        pc.board.limit = limit
        while pc.moment():
            pass
        for port in pc.pc.serial:
            digest.update(port.take())
            if source.random() < 0.5 and port.room > 8:
                port.give(b"input")
    digest.update(pc.board.ram)
    return pc.clocks(), [cpu.record.status for cpu in pc.board.cpus], digest.hexdigest()


@pytest.mark.parametrize("cpus", [1, 3])
@pytest.mark.parametrize("seed", range(10, 20))
def test_random_accesses(seed: int, cpus: int) -> None:
    assert run(seed, cpus, 10_000) == run(seed, cpus, 10_000)


def test_places_do_not_overlap() -> None:
    assert max(CODE, STACKS, RESULTS) < ACCESSES
    assert ACCESSES + 3 * PER_CPU < MEMORY
