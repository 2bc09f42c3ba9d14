/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/command: programs that the host wants run. */
#ifndef _UAPI_EMU_COMMAND_H
#define _UAPI_EMU_COMMAND_H

/*
 * A reader's room for the words of a command, a NUL after each; the host gives
 * no command that is longer.
 */
#define COMMAND_SIZE	4096

/* An ioctl: the caller is about to execute the command. */
#define COMMAND_EXEC	0x4500

#endif
