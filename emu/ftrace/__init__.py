# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace: call sites, patching, tracers, the ring buffer, tracefs and the text of traces."""
