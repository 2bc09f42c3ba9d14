# SPDX-License-Identifier: GPL-2.0-only
"""Tracing: call sites, patching, tracers, ring buffer, tracefs, text."""
