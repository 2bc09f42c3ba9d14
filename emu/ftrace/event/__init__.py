# SPDX-License-Identifier: GPL-2.0-only
"""Events recorded by the guest's tracepoints and by the host's own tracers, and their state in each trace array."""
