# SPDX-License-Identifier: GPL-2.0-only
"""What the functions of a kernel and of its modules take, by their BTF, as the text of traces needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from emu.ftrace.btf import BadBtf, Btf, Kind, Type
from emu.ftrace.text.view import Parameter, ParameterKind

__all__ = ["BtfPrototypes"]

_KINDS = {
    Kind.INT: ParameterKind.NUMBER, Kind.ENUM: ParameterKind.NUMBER, Kind.PTR: ParameterKind.POINTER,
    Kind.VOID: ParameterKind.UNKNOWN,
}  # fmt: skip


class BtfPrototypes:
    """The prototypes, by the functions' names. Those of modules that are gone stay: a trace is often read later.

    Args:
        kernel: the kernel's BTF.
    """

    def __init__(self, kernel: Btf) -> None:
        self._kernel = kernel
        self._data: dict[str, bytes | memoryview] = {}
        self._modules: dict[str, Btf] = {}
        self._known: dict[tuple[str, str], Sequence[Parameter] | None] = {}

    def add(self, module: str, data: bytes | memoryview) -> None:
        """Adds a module, which may have been there before, and its BTF."""
        self._data[module] = data
        self._modules.pop(module, None)
        self._known = {key: found for key, found in self._known.items() if key[1] != module}

    def data(self) -> Mapping[str, bytes | memoryview]:
        """The BTF of the kernel, named "", and of the modules."""
        return {"": self._kernel.data, **self._data}

    def parameters(self, function: str, module: str) -> Sequence[Parameter] | None:
        """See Prototypes. A function that only the kernel's BTF knows may be any of that name, as in Linux."""
        key = function, module
        if key not in self._known:
            self._known[key] = _parameters(self.btf(module), function)
        return self._known[key]

    def btf(self, module: str) -> Btf:
        """A module's BTF; the kernel's, if it has none of its own or that is damaged."""
        if module not in self._data:
            return self._kernel
        if module not in self._modules:
            try:
                self._modules[module] = Btf.split(self._kernel, self._data[module])
            except BadBtf:
                self._modules[module] = self._kernel
        return self._modules[module]


def _parameters(btf: Btf, function: str) -> Sequence[Parameter] | None:
    try:
        prototype = btf.prototype(function)
    except BadBtf:
        return None
    if prototype is None:
        return None
    found = [_parameter(name, type_) for name, type_ in prototype.parameters]
    return [*found, Parameter("", ParameterKind.UNKNOWN)] if prototype.is_variadic else found


@cache
def _parameter(name: str, type_: Type) -> Parameter:
    kind = _KINDS.get(type_.kind, ParameterKind.OTHER)
    return Parameter(name, kind, type_.kind.name, type_.size) if kind is ParameterKind.OTHER else Parameter(name, kind)
