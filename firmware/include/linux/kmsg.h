/* SPDX-License-Identifier: GPL-2.0-only */
/* The device of the kernel's messages. */
#ifndef _LINUX_KMSG_H
#define _LINUX_KMSG_H

extern const struct file_operations kmsg_fops;

#endif
