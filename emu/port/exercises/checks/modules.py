# SPDX-License-Identifier: GPL-2.0-only
"""Modules: their code refers to what it should."""

from __future__ import annotations

import re

from emu.port.exercises.exam import Exam

__all__ = ["members_are_found"]


def members_are_found(exam: Exam) -> None:
    """Modules whose code accesses members of structures, and functions of the kernel."""
    exam.expects("the kernel boots")
    with exam.machine(cpus=2) as m:
        exam.expects("kprobe_example plants its probe at kernel_clone, and says so")
        m.run("modprobe kprobe_example; sh -c true")
        log = m.run("dmesg").output.decode()
        (planted,) = re.findall(r"Planted kprobe at ([0-9a-f]+)", log) or [""]
        exam.require(bool(planted), "it does not say where")
        symbol = m.kernel.image.function_at(int(planted, 16))
        exam.require(symbol is not None and symbol.name == "kernel_clone", f"it says {planted}")
        exam.require(log.count("handler_pre: <kernel_clone>") > 0, "no hit of the probe")
        exam.expects("kretprobe_example tells of calls")
        m.run("rmmod kprobe_example; modprobe kretprobe_example; sh -c true")
        log = m.run("dmesg").output.decode()
        exam.require("Planted return probe at kernel_clone" in log, "it has planted nothing")
        exam.require(re.search(r"kernel_clone returned \d+", log) is not None, "no call")
        exam.expects("other modules load, and programs go on")
        done = m.run("modprobe sample_events; modprobe ext2; modprobe event_cost; ls / | wc -l; lsmod | wc -l")
        exam.require(done.status == 0 and not m.warnings, f"{done.output!r}, {m.warnings[:1]}")
