# SPDX-License-Identifier: GPL-2.0-only
"""FILE.py:NAME: a patching protocol from a user's file."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.ftrace.sites.patching import Protocol

__all__ = ["protocol_of"]

_MODULE = "patching_protocol"  # the file's code is executed as this module


def protocol_of(text: str, folder: Path | None = None) -> str | Protocol:
    """The protocol that `text` names: a function in a file, or the name of a protocol, which is returned unchanged.

    Args:
        text: FILE.py:NAME or a name.
        folder: where a relative FILE.py is looked for. None: the current directory.

    Raises:
        ValueError: the file cannot be executed, or has no function of this name. The text is one line.
    """
    file, colon, name = text.rpartition(":")
    if not colon:
        if text.endswith(".py"):
            raise ValueError("a function's name is needed, FILE.py:NAME")
        return text
    path = (folder or Path()) / file
    try:
        function = vars(_executed(path)).get(name)
    except OSError as error:
        raise ValueError(f"cannot read {error.filename or path}: {error.strerror}") from None
    except SyntaxError as error:
        reason = " ".join(str(error.msg).split())
        raise ValueError(f"{path}{f', line {error.lineno}' if error.lineno else ''}: {reason}") from None
    if function is None:
        raise ValueError(f"{path} has no {name or 'name after the colon'}")
    if not callable(function):
        raise ValueError(f"{name} is no function")
    protocol: Protocol = function
    return protocol


def _executed(path: Path) -> ModuleType:
    """The module made by executing a file. Nothing is written next to the file."""
    module = ModuleType(_MODULE)
    module.__file__ = str(path)
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except (ValueError, MemoryError, RecursionError) as error:  # NUL bytes before Python 3.11.4, deep nesting
        raise SyntaxError(str(error)) from None
    sys.modules[_MODULE] = module  # dataclasses and other code of its classes look it up there
    try:
        exec(code, vars(module))
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        raise SyntaxError(f"{type(error).__name__}: {error}", (str(path), lines[-1], None, None)) from None
    return module
