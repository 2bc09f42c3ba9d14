# SPDX-License-Identifier: GPL-2.0-only
"""Exercises for a course about porting ftrace: finished ports in which one thing is broken.

Each `NN-name.toml` is an exercise: its texts, the edits that break a copy of the checkout, and the check that says whether the
copy works again. A check runs the copy and looks at what it does, so it takes any right solution.
"""
