# SPDX-License-Identifier: GPL-2.0-only
"""Tracers and other measurements: latencies, stacks, profiles, branches, hardware counters."""
