# SPDX-License-Identifier: GPL-2.0-only
"""Trace arrays: tracers, options, events and buffers of the top instance and the other instances, and what all of them share."""
