/* SPDX-License-Identifier: GPL-2.0-only */
/* A port gives set_next_event() its own name here. */
