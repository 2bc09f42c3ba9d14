/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/command: command lines that the host wants run. */
#ifndef _UAPI_EMU_COMMAND_H
#define _UAPI_EMU_COMMAND_H

/*
 * A reader's room for a line, its newline and a NUL; the host gives no line
 * that is longer.
 */
#define COMMAND_SIZE	4096

#endif
