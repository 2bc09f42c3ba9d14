# SPDX-License-Identifier: GPL-2.0-only
"""The functions that can be traced are those that the guest lists itself."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from emu.linux.image import Kernel, read_kernel
from emu.linux.machine import LinuxMachine
from emu.linux.modules import Modules, ModuleState
from emu.linux.sites import every_function, functions_of_module, traceable_functions
from emu.linux.symbols import Symbols
from tests.linux.made_guest import MadeGuest
from tests.linux.made_kernels import TEXT, Symbol, kallsyms, kernel_with

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

FUNCTIONS = TEXT + 0x1000
INIT = TEXT + 0x8000


def made(folder: Path, sites: list[int], *others: Symbol) -> tuple[Kernel, Symbols]:
    """A kernel with functions, each 0x40 bytes long, the last of which is an initial one; and with a table of sites, if any."""
    symbols = [(FUNCTIONS + 0x40 * n, "t", f"function_{n}") for n in range(300)]
    symbols += [(INIT, "T", "_sinittext"), (INIT, "t", "function_at_boot"), (INIT + 0x100, "T", "_einittext")]
    symbols += [(INIT - 0x1000, "D", "__init_begin"), (INIT + 0x1000, "D", "__init_end"), *others]
    if sites:
        symbols += [(TEXT, "d", "__start_mcount_loc"), (TEXT + 8 * len(sites), "d", "__stop_mcount_loc")]
    kernel = kernel_with(kallsyms(sorted(symbols), "6.4", struct.pack(f"<{len(sites)}Q", *sites)), folder)
    return kernel, Symbols(kernel)


def test_functions_are_in_the_order_of_their_addresses(tmp_path: Path, cache: Path) -> None:
    functions = traceable_functions(*made(tmp_path, [0, INIT, FUNCTIONS + 0x84, FUNCTIONS, 0]))
    assert functions.names == ["function_0", "function_2", "_sinittext"]
    assert functions.begins.tolist() == [FUNCTIONS, FUNCTIONS + 0x80, INIT]
    assert functions.sites.tolist() == [FUNCTIONS, FUNCTIONS + 0x84, INIT]
    assert (functions.is_init.tolist(), functions.is_valid.tolist()) == ([False, False, True], [True] * 3)
    assert (functions.listed(), len(functions)) == (["function_0", "function_2"], 3)


def test_several_names_at_one_place(tmp_path: Path, cache: Path) -> None:
    kernel, symbols = made(tmp_path, [FUNCTIONS + 4], (FUNCTIONS, "W", "a_name_more"))
    at = [symbols.names[n] for n in np.flatnonzero(symbols.addresses == np.uint64(FUNCTIONS)).tolist()]
    assert traceable_functions(kernel, symbols).names == at[:1]
    assert len(at) == 2 and (symbols.at(FUNCTIONS + 4) or ("", 0))[0] == at[0]


def test_what_is_left_of_weak_functions(tmp_path: Path, cache: Path) -> None:
    functions = traceable_functions(*made(tmp_path, [FUNCTIONS, FUNCTIONS + 0x30]))
    assert functions.listed() == ["function_0", "__ftrace_invalid_address___48"]
    assert functions.is_valid.tolist() == [True, False]
    assert functions.begins.tolist() == [FUNCTIONS, FUNCTIONS + 0x30]


def test_every_function(tmp_path: Path, cache: Path) -> None:
    others = [
        (FUNCTIONS + 0x44, "t", "__pfx_function_2"), (FUNCTIONS + 0x48, "W", "weak"), (FUNCTIONS + 0x4C, "D", "data"),
        (FUNCTIONS + 0x50, "T", "__sched_text_start"), (FUNCTIONS + 0x40, "t", "zz_alias"),
    ]  # fmt: skip
    kernel, symbols = made(tmp_path, [], *others)
    functions = every_function(symbols)
    assert functions.names[:4] == ["function_0", "function_1", "weak", "function_2"]
    assert functions.names[-1] in ("_sinittext", "function_at_boot") and len(functions) == 302
    assert (functions.begins == functions.sites).all() and functions.is_valid.all()
    assert functions.is_init.tolist() == [False] * 301 + [True]
    assert traceable_functions(kernel, symbols).names == functions.names


@pytest.mark.parametrize("is_new", [False, True])
def test_functions_of_a_module(is_new: bool, tmp_path: Path, cache: Path) -> None:
    guest, base = MadeGuest(tmp_path, is_new), 0xFFFF_FFFF_C020_1000
    symbols = [(base, "t", "first", 1), (base + 0x40, "t", "second", 1), (base + 0x8000, "t", "at_first", 2)]
    sites = [base, base + 0x44, base + 0x70, base + 0x8000]
    guest.module("made", ModuleState.COMING, range(base, base + 0x100), range(base + 0x8000, base + 0x8100), symbols, sites)
    (module,) = Modules(guest.memory, guest.symbols, guest.btf).loaded()
    functions = functions_of_module(module)
    assert functions.names == ["first", "second", "__ftrace_invalid_address___48", "at_first"]
    assert functions.begins.tolist() == [base, base + 0x40, base + 0x70, base + 0x8000]
    assert functions.sites.tolist() == sites and functions.is_init.tolist() == [False, False, False, True]
    assert functions.listed() == ["first [made]", "second [made]", "__ftrace_invalid_address___48 [made]"]


def test_a_module_without_functions(tmp_path: Path, cache: Path) -> None:
    guest = MadeGuest(tmp_path, True)
    guest.module("made", ModuleState.LIVE, range(0), range(0))
    (module,) = Modules(guest.memory, guest.symbols, guest.btf).loaded()
    assert functions_of_module(module).listed() == []


def test_a_real_kernels_functions(shared: LinuxMachine, real_kernel: Path, real_symbols: Symbols) -> None:
    functions = traceable_functions(read_kernel(real_kernel), real_symbols)
    listed = shared.run("cat /sys/kernel/tracing/available_filter_functions").output.decode().splitlines()
    assert functions.listed() == listed and len(listed) > 30_000
    assert 1000 < functions.is_init.sum() < 5000
    every = every_function(real_symbols)
    names = dict(zip(every.begins.tolist(), every.names, strict=True))
    known = zip(functions.begins.tolist(), functions.names, functions.is_valid, strict=True)
    assert all(names[begin] == name for begin, name, is_valid in known if is_valid)
    assert {"__switch_to_asm", "__fentry__", "vfs_read"} <= set(every.names)
