# SPDX-License-Identifier: GPL-2.0-only
"""Notices when a Linux guest loads and unloads modules, and when it frees code that it needs no longer.

It does so where Linux's own ftrace is told, so functions come and go at the same instants in both.
"""

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
        handlers = (
            (("ftrace_module_enable", "do_init_module"), self._coming),
            (("ftrace_free_mem", "free_initmem"), self._init_freed),
            (("ftrace_release_mod", "free_module"), self._going),
        )
        for names, handler in handlers:
            address = next((place for name in names if (place := symbols.address(name)) is not None), None)
            if address is not None:
                board.callouts.notice(address, board.python_handler(handler))

    def look_again(self) -> None:
        """The guest is in another state: other modules may be loaded."""
        loaded = {module.address: module for module in reversed(self._modules.loaded())}
        for address, module in list(self._known.items()):
            now = loaded.get(address)
            if now is None or (now.name, now.text) != (module.name, module.text):
                self._remove(address)
        for address, module in loaded.items():
            if address not in self._known:
                self._add(module)

    def _add(self, module: Module) -> None:
        self._known[module.address] = module
        self._came(module)

    def _remove(self, address: int) -> None:
        module = self._known.pop(address, None)
        if module is not None:
            self._gone(module.name)

    def _coming(self, cpu: Cpu, address: int) -> None:
        """ftrace_module_enable(module): its parameters are set after this, perhaps by functions of its own. Its BTF comes later.

        A kernel without ftrace has do_init_module(module).
        """
        self._add(self._modules.read_module(arch.argument(cpu, 0)))

    def _init_freed(self, cpu: Cpu, address: int) -> None:
        """ftrace_free_mem(module, start, end): its initialisation code is needed no longer. The kernel's own module is 0.

        A kernel without ftrace has free_initmem(), whose argument register is not looked at; it keeps functions of modules.
        """
        module = self._known.get(arch.argument(cpu, 0))
        self._initialised(module.name if module is not None else "")

    def _going(self, cpu: Cpu, address: int) -> None:
        """ftrace_release_mod(module), also when it could not be initialised. A kernel without ftrace has free_module(module)."""
        self._remove(arch.argument(cpu, 0))
