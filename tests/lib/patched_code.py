# SPDX-License-Identifier: GPL-2.0-only
"""The contents of the guest's memory at call sites and at branches of static keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from emu.machine import Machine

__all__ = ["NOPS", "Branches", "branches", "calls", "jump", "keys_on"]

NOPS = {"x86_64": bytes.fromhex("0f1f440000"), "sparc64": bytes.fromhex("01000000"), "riscv64": bytes.fromhex("13000000")}
GP_PAGE = 4096  # on RISC-V, gp points to the beginning of a page with the trampolines


def jump(arch: str, code: int, target: int) -> bytes:
    """`jmp target`, `ba,a,pt %xcc, target`, or `jal zero, target`."""
    if arch == "x86_64":
        return b"\xe9" + (target - code - 5).to_bytes(4, "little", signed=True)
    if arch == "riscv64":
        bits = f"{(target - code) & 0x1FFFFF:021b}"  # from bit 20 down; bit 0 is not stored
        return int(bits[0] + bits[10:20] + bits[9] + bits[1:9] + f"{0x6F:012b}", 2).to_bytes(4, "little")
    return (0x30680000 | (target - code) // 4 & 0x7FFFF).to_bytes(4, "big")


def call(arch: str, site: int, target: int) -> bytes:
    """`call target`, or `jalr t0, target - gp(gp)`."""
    if arch == "x86_64":
        return b"\xe8" + (target - site - 5).to_bytes(4, "little", signed=True)
    if arch == "riscv64":
        return int(f"{target % GP_PAGE:012b}" + f"{3:05b}" + "000" + f"{5:05b}" + f"{0x67:07b}", 2).to_bytes(4, "little")
    return (0x40000000 | (target - site) // 4 & 0x3FFFFFFF).to_bytes(4, "big")


def calls(machine: Machine) -> set[int]:
    """The sites that are calls. Checks that the others are nops, and that each call has the target that its site claims."""
    arch, sites = machine.board.arch.name, machine.ftrace.sites
    found = set()
    for site, target in zip(sites.addresses.tolist(), sites.targets.tolist(), strict=True):
        code = machine.kernel.memory.read(site, len(NOPS[arch]))
        if code != NOPS[arch]:
            assert code == call(arch, site, target)
            found.add(site)
    return found


Branches = Mapping[int, Sequence[tuple[int, int]]]


def branches(machine: Machine) -> Branches:
    """The address and target of each branch, by static key: of the kernel and of modules."""
    memory, image = machine.kernel.memory, machine.kernel.image
    layout = image.structure("jump_entry", ("code", "target", "key"))
    start, stop = image.symbol("__start___jump_table"), image.symbol("__stop___jump_table")
    tables = [(start, stop - start)]
    tables += [(table, count * layout.itemsize) for table, count in (module.jump_entries for module in machine.kernel.modules)]
    found = defaultdict(list)
    for address, size in tables:
        for code, target, key in np.frombuffer(memory.read(address, size), layout).tolist():
            found[key].append((code, target))
    return found


def keys_on(machine: Machine, keys: Branches) -> set[int]:
    """The keys that are on. Checks that the branches of each match its state."""
    arch, memory = machine.board.arch.name, machine.kernel.memory
    found = set()
    for key, places in keys.items():
        on = memory.member(key, "static_key.enabled")
        for code, target in places:
            assert memory.read(code, len(NOPS[arch])) == (jump(arch, code, target) if on else NOPS[arch])
        if on:
            found.add(key)
    return found
