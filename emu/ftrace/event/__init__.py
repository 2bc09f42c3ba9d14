# SPDX-License-Identifier: GPL-2.0-only
"""Events: what the guest's tracepoints and the host's own tracers record, and which trace array wants which."""
