# SPDX-License-Identifier: GPL-2.0-only
"""Static keys: their branches follow them under running CPUs, and tables that cannot be right are refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import unicorn

from emu.ftrace.patching import Patch, Step, Synchronise, breakpoint_synced
from emu.machine import BadImage, Machine, image_directory
from tests.lib.elf_files import ElfFile, module_file
from tests.lib.key_turns import turn_under_load

MODULE = "/lib/modules/event_cost.ko"
FIXED = "events/event_cost/event_cost_fixed/enable"
CALLS = "/sys/module/event_cost/parameters/calls"
NOPS = {"x86_64": bytes.fromhex("0f1f440000"), "sparc64": bytes.fromhex("01000000")}


def jump(arch: str, code: int, target: int) -> bytes:
    """`jmp target`, or `ba,pt %xcc, target`."""
    if arch == "x86_64":
        return b"\xe9" + (target - code - 5).to_bytes(4, "little", signed=True)
    return (0x10680000 | (target - code) // 4 & 0x7FFFF).to_bytes(4, "big")


def branches(machine: Machine) -> dict[int, list[tuple[int, int]]]:
    """Address and target of each branch, by its key: of the kernel and of modules."""
    memory, image = machine.kernel.memory, machine.kernel.image
    start, stop = image.symbol("__start___jump_table"), image.symbol("__stop___jump_table")
    size = image.size("jump_entry")
    found = defaultdict(list)
    for address, count in ((start, (stop - start) // size), *(module.jump_entries for module in machine.kernel.modules)):
        for entry in range(address, address + count * size, size):
            code, target, key = (memory.member(entry, f"jump_entry.{name}") for name in ("code", "target", "key"))
            found[key].append((code, target))
    return found


def are_on(machine: Machine, key: int) -> bool:
    """Whether the branches of a key are jumps; each of them is what the key says."""
    arch, memory = machine.board.arch.name, machine.kernel.memory
    on = bool(memory.member(key, "static_key.enabled"))
    for code, target in branches(machine)[key]:
        expected = jump(arch, code, target) if on else NOPS[arch]
        assert memory.read(code, len(expected)) == expected
    return on


def test_the_branches_of_a_key_follow_it(arch: str, protocol: str) -> None:
    with Machine(arch=arch, cpus=2, patching=protocol) as machine:
        assert machine.run(f"insmod {MODULE}").status == 0
        events = [call for call in machine.trace_array.recorder.globals.events.values() if call.key]
        assert {call.key for call in events} <= branches(machine).keys()
        some = [*events[::40], *(call for call in events if call.module)]
        machine.tracefs.mkdir("instances/other")
        for call in some:
            for folder, value, on in (("", 1, True), ("instances/other/", 1, True), ("", 0, True), ("instances/other/", 0, False)):
                machine.tracefs.write(f"{folder}events/{call.system}/{call.name}/enable", str(value))
                assert {other.path for other in some if are_on(machine, other.key)} == ({call.path} if on else set())


def test_a_key_is_on_before_its_first_branch_and_off_after_its_last(arch: str, protocol: str) -> None:
    with Machine(arch=arch, cpus=2, patching=protocol) as machine:
        key, places = max(branches(machine).items(), key=lambda item: len(item[1]))
        (call,) = (call for call in machine.trace_array.recorder.globals.events.values() if call.key == key)
        assert len(places) > 1
        seen: list[int] = []
        write = machine.board.write_code

        def watch(place: int, code: bytes) -> None:
            seen.append(machine.kernel.memory.member(key, "static_key.enabled"))
            write(place, code)

        machine.board.write_code = watch  # type: ignore[method-assign]
        for on in (1, 0):
            machine.tracefs.write(f"events/{call.system}/{call.name}/enable", str(on))
            assert len(seen) >= len(places) and set(seen) == {1}
            assert machine.kernel.memory.member(key, "static_key.enabled") == on
            seen.clear()


# CPUs that are there while a branch changes


def unhurried(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """Leaves the breakpoints for a while."""
    steps = breakpoint_synced(patches, breakpoint)
    return [*steps[: len(patches)], *[Synchronise()] * 50, *steps[len(patches) :]]


@pytest.mark.parametrize("on", [True, False], ids=["on", "off"])
def test_a_cpu_at_a_breakpoint_goes_where_the_branch_will_go(on: bool) -> None:
    with Machine(arch="x86_64", cpus=2) as machine:
        machine.run(f"insmod {MODULE}; echo 100000000 > {CALLS} & usleep 1000")
        if not on:
            machine.tracefs.write(FIXED, "1")
        machine.patching.protocol = unhurried
        entries, write = [], machine.board.write_code

        def watch(place: int, code: bytes) -> None:
            """Notes what had been recorded before the first write, which is the breakpoint, and before each other."""
            entries.append(machine.trace_array.summary().events)
            write(place, code)

        machine.board.write_code = watch  # type: ignore[method-assign]
        machine.tracefs.write(FIXED, str(int(on)))
        hits, recorded = machine.patching.breakpoints_hit, entries[-1] - entries[0]
        assert hits > 10
        assert abs(recorded - (hits if on else 0)) <= len(machine.cpus)  # each may be between branch and entry
        assert machine.warnings == []


@pytest.mark.parametrize("on", [True, False], ids=["on", "off"])
def test_a_cpu_in_the_delay_slot_goes_on_where_the_branch_went(on: bool) -> None:
    with Machine(arch="sparc64", cpus=1) as machine:
        machine.run(f"insmod {MODULE}; echo 100000000 > {CALLS} & usleep 1000")
        (module,) = machine.kernel.modules
        (call,) = (call for call in machine.trace_array.recorder.globals.events.values() if call.name == "event_cost_fixed")
        ((code, target),) = branches(machine)[call.key]
        if not on:
            machine.tracefs.write(FIXED, "1")
        (cpu,) = machine.board.cpus
        while cpu.pc != code + 4:
            cpu.step()
        gone_to = []
        for place in (code + 8, target):
            cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, lambda uc, address, size, data: gone_to.append(address), None, place, place)
        cpu.uc.ctl_flush_tb()
        machine.tracefs.write(FIXED, str(int(on)))
        machine.advance(10_000)
        assert gone_to[0] == (code + 8 if on else target)
        assert set(gone_to[1:]) == {target if on else code + 8}


def test_keys_are_turned_under_load(arch: str, protocol: str) -> None:
    with Machine(arch=arch, cpus=4, patching=protocol) as machine:
        turn_under_load(machine, turns=50)


# Tables that cannot be right


def pointer(name: str) -> tuple[str, int]:
    return name, 1 << 40


Damage = Callable[[ElfFile, Callable[[str], int]], None]
EVENT, OTHER = "event_event_cost_string", "event_event_cost_fixed"


def shifted(member: str) -> Damage:
    """A pointer of an event leads nowhere."""

    def damage(file: ElfFile, offset: Callable[[str], int]) -> None:
        section, start = file.symbol(EVENT)
        file.move_pointer(section, start + offset(f"trace_event_call.{member}"), 1 << 40)

    return damage


def of_size(size: int) -> Damage:
    def damage(file: ElfFile, offset: Callable[[str], int]) -> None:
        section, start = file.symbol(EVENT)
        file.set_number(section, start + offset("trace_event_call.size"), size)

    return damage


def named_alike(file: ElfFile, offset: Callable[[str], int]) -> None:
    section, start = file.symbol(EVENT)
    name = offset("trace_event_call.name")
    file.copy_pointer(section, start + name, file.symbol(OTHER)[1] + name)


def jump_entry(member: str, distance: int) -> Damage:
    def damage(file: ElfFile, offset: Callable[[str], int]) -> None:
        file.move_pointer("__jump_table", offset(f"jump_entry.{member}"), distance)

    return damage


DAMAGES: dict[str, Damage] = {
    "a branch without a nop": jump_entry("code", 8),
    "a branch outside the module": jump_entry("code", 1 << 24),
    "a branch nowhere": jump_entry("code", 1 << 40),
    "a target outside the module": jump_entry("target", 1 << 24),
    "a key nowhere": jump_entry("key", 1 << 40),
    "a branch twice": lambda file, offset: file.copy_pointer("__jump_table", 0, 24),
    "an event nowhere": lambda file, offset: file.move_pointer("_ftrace_events", 0, 1 << 40),
    **{f"an event's {member} nowhere": shifted(member) for member in ("system", "name", "print_fmt", "fields", "key")},
    "fields beyond the entry": of_size(8),
    "an entry beyond a page": of_size(4020),
    "two events of one name": named_alike,
}


def test_a_module_that_cannot_be_right_is_not_loaded(arch: str, tmp_path: Path) -> None:
    with Machine(arch=arch, cpus=1, shares=[f"{tmp_path}:/mnt"]) as machine:
        events = machine.trace_array.recorder.globals.events
        before = dict(events), branches(machine)
        for what, damage in DAMAGES.items():
            file = module_file(arch, "event_cost")
            damage(file, machine.kernel.image.offset)
            file.write_to(tmp_path / "event_cost.ko")
            done = machine.run("insmod /mnt/event_cost.ko")
            assert done.output.endswith(b"Invalid module format\n"), what
            assert (dict(events), branches(machine)) == before and not list(machine.kernel.modules), what
            machine.tracefs.write("events/enable", "1")  # also turns what might have been kept
            machine.tracefs.write("events/enable", "0")
        assert machine.run(f"insmod {MODULE}").status == 0
        assert machine.warnings == []
