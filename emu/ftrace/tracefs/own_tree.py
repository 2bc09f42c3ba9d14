# SPDX-License-Identifier: GPL-2.0-only
"""The tree of tracefs on emu's own kernel: the files of all kernels, and those of its own tracers, events and probes."""

from __future__ import annotations

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.guest.own_globals import OwnGlobals
from emu.ftrace.numbers import parse_decimal
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.ftrace.tracefs.dynamic_events_file import dynamic_events_files
from emu.ftrace.tracefs.node import HandleFile, StaticDirectory
from emu.ftrace.tracefs.osnoise_files import osnoise_directory
from emu.ftrace.tracefs.text_file import TextFile, TextHandle
from emu.ftrace.tracefs.tree import build_tree, function_statistics, recording_switch, statistics
from emu.ftrace.tracers.hwlat_settings import HwlatDetector
from emu.kernel.files.node import Handle, Node, OpenFlags

__all__ = ["build_own_tree"]


def build_own_tree(tr: TraceArray, ftrace: PatchedFtrace) -> StaticDirectory:
    """The root directory of the top array, `tr`."""
    shared = ftrace.globals
    files: dict[str, Node] = {
        "eval_map": TextFile(
            lambda: "".join(f"{name} {value} ({system})\n" for system, name, value in shared.events.evals())
        ),
        "hwlat_detector": StaticDirectory(_hwlat_files(shared.hwlat)),
        "osnoise": osnoise_directory(shared.osnoise, tr.recorder.cpus),
        "printk_formats": TextFile(shared.printk_formats.text),
        "trace_stat": StaticDirectory(
            {"branch_annotated": statistics(shared.branch_statistics), **function_statistics(tr)}
        ),
        **dynamic_events_files(tr, ("kprobe_events", "uprobe_events", "synthetic_events")),
        **_hardware_events_files(shared),
    }
    return build_tree(tr, files, _old_names(tr))


def _old_names(tr: TraceArray) -> dict[str, Node]:
    """Former names of files. Opening one logs a warning."""
    show, store = recording_switch(tr)

    def opened(flags: OpenFlags) -> Handle:
        tr.globals.log.write_once("tracing_enabled is deprecated. Use tracing_on")
        return TextHandle(flags, show, store)

    return {"tracing_enabled": HandleFile(0o640, opened)}


def _hwlat_files(detector: HwlatDetector) -> dict[str, Node]:
    return {
        "mode": TextFile(lambda: f"{detector.modes}\n", detector.set_mode),
        "width": TextFile(lambda: f"{detector.width}\n", lambda text: detector.set_width(parse_decimal(text))),
        "window": TextFile(lambda: f"{detector.window}\n", lambda text: detector.set_window(parse_decimal(text))),
    }


def _hardware_events_files(shared: OwnGlobals) -> dict[str, Node]:
    """The file for sampling, if the board's timing model counts."""
    if shared.hardware_events is None:
        return {}
    from emu.ftrace.tracefs.hardware_events_file import HardwareEventsFile

    return {"hardware_events": HardwareEventsFile(shared.hardware_events)}
