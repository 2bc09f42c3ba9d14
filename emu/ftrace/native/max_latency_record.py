# SPDX-License-Identifier: GPL-2.0-only
"""The worst latency that a trace array has seen, and whose it was (Linux: max_latency, and data of max_buffer). The latency
tracer that looks for it."""

from __future__ import annotations

import numpy as np

from emu.native.record import Fields

_fields = Fields()
MAX_LATENCY = _fields.word()  # nanoseconds: tracing_max_latency

# What the spare ring buffers hold
SAVED_LATENCY = _fields.word()  # nanoseconds
START = _fields.word()  # when it began, by the trace's clock: what is older belongs to something else
CPU = _fields.word()
PID = _fields.word()
COMM = _fields.words(2)  # 16 bytes
STATIC_PRIO = _fields.word()  # 120 + nice
POLICY = _fields.word()
RT_PRIORITY = _fields.word()
CRITICAL_START = _fields.word()  # where the section was begun; 0: it is no section
CRITICAL_END = _fields.word()

# The latency tracer that is set
ENABLED = _fields.word()  # 1: it looks for latencies (Linux: tracer_enabled)
GRAPH = _fields.word()  # 1: it records graphs (display-graph)
SECTIONS = _fields.word()  # which critical sections it wants, of the bits below; 0: none
SEQUENCE = _fields.word()  # how many sections were kept (Linux: max_sequence)
KEEP = _fields.word()  # address of void (*)(cpu, array_cpu), which keeps a section (native.sections)
WORDS = _fields.count

# Bits of SECTIONS
IRQS_OFF, PREEMPT_OFF = np.uint64(1), np.uint64(2)
