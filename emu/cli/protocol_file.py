# SPDX-License-Identifier: GPL-2.0-only
"""--patching FILE.py:NAME: a patching protocol from a file of the user's own."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from emu.ftrace.patching import Protocol

__all__ = ["protocol_of"]

_MODULE = "patching_protocol"  # the file's code is executed as this module


def protocol_of(text: str) -> str | Protocol:
    """What the option asks for: a function of a file, or the name of a protocol as it is.

    Raises:
        click.ClickException: the file cannot be executed, or no function of it is named.
    """
    file, colon, name = text.rpartition(":")
    if not colon:
        if text.endswith(".py"):
            raise _failed(text, "a function's name is needed, FILE.py:NAME")
        return text
    try:
        function = getattr(_executed(Path(file)), name)
    except OSError as error:
        raise _failed(text, f"cannot read {error.filename or file}: {error.strerror}") from None
    except SyntaxError as error:
        raise _failed(text, f"{file}{f', line {error.lineno}' if error.lineno else ''}: {error.msg}") from None
    except AttributeError:
        raise _failed(text, f"{file} has no {name or 'name after the colon'}") from None
    if not callable(function):
        raise _failed(text, f"{name} is no function")
    protocol: Protocol = function
    return protocol


def _executed(path: Path) -> ModuleType:
    """The module that a file's code makes; nothing is written beside the file."""
    module = ModuleType(_MODULE)
    module.__file__ = str(path)
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except ValueError as error:  # a NUL byte; since Python 3.11.4 a SyntaxError, too
        raise SyntaxError(str(error)) from None
    sys.modules[_MODULE] = module  # its classes look for it there
    try:
        exec(code, vars(module))
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        raise SyntaxError(f"{type(error).__name__}: {error}", (str(path), lines[-1], None, None)) from None
    return module


def _failed(text: str, why: str) -> click.ClickException:
    return click.ClickException(f"--patching {text}: {why}")
