# SPDX-License-Identifier: GPL-2.0-only
"""Notices when a Linux guest loads and unloads modules, and when it frees code that it needs no longer."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.linux import arch
from emu.linux.modules import Module, Modules
from emu.linux.symbols import Symbols

__all__ = ["ModuleLoads"]


class ModuleLoads:
    """Calls functions of the host's.

    Args:
        board: the guest's board.
        modules: reads its modules.
        symbols: its kernel's symbols.
        came: called with a module before any of its code is executed.
        initialised: called with a module's name when its initialisation code is freed; "" stands for the kernel.
        gone: called with a module's name.
    """

    def __init__(
        self,
        board: Board,
        modules: Modules,
        symbols: Symbols,
        *,
        came: Callable[[Module], None],
        initialised: Callable[[str], None],
        gone: Callable[[str], None],
    ) -> None:
        self._modules, self._came, self._initialised, self._gone = modules, came, initialised, gone
        self._known: dict[int, Module] = {}
        for module in reversed(modules.loaded()):
            self._add(module)
        handlers = {
            "do_init_module": self._init_module, "do_free_init": self._free_init, "free_module": self._free_module,
            "free_initmem": self._free_initmem,
        }  # fmt: skip
        for name, handler in handlers.items():
            if (address := symbols.address(name)) is not None:
                board.callouts.notice(address, board.python_handler(handler))

    def _add(self, module: Module) -> None:
        self._known[module.address] = module
        self._came(module)

    def _init_module(self, cpu: Cpu, address: int) -> None:
        """do_init_module(module): it is complete, and about to be initialised."""
        self._add(self._modules.read_module(arch.argument(cpu, 0)))

    def _free_init(self, cpu: Cpu, address: int) -> None:
        """do_free_init(work): the initialisation code of modules is freed, some time after they were initialised."""
        for module in self._known.values():
            self._initialised(module.name)

    def _free_module(self, cpu: Cpu, address: int) -> None:
        """free_module(module)"""
        module = self._known.pop(arch.argument(cpu, 0), None)
        if module is not None:
            self._gone(module.name)

    def _free_initmem(self, cpu: Cpu, address: int) -> None:
        """free_initmem(): the kernel has booted."""
        self._initialised("")
