# SPDX-License-Identifier: GPL-2.0-only
"""Compiles lifted functions for the host, and loads what was compiled."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import llvmlite.binding as binding
import llvmlite.ir as ir

from emu.native.cache import Untyped

__all__ = ["Compiler"]

_OPTIMISED = 2


@functools.cache
def _target() -> Untyped:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_triple(binding.get_process_triple())


def _target_machine() -> Untyped:
    """Each engine frees its own. Addresses of the host may be anywhere, so code has them as 64 bits."""
    return _target().create_target_machine(
        cpu=binding.get_host_cpu_name(), opt=_OPTIMISED, jit=True, codemodel="large"
    )


class Compiler:
    """Makes functions, which stay as long as this object does.

    Args:
        symbols: the addresses of the host that they use, by their symbols.
    """

    def __init__(self, symbols: Mapping[str, int]) -> None:
        self._symbols = symbols
        self._engines: list[Untyped] = []

    def compile(self, modules: Sequence[ir.Module]) -> bytes:
        """The machine code of modules, for `load`, and for another process on the same kind of CPU."""
        first, *others = (binding.parse_assembly(str(module)) for module in modules)
        for other in others:
            first.link_in(other)
        first.triple = binding.get_process_triple()
        first.verify()
        machine = _target_machine()
        builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=_OPTIMISED))
        builder.getModulePassManager().run(first, builder)
        code: bytes = machine.emit_object(first)
        return code

    def load(self, code: bytes, names: Sequence[str]) -> list[Untyped]:
        """The addresses of functions in machine code, for the fields of records."""
        empty = binding.parse_assembly("")
        empty.triple = binding.get_process_triple()
        engine = binding.create_mcjit_compiler(empty, _target_machine())
        for symbol, address in self._symbols.items():  # they are the process's; another machine has others
            binding.add_symbol(symbol, address)
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        self._engines.append(engine)
        return [engine.get_function_address(name) for name in names]
