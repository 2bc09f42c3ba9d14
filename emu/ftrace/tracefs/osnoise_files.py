# SPDX-License-Identifier: GPL-2.0-only
"""The directory osnoise: settings of the osnoise and timerlat tracers."""

from __future__ import annotations

import errno
from collections.abc import Callable

from emu.ftrace.errors import TraceError
from emu.ftrace.numbers import parse_decimal
from emu.ftrace.tracefs.cpumask import parse_cpulist
from emu.ftrace.tracefs.node import StaticDirectory
from emu.ftrace.tracefs.text_file import TextFile
from emu.ftrace.tracers.osnoise_settings import OPTIONS, WORKLOAD, Osnoise
from emu.kernel.reports import cpu_list

__all__ = ["osnoise_directory"]

_DEFAULTS = "DEFAULTS"
_DEFAULT_OPTIONS = frozenset({WORKLOAD})
_LONGEST_OPTION = 255
_TIMERLAT_PERIODS = (100, 1_000_000)  # microseconds
_UNLIMITED = (1 << 64) - 1


def osnoise_directory(osnoise: Osnoise, cpus: int) -> StaticDirectory:
    """The files, for a machine with this many CPUs."""

    def number(name: str, lowest: Callable[[], int] = lambda: 0, highest: Callable[[], int] = lambda: _UNLIMITED) -> TextFile:
        def store(text: str) -> None:
            value = parse_decimal(text)
            if value < lowest():
                raise TraceError(errno.EINVAL, f"{value} is less than {lowest()}")
            if value > highest():
                raise TraceError(errno.EINVAL, f"{value} is more than {highest()}")
            osnoise.set(name, value)

        return TextFile(lambda: f"{osnoise.get(name)}\n", store)

    files = {
        "cpus": TextFile(
            lambda: f"{cpu_list(sorted(osnoise.cpus))}\n", lambda text: osnoise.choose_cpus(parse_cpulist(text, cpus))
        ),
        "options": TextFile(lambda: _options(osnoise.options), lambda text: _set_option(osnoise, text)),
        "period_us": number("sample_period", lowest=lambda: osnoise.get("sample_runtime")),
        "print_stack": number("print_stack"),
        "runtime_us": number("sample_runtime", highest=lambda: osnoise.get("sample_period")),
        "stop_tracing_total_us": number("stop_tracing_total"),
        "stop_tracing_us": number("stop_tracing"),
        "timerlat_period_us": number("timerlat_period", lambda: _TIMERLAT_PERIODS[0], lambda: _TIMERLAT_PERIODS[1]),
    }
    return StaticDirectory(files)


def _options(options: frozenset[str]) -> str:
    states = {_DEFAULTS: options == _DEFAULT_OPTIONS, **{name: name in options for name in OPTIONS}}
    return "".join(f"{'' if on else 'NO_'}{name} " for name, on in states.items()) + "\n"


def _set_option(osnoise: Osnoise, text: str) -> None:
    name = text.removeprefix("NO_").strip()
    on = not text.startswith("NO_")
    if len(text) > _LONGEST_OPTION or name not in (_DEFAULTS, *OPTIONS):
        raise TraceError(errno.EINVAL, f"there is no option '{name}'", (name, OPTIONS))
    if name != _DEFAULTS:
        osnoise.choose_options(osnoise.options | {name} if on else osnoise.options - {name})
    elif on:
        osnoise.choose_options(_DEFAULT_OPTIONS)
    else:
        raise TraceError(errno.EINVAL, "DEFAULTS cannot be switched off, only the options")
