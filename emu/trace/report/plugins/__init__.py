# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-ins, a module for each. The plug-in `function` is next to this package. jbd2, cfg80211 and xen only
provide functions for print fmts, which are in `functions`.
"""
