# SPDX-License-Identifier: GPL-2.0-only
"""The Python files of a beginning port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from emu.port import seam
from emu.port.skeleton.machine import Machine
from emu.port.skeleton.python_class import import_lines, stub_class

__all__ = ["python_files"]

_LICENCE = "# SPDX-License-Identifier: GPL-2.0-only\n"
_FUTURE = "from __future__ import annotations\n\n"
_BASE = 0xFFFF_8000_0000_0000  # where all of RAM is mapped, unless the port changes it


class _Class(NamedTuple):
    """A module with one class, and an object of it."""

    place: str
    of: str
    known_as: str  # the object
    about: str


_CLASSES = (
    _Class("emu/cpu/arch/ARCH/__init__.py", "emu.cpu.arch.CpuArch", "ARCH", "{} CPUs."),
    _Class("emu/kernel/arch/ARCH.py", "emu.kernel.arch.KernelArch", "ARCH", "{} kernels."),
    _Class("emu/ftrace/arch/ARCH.py", "emu.ftrace.arch.FtraceArch", "ARCH", "{} call sites."),
    _Class("emu/ftrace/arch/ARCH_probing.py", "emu.ftrace.arch.probing.Probing", "PROBING", "Kprobes on {}."),
    _Class("emu/gdb/arch/ARCH.py", "emu.gdb.arch.GdbArch", "ARCH", "Registers of {} for a debugger."),
    _Class("emu/race/litmus/arch/ARCH.py", "emu.race.litmus.arch.LitmusArch", "ARCH", "Litmus tests on {}."),
    _Class(
        "emu/port/ladder/arch/ARCH.py", "emu.port.ladder.arch.AssemblerTemplates", "TEMPLATES", "Programs for bare boards of {}."
    ),
)

_MODULES = {
    "emu/ftrace/native/arch/ARCH.py": "The {} callbacks.",
    "emu/ftrace/native/arch/ARCH_unwind.py": "Unwinds {} stacks.",
    "emu/ftrace/native/arch/ARCH_user.py": "Unwinds the stacks of {} programs.",
    "emu/ftrace/native/arch/ARCH_rethook.py": "Return probes on {}.",
    "emu/ftrace/native/arch/ARCH_probe.py": "Kprobes on {}.",
    "emu/ftrace/native/arch/ARCH_uprobe.py": "Uprobes on {}.",
}


def python_files(machine: Machine) -> Iterator[tuple[str, str]]:
    """The path in the checkout and the text of each file whose names are known from the abstract classes."""
    for one in _CLASSES:
        yield one.place.replace("ARCH", machine.arch), _class_module(one, machine)
    for place, about in _MODULES.items():
        yield place.replace("ARCH", machine.arch), _native_module(place, about.format(machine.arch), machine.arch)


def class_name(arch: str) -> str:
    return "".join(word.capitalize() for word in arch.split("_"))


def _values(of: str, machine: Machine) -> Mapping[str, str]:
    """What is known of a class's attributes."""
    known = {
        "CpuArch": {
            "byte_order": f'"{machine.byte_order}"', "page_size": str(machine.page_size), "max_cpus": "128",
            "direct_map": _hex(_BASE), "kernel_map": _hex(_BASE), "unicorn_mode": f"({', '.join(machine.unicorn)})",
            "vectors": "range(1, 16)", "cycles": "{}", "syntax": "capstone.CS_OPT_SYNTAX_DEFAULT", "instruction_alignment": "4",
        },
        "KernelArch": {
            "elf_machine": f'"{machine.elf}"', "page_table": "None", "boot_params": str(machine.page_size), "trap_entry": "None",
        },
        "FtraceArch": {
            "cpu": "CPU", "cycle_clock": f'"{machine.arch}-cycles"', "profiler": '"_mcount"', "return_offset": "0",
            "breakpoint": "None", "direct_calls": "False", "targets_by_name": "False", "protocols": '("stop_machine",)',
        },
        "LitmusArch": {"language": f'"an instruction of {machine.arch}"', "aliases": "{}", "words": "frozenset()"},
    }  # fmt: skip
    found = {"name": f'"{machine.arch}"', "capstone_mode": f"({', '.join(machine.capstone)})"}
    if machine.keystone is not None:
        found["keystone_mode"] = f"({', '.join(machine.keystone)})"
    return found | known.get(of.rpartition(".")[2], {})


def _hex(value: int) -> str:
    text = f"{value:016X}"
    return "0x" + "_".join(text[n : n + 4] for n in range(0, 16, 4))


def _bodies(of: str, machine: Machine) -> Mapping[str, str]:
    """Methods that may stay as they are."""
    if of.endswith(".CpuArch"):
        return {
            "repair": "pass  # no error of Unicorn's is known",
            "reset_page": 'return b""',
            "layout": "return state.layout()",
            "program_counters": 'return state.OFFSETS["pc"], state.OFFSETS["pc"]',
        }
    if of.endswith(".FtraceArch") and machine.keystone is not None:
        return {"keystone_mode": f"import keystone  # imported when needed\n\nreturn {', '.join(machine.keystone)}"}
    return {}


_MORE = {
    "FtraceArch": """
    def compiled(self, address: int, profiler: int) -> bytes:
        return self.nop  # -fpatchable-function-entry makes room for a call, and no call
""",
}
"""Methods that differ from those of the abstract class, because of the compiler's options in the port's Makefile."""


def _class_module(one: _Class, machine: Machine) -> str:
    imports: set[str] = set()
    values = _values(one.of, machine)
    bodies = _bodies(one.of, machine)
    text = stub_class(machine.arch, class_name(machine.arch), one.of, values, bodies, imports)
    text += _MORE.get(one.of.rpartition(".")[2], "")
    for tool in ("unicorn", "capstone", "keystone"):
        if f"{tool}." in text and f"import {tool}  " not in text:
            imports.add(tool)
    if "state." in text:
        imports.add(f"emu.cpu.arch.{machine.arch}.state")
    if " = CPU" in text:
        imports.add(f"emu.cpu.arch.{machine.arch}.ARCH as CPU")
    head = f'{_LICENCE}"""{one.about.format(machine.arch)}"""\n\n{_FUTURE}{import_lines(imports)}\n\n'
    end = f"\n\n{one.known_as} = {class_name(machine.arch)}()\n"
    return f'{head}__all__ = ["{one.known_as}"]\n\n\n{text}{end}'


def _native_module(place: str, about: str, arch: str) -> str:
    """A module without anything: what is asked of it refuses."""
    known = [part for part in seam.parts() if part.place == place]
    functions = {part.name.rpartition(".")[2]: part for part in known if part.name.startswith("ftrace.native.")}
    members = [part.name for part in known if part.name not in {function.name for function in functions.values()}]
    table = "{\n" + "".join(f'    "{name}": "{part.name}",\n' for name, part in functions.items()) + "}"
    said = "\n".join(f"# {part.declaration or name}" for name, part in functions.items())
    if members:
        said += f"\n# build() makes {', '.join(members)}."
    return (
        f'{_LICENCE}"""{about}"""\n\n{_FUTURE}from emu.port.stub import NotWritten\n\n'
        f"{said}\n\n_NOT_WRITTEN = {table}\n\n\n"
        "def __getattr__(name: str) -> object:\n"
        '    """Called for what is not here yet."""\n'
        "    if name in _NOT_WRITTEN:\n"
        f'        raise NotWritten("{arch}", _NOT_WRITTEN[name])\n'
        "    raise AttributeError(name)\n"
    )

