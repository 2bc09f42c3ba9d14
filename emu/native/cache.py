# SPDX-License-Identifier: GPL-2.0-only
"""The disk cache of compiled functions, which is never stale.

Functions are cached in groups: a group is the module that defines them. Its compiled code can depend on the module's
source, on the sources of all modules of emu that it imports, directly or indirectly, and on the compilers' versions.
A hash of these is the group's fingerprint, and part of its directory's name: an edit recompiles exactly the groups
that can depend on it.

    ~/.cache/emu/emu.cpu.native.turns-0f63fb6bd2ec2e1f/run-5d3a1ae6e08a7b2d.nbc

numba's own cache checks only the time of one file. It never finds a function that closes over a compiled one,
because each process gives compiled functions new identities. Here a function is identified by names and values.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import pickle
import re
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from llvmlite import binding
from numba.core import serialize, types
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys

__all__ = ["Cache", "Sources", "Untyped", "cache_directory", "fingerprint", "imported"]

Untyped = Any  # of numba or llvmlite, which have no type annotations

# Parsing every source would take longer than everything else that the cache does. A test compares the results of these
# expressions with those of Python's own parser.
_FOR_TYPE_CHECKERS = re.compile(r"^if TYPE_CHECKING:\n(?:(?:[ \t].*)?\n)+", re.MULTILINE)
_COMMENT = re.compile("#.*")
_IMPORT = re.compile(r"^[ \t]*(?:from (emu[.\w]*) import (\([^)]*\)|.*)|import (emu[.\w]*))", re.MULTILINE)


def imported(text: str) -> Iterator[tuple[str, str]]:
    """(module, name) of each import from emu in a source, except those for type checkers. "" means the whole module."""
    for module, names, whole in _IMPORT.findall(_FOR_TYPE_CHECKERS.sub("", text)):
        if whole:
            yield whole, ""
        for name in _COMMENT.sub("", names).strip("()").split(","):
            if name.strip():
                yield module, name.split()[0]


class Sources:
    """The sources of emu below a folder, with the dependencies of each source's compiled code."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._digests: dict[str, bytes] = {}
        self._imports: dict[str, set[str]] = {}

    def _find(self, module: str, name: str) -> str | None:
        """The source of a module, or of its submodule `name` if there is one; None if the module does not exist."""
        place = f"{self._root}/{module.replace('.', '/')}"
        found = (f"{place}.py", f"{place}/{name}.py", f"{place}/{name}/__init__.py", f"{place}/__init__.py")
        return next(filter(os.path.isfile, found), None)

    def _read(self, path: str) -> None:
        """Records a source's digest, including its path, and its imports."""
        with open(path, "rb") as file:
            data = file.read()
        self._digests[path] = hashlib.sha256(os.path.relpath(path, self._root).encode() + b"\0" + data).digest()
        found = {self._find(module, name) for module, name in imported(data.decode())}
        self._imports[path] = {path for path in found if path is not None}

    def behind(self, path: str) -> set[str]:
        """A source, and those that it imports, directly or indirectly."""
        found, todo = {path}, [path]
        while todo:
            source = todo.pop()
            if source not in self._imports:
                self._read(source)
            new = self._imports[source] - found
            found |= new
            todo += new
        return found

    def fingerprint(self, path: str) -> str:
        """16 digits that identify a source, its imports, and the versions of the compilers."""
        behind = b"".join(sorted(self._digests[source] for source in self.behind(path)))
        return hashlib.sha256(behind + _versions()).hexdigest()[:16]


@functools.cache
def _versions() -> bytes:
    packages = [f"{name} {importlib.metadata.version(name)}" for name in ("unicorn", "numba", "llvmlite", "numpy")]
    return "\n".join([*packages, sys.version]).encode()


_sources = Sources(Path(__file__).resolve().parents[2])


@functools.cache
def fingerprint(source: str) -> str:
    """16 digits that identify a source of emu, its imports, and the versions of the compilers."""
    return _sources.fingerprint(os.path.realpath(source))


@functools.cache
def cache_directory() -> Path | None:
    """`$EMU_CACHE_DIR`, `$XDG_CACHE_HOME/emu` or `~/.cache/emu`; None if there is no home directory."""
    if root := os.environ.get("EMU_CACHE_DIR"):
        return Path(root)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "emu"
    except RuntimeError:
        _complain("without a home directory")
        return None


@functools.cache
def _complain(where_and_why: str) -> None:
    """Warns once: numba changes Python's warning filters while it compiles, which makes Python repeat a warning."""
    warnings.warn(
        f"cannot keep compiled code {where_and_why}; every run will compile again (EMU_CACHE_DIR can name another folder)",
        RuntimeWarning,
        stacklevel=2,
    )


def _directory(function: Callable[..., object]) -> Path | None:
    """The folder for the compiled code of a function's module; None if there is none."""
    root = cache_directory()
    return root / f"{function.__module__}-{fingerprint(function.__code__.co_filename)}" if root else None


@functools.cache
def _identity(function: Callable[..., object]) -> str:
    """Distinguishes a function from all others, identically in every process."""
    code, cells = function.__code__, function.__closure__ or ()
    layouts = function.layouts.key if hasattr(function, "layouts") else ""  # layouts of its records
    place = (function.__module__, fingerprint(code.co_filename), function.__qualname__, code.co_firstlineno, layouts)
    closed_over = [_description(cell.cell_contents) for cell in cells]
    return hashlib.sha256(repr((place, closed_over)).encode()).hexdigest()


def _description(value: object) -> str:
    """Distinguishes a value in a function's closure, identically in every process."""
    function = getattr(value, "__wrapped__", value)
    if callable(function) and hasattr(function, "__code__"):
        return _identity(function)
    numbers = value if isinstance(value, tuple) else (value,)
    if all(isinstance(number, (int, np.generic, types.Type)) for number in numbers):
        return repr(value)
    raise TypeError(f"native code cannot close over {value!r}")


def _names_defined(bitcode: bytes) -> bytes:
    """LLVM's code of a module that defines what another one does, as nothing."""
    module = binding.parse_bitcode(bitcode)
    functions = [f'define void @"{one.name}"() {{ ret void }}' for one in module.functions if not one.is_declaration]
    variables = [f'@"{one.name}" = global i8 0' for one in module.global_variables if not one.is_declaration]
    stub: bytes = binding.parse_assembly("\n".join(functions + variables)).as_bitcode()
    return stub


class Cache:
    """One function's compiled code, a file per signature. Its methods are those that numba's dispatchers call.

    Args:
        function: the function.
        is_linked: whether other compiled functions contain it. Then its file also has what they need.

    Attributes:
        under_way: the functions that are being compiled now, each on behalf of the previous one.
        compiled: how many functions this process has compiled.
    """

    under_way: ClassVar[list[str]] = []
    compiled: ClassVar[int] = 0

    def __init__(self, function: Callable[..., object], is_linked: bool = True) -> None:
        self._function, self._is_linked = function, is_linked
        self._is_named = False

    def _path(self, signature: object, codegen: Untyped) -> Path | None:
        """The file with the code for a signature. Its name depends on everything that the directory's name does not cover."""
        directory = _directory(self._function)
        if directory is None:
            return None
        key = repr((str(signature), codegen.magic_tuple(), _identity(self._function)))
        return directory / f"{self._function.__name__}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.nbc"

    def load_overload(self, signature: object, target_context: Untyped) -> Untyped:
        """Loads the result of an earlier compilation. None if it is missing or incomplete: numba then compiles.

        Compiled code needs numba's runtime, but not the modules that numba imports and registers before it compiles.
        """
        rtsys.initialize(target_context)
        path = self._path(signature, target_context.codegen())
        try:
            if path is not None:
                return CompileResult._rebuild(target_context, *pickle.loads(path.read_bytes()))
        except (OSError, EOFError, pickle.UnpicklingError):
            pass
        self.under_way.append(f"{self._function.__module__}.{self._function.__name__}")
        self._name_symbols()
        return None

    def _name_symbols(self) -> None:
        """Gives the compiled code symbols that no other function has, in any process.

        numba makes a symbol from the qualified name and a counter of the process's compilations. So functions with one
        name that close over different values can have one symbol, if two processes have compiled them. A third process that loads
        both would call the first instead of the second.
        """
        if not self._is_named:
            self._is_named = True
            self._function.__qualname__ += f"_{_identity(self._function)[:16]}"

    def _reduced(self, result: Untyped) -> Untyped:
        """What is saved. LLVM's code of a function that is only called by its address is left out, except for the names of what
        it defines: to read it takes longer than to load the machine code."""
        library, *rest = result._reduce()
        if not self._is_linked:
            name, kind, (machine_code, bitcode) = library
            library = name, kind, (machine_code, _names_defined(bitcode))
        return library, *rest

    def save_overload(self, signature: object, result: Untyped) -> None:
        """Saves the result of a compilation. A process that reads it at the same time finds the whole file or none."""
        self.under_way.pop()
        Cache.compiled += 1
        if result.library.has_dynamic_globals:
            raise TypeError(f"{self._function.__qualname__} holds an address, which the next process must not use")
        path = self._path(signature, result.codegen)
        if path is None:
            return
        unfinished = path.with_suffix(f".{uuid.uuid4().hex[:16]}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(serialize.dumps(self._reduced(result)))
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
        except OSError as error:
            _complain(f"in {cache_directory()}: {error.strerror}")
