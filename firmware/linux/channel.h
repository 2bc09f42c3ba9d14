/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frames between the host (emu/linux/channel.py) and the agent that runs
 * its commands, on the guest's second serial port.
 *
 * A frame is a header of 4 bytes, type u8, 0 u8, length u16, and as many bytes
 * as its length says. All numbers are little-endian. The agent begins with
 * READY; before it the host sends nothing.
 *
 * A command is ARGUMENTS, as often as needed, and RUN. It has ended with EXIT;
 * only then the next one may begin. What is sent to a command that has ended
 * meanwhile is dropped. What its background jobs write comes after EXIT, too.
 *
 * Linux keeps at most 4095 bytes of a serial port that nobody has read yet. So
 * the host never has more than CHANNEL_WINDOW bytes of frames (headers count)
 * on the way, and of these at most CHANNEL_INPUT_WINDOW in INPUT and INPUT_END:
 * there is room for a signal when a program does not read its input. CREDIT
 * gives bytes back: those of INPUT when the program has got them or never will,
 * those of other frames at once; in batches, so that it costs little.
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#define CHANNEL_VERSION		1

#define CHANNEL_HEADER		4
#define CHANNEL_TO_GUEST	1024	/* longest data of a frame */
#define CHANNEL_TO_HOST		4096
#define CHANNEL_WINDOW		3072
#define CHANNEL_INPUT_WINDOW	2048

enum {
	/*
	 * From the host. ARGUMENTS: the next piece of a block of words, with a
	 * NUL after each: those of the command, then those of its environment,
	 * which come before what all commands have in theirs.
	 */
	FRAME_ARGUMENTS = 1,
	FRAME_RUN,		/* flags u32; rows, columns u16;
				   words, words of the environment u32 */
	FRAME_INPUT,		/* data */
	FRAME_INPUT_END,	/* not if there is a terminal */
	FRAME_SIGNAL,		/* number u32, to the foreground group */
	FRAME_WINDOW,		/* rows, columns u16 */
	FRAME_KILL,		/* SIGKILL to the whole session */

	/* From the agent. REFUSED: a frame that cannot be; it reads no more. */
	FRAME_READY = 65,	/* version u32 */
	FRAME_CREDIT,		/* bytes of INPUT u32, of other frames u32 */
	FRAME_OUTPUT,		/* data; with a terminal, errors, too */
	FRAME_ERRORS,		/* data */
	FRAME_EXIT,		/* wait status u32 */
	FRAME_REFUSED,
};

#define RUN_TERMINAL	1	/* flag: standard files are a new terminal */
#define RUN_SIZE	16

#endif
