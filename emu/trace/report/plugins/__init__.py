# SPDX-License-Identifier: GPL-2.0-only
"""Trace-cmd's plug-ins, a module for each. The plug-in `function` is beside this package; jbd2, cfg80211 and xen, which only
have functions that print fmts call, are in `functions`.
"""
