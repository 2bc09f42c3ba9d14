# SPDX-License-Identifier: GPL-2.0-only
"""The functions of a Linux kernel that can be traced: those that were compiled to call ftrace, or else all.

The places of the calls are in the table __mcount_loc: of the image, and of each module. Linux shows them in
available_filter_functions by the names that kallsyms has for them. Where the linker took another definition of a weak
function, the table still has the unused one's call, which is in no function: Linux shows it as
__ftrace_invalid_address___ and its distance from the function before it. (Since about 6.15, and in 6.12's updates, such
an entry of the image is zero.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emu.linux import arch
from emu.linux.image import Kernel
from emu.linux.modules import Module
from emu.linux.symbols import Symbols

__all__ = ["Functions", "every_function", "functions_of_module", "traceable_functions"]

_TEXT_TYPES = np.frombuffer(b"tTwW", np.uint8)
_MARKS = re.compile(r"_etext|_einittext|__\w+_text_(start|end)")  # symbols of linker scripts: where sections begin and end
_INVALID = "__ftrace_invalid_address___"

Addresses = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions, by ascending addresses: the order of available_filter_functions.

    Attributes:
        names: of each, as Linux shows it. Several may have one name.
        begins: where each begins: what jumps or calls to it comes here.
        sites: where each calls ftrace: at its beginning or behind an endbr64. Of a function without a call, its beginning.
        is_init: of each, whether its memory is freed after the boot, or after its module has been initialised.
        is_valid: of each, whether it is a function: False for what is left of a weak one.
        module: its name; "" for the kernel.
    """

    names: list[str]
    begins: Addresses
    sites: Addresses
    is_init: NDArray[np.bool_]
    is_valid: NDArray[np.bool_]
    module: str = ""

    def __len__(self) -> int:
        return len(self.names)

    def listed(self) -> list[str]:
        """The lines of available_filter_functions, after the boot."""
        suffix = f" [{self.module}]" if self.module else ""
        return [self.names[n] + suffix for n in np.flatnonzero(~self.is_init).tolist()]


def traceable_functions(kernel: Kernel, symbols: Symbols) -> Functions:
    """The functions of the kernel that call ftrace; all, if it was built without __mcount_loc.

    Raises:
        LookupError: the image does not have the table where its symbols say.
    """
    begin, end = symbols.address("__start_mcount_loc") or 0, symbols.address("__stop_mcount_loc") or 0
    if begin == end:
        return every_function(symbols)
    table = np.frombuffer(kernel.contents(begin, end), np.uint8)
    addresses = table[: len(table) & ~7].view("<u8").astype(np.uint64)
    sites = np.sort(addresses[addresses != 0])
    nearest = np.maximum(np.searchsorted(symbols.addresses, sites, "right") - 1, 0)
    begins = symbols.addresses[nearest]
    first = np.searchsorted(symbols.addresses, begins)  # of several names, Linux takes the first
    return _functions(sites, begins, [symbols.names[n] for n in first.tolist()], _in_init(symbols, sites))


def every_function(symbols: Symbols) -> Functions:
    """All functions of the kernel: also those that ftrace itself must not trace."""
    names, addresses = symbols.names, symbols.addresses
    texts = np.flatnonzero(np.isin(symbols.types, _TEXT_TYPES) & (addresses >= np.uint64(arch.KERNEL_HALF)))
    kept = [n for n in texts.tolist() if not names[n].startswith(arch.NO_FUNCTIONS) and not _MARKS.fullmatch(names[n])]
    begins, first = np.unique(addresses[kept], return_index=True)
    names = [names[kept[n]] for n in first.tolist()]
    return Functions(names, begins, begins, _in_init(symbols, begins), np.ones(len(begins), bool))


def functions_of_module(module: Module) -> Functions:
    """The functions of a module that call ftrace."""
    found = [module.at(site) or ("", 0) for site in module.call_sites.tolist()]
    offsets = np.array([offset for _, offset in found], np.uint64)
    is_init = (module.call_sites >= module.init_text.start) & (module.call_sites < module.init_text.stop)
    return _functions(module.call_sites, module.call_sites - offsets, [name for name, _ in found], is_init, module.name)


def _functions(
    sites: Addresses, begins: Addresses, names: list[str], is_init: NDArray[np.bool_], module: str = ""
) -> Functions:
    offsets = sites - begins
    is_valid = np.isin(offsets, arch.SITE_OFFSETS)
    for n in np.flatnonzero(~is_valid).tolist():
        names[n] = f"{_INVALID}{offsets[n]}"
    return Functions(names, np.where(is_valid, begins, sites), sites, is_init, is_valid, module)


def _in_init(symbols: Symbols, addresses: Addresses) -> NDArray[np.bool_]:
    begin, end = symbols.address("__init_begin") or 0, symbols.address("__init_end") or 0
    return (addresses >= np.uint64(begin)) & (addresses < np.uint64(end))
