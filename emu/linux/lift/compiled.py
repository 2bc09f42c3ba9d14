# SPDX-License-Identifier: GPL-2.0-only
"""Compiles lifted functions for the host."""

from __future__ import annotations

import functools
from collections.abc import Callable

import llvmlite.binding as binding
import llvmlite.ir as ir

from emu.native.cache import Untyped

__all__ = ["Compiler"]

_OPTIMISED = 2


@functools.cache
def _target() -> Untyped:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    triple = binding.get_process_triple()
    return binding.Target.from_triple(triple).create_target_machine(cpu=binding.get_host_cpu_name(), opt=_OPTIMISED, jit=True)


class Compiler:
    """Compiles functions, which stay as long as this object does."""

    def __init__(self) -> None:
        self._engines: list[Untyped] = []

    def compile(self, make: Callable[[ir.Module], None], names: list[str]) -> list[int]:
        """The addresses of functions that `make` adds to a module."""
        module = ir.Module("lifted")
        make(module)
        parsed = binding.parse_assembly(str(module))
        parsed.triple = binding.get_process_triple()
        parsed.verify()
        machine = _target()
        builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=_OPTIMISED))
        builder.getModulePassManager().run(parsed, builder)
        engine = binding.create_mcjit_compiler(parsed, machine)
        engine.finalize_object()
        self._engines.append(engine)
        return [engine.get_function_address(name) for name in names]
