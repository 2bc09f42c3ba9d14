# SPDX-License-Identifier: GPL-2.0-only
"""A PC's devices, as its CPUs access them."""
