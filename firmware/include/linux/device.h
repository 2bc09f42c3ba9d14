/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices and their nodes in /dev. */
#ifndef _LINUX_DEVICE_H
#define _LINUX_DEVICE_H

#include <linux/types.h>

/* Makes a character device's node; the machine ends if it cannot. */
void device_create(const char *path, dev_t dev, umode_t mode);
/* The same for a disk. */
void device_create_block(const char *path, dev_t dev, umode_t mode);

/* HOST_DEVICE_VECTOR's handler: input or a command may be waiting. */
void console_input_ready(void);
/* BLOCK_DEVICE_VECTOR's handler: the RAM disk has done something. */
void ramdisk_interrupt(void);
/* Gives init its descriptors 0, 1 and 2. */
void console_on_rootfs(void);
/* Wakes readers of /dev/command. */
void command_ready(void);
/* HOST_DEVICE_VECTOR's handler: the file server may have answers. */
void file_server_interrupt(void);

#endif
