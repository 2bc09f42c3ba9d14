# SPDX-License-Identifier: GPL-2.0-only
"""Compiles lifted functions for the host."""

from __future__ import annotations

import functools
from collections.abc import Sequence

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
    """Each engine frees its own."""
    return _target().create_target_machine(cpu=binding.get_host_cpu_name(), opt=_OPTIMISED, jit=True)


class Compiler:
    """Compiles functions, which stay as long as this object does."""

    def __init__(self) -> None:
        self._engines: list[Untyped] = []

    def compile(self, modules: Sequence[ir.Module], names: Sequence[str]) -> list[Untyped]:
        """The addresses of functions in modules, for the fields of records."""
        first, *others = (binding.parse_assembly(str(module)) for module in modules)
        for other in others:
            first.link_in(other)
        first.triple = binding.get_process_triple()
        first.verify()
        machine = _target_machine()
        builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=_OPTIMISED))
        builder.getModulePassManager().run(first, builder)
        engine = binding.create_mcjit_compiler(first, machine)
        engine.finalize_object()
        self._engines.append(engine)
        return [engine.get_function_address(name) for name in names]
