# SPDX-License-Identifier: GPL-2.0-only
"""Inconsistent tables of static keys and of events: the kernel does not boot, or a module is not loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.kernel import arch as kernel_arch
from emu.kernel.image import read_image
from emu.machine import BadImage, Machine, image_directory
from tests.lib.elf_files import ElfFile, module_file

NOWHERE = 1 << 40  # an address outside the kernel
MEMBERS = ("system", "name", "print_fmt", "fields", "key")  # pointers of struct trace_event_call
LONGEST_TEXT = 1 << 15


# In the kernel: its first events, and the first branch of its table


def damaged_image(arch: str, what: str) -> ElfFile:
    directory = image_directory(arch)
    image = read_image(directory / "vmlinux", machine=kernel_arch.load(arch).elf_machine)
    file = ElfFile((directory / "vmlinux").read_bytes())
    table = image.symbol("__start_ftrace_events")
    event, other = file.word(table), file.word(table + 8)
    branch = image.symbol("__start___jump_table")

    def member(name: str) -> int:
        return event + image.offset(f"trace_event_call.{name}")

    match what:
        case "no nop":
            file.set_word(file.word(branch), 0, size=1)
        case "branch twice":
            file.set_word(branch + image.size("jump_entry"), file.word(branch))
        case "branch" | "key of a branch":
            file.set_word(branch + image.offset(f"jump_entry.{'code' if what == 'branch' else 'key'}"), NOWHERE)
        case "event":
            file.set_word(table, NOWHERE)
        case "align":
            file.set_word(file.word(member("fields")) + image.offset("trace_event_field.align"), 3, size=4)
        case "element":
            file.set_word(file.word(member("fields")) + image.offset("trace_event_field.element"), 0, size=4)
        case "no end":
            text = image.symbol("_text")
            file.data[file.at(text) : file.at(text) + LONGEST_TEXT] = b"x" * LONGEST_TEXT
            file.set_word(member("name"), text)
        case "one name":
            for name in ("system", "name"):
                file.set_word(member(name), file.word(member(name) - event + other))
        case "size":
            file.set_word(member(what), 8)
        case _:
            file.set_word(member(what), NOWHERE)
    return file


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("no nop", "the branch at .* holds 00 "),
        ("branch twice", "a branch is named twice"),
        *[(what, "address 0x10[0-9a-f]{9} is not the kernel's") for what in ("branch", "key of a branch", "event", *MEMBERS)],
        ("align", "the fields at .* are aligned at 3 bytes"),
        ("element", "the field .* in numbers of 0"),
        ("size", r"the fields of \w+:\w+ take"),
        ("no end", "the string at .* has no end"),
        ("one name", r"there are two events \w+:\w+"),
    ],
)
def test_an_image_that_cannot_be_right_is_refused(arch: str, tmp_path: Path, what: str, said: str) -> None:
    with pytest.raises(BadImage, match=said):
        Machine(arch=arch, cpus=1, image=damaged_image(arch, what).write_to(tmp_path / "vmlinux"))


# In a module: the first branch of event_cost, and one of its events


def damaged_module(machine: Machine, what: str) -> ElfFile:
    offset = machine.kernel.image.offset
    file = module_file(machine.board.arch.name, "event_cost")
    section, event = file.symbol("event_event_cost_string")
    _, other = file.symbol("event_event_cost_fixed")

    def member(name: str) -> int:
        return event + offset(f"trace_event_call.{name}")

    match what:
        case "no nop":
            file.move_pointer("__jump_table", offset("jump_entry.code"), 4)
        case "branch outside" | "target outside":
            file.move_pointer("__jump_table", offset(f"jump_entry.{'code' if what == 'branch outside' else 'target'}"), 1 << 24)
        case "branch nowhere" | "key of a branch nowhere":
            name = "code" if what == "branch nowhere" else "key"
            file.set_pointer("__jump_table", offset(f"jump_entry.{name}"), NOWHERE)
        case "branch twice":
            file.copy_pointer("__jump_table", 0, machine.kernel.image.size("jump_entry"))
        case "event":
            file.set_pointer("_ftrace_events", 0, NOWHERE)
        case "small" | "large":
            file.set_number(section, member("size"), 8 if what == "small" else 4020)
        case "no end":
            text = machine.board.arch.direct_map + machine.board.memory // 2
            machine.kernel.memory.write(text, b"x" * LONGEST_TEXT)
            file.set_pointer(section, member("print_fmt"), text)
        case "one name":
            file.copy_pointer(section, member("name"), member("name") - event + other)
        case _:
            file.set_pointer(section, member(what), NOWHERE)
    return file


def test_a_module_that_cannot_be_right_is_not_loaded(arch: str, tmp_path: Path) -> None:
    with Machine(arch=arch, cpus=1, shares=[f"{tmp_path}:/mnt"]) as machine:
        events = machine.trace_array.recorder.globals.events
        before = dict(events)
        for what in (
            "no nop", "branch outside", "target outside", "branch nowhere", "key of a branch nowhere", "branch twice",
            "event", *MEMBERS, "small", "large", "no end", "one name",
        ):  # fmt: skip
            damaged_module(machine, what).write_to(tmp_path / "event_cost.ko")
            done = machine.run("insmod /mnt/event_cost.ko")
            assert done.output.endswith(b"Invalid module format\n"), what
            assert dict(events) == before and not list(machine.kernel.modules), what
            machine.tracefs.write("events/enable", "1")  # would also switch a branch that has been kept
            machine.tracefs.write("events/enable", "0")
        assert machine.run("insmod /lib/modules/event_cost.ko").status == 0
        assert machine.warnings == []
