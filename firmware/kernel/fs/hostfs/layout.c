/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of requests for files, and of our error numbers. */
#include <linux/errno.h>
#include <emu/file_server.h>
#include <emu/layout.h>

LAYOUT_CONST(FS_ROOT);
LAYOUT_CONST(FS_LOOKUP);
LAYOUT_CONST(FS_GETATTR);
LAYOUT_CONST(FS_SETATTR);
LAYOUT_CONST(FS_READDIR);
LAYOUT_CONST(FS_OPEN);
LAYOUT_CONST(FS_READ);
LAYOUT_CONST(FS_WRITE);
LAYOUT_CONST(FS_POLL);
LAYOUT_CONST(FS_RELEASE);
LAYOUT_CONST(FS_CREATE);
LAYOUT_CONST(FS_MKDIR);
LAYOUT_CONST(FS_SYMLINK);
LAYOUT_CONST(FS_LINK);
LAYOUT_CONST(FS_UNLINK);
LAYOUT_CONST(FS_RMDIR);
LAYOUT_CONST(FS_RENAME);
LAYOUT_CONST(FS_READLINK);

LAYOUT_CONST(FS_READ_ONLY);
LAYOUT_CONST(FS_OPEN_READ);
LAYOUT_CONST(FS_OPEN_WRITE);
LAYOUT_CONST(FS_OPEN_APPEND);
LAYOUT_CONST(FS_OPEN_TRUNCATE);
LAYOUT_CONST(FS_OPEN_STREAM);
LAYOUT_CONST(FS_NONBLOCK);
LAYOUT_CONST(FS_SET_MODE);
LAYOUT_CONST(FS_SET_SIZE);
LAYOUT_CONST(FS_SET_MTIME);
LAYOUT_CONST(FS_READABLE);
LAYOUT_CONST(FS_WRITABLE);
LAYOUT_CONST(FS_ANSWERED);
LAYOUT_CONST(FS_WAIT);
LAYOUT_CONST(FS_WAIT_DONE);
LAYOUT_CONST(FILE_REQUEST_PAGES);
LAYOUT_CONST(FILE_NO_TIME);

LAYOUT_SIZE(file_request);
LAYOUT(file_request, node);
LAYOUT(file_request, other);
LAYOUT(file_request, handle);
LAYOUT(file_request, offset);
LAYOUT(file_request, size);
LAYOUT(file_request, mtime_sec);
LAYOUT(file_request, mtime_nsec);
LAYOUT(file_request, op);
LAYOUT(file_request, flags);
LAYOUT(file_request, mode);
LAYOUT(file_request, result);
LAYOUT(file_request, attr);
LAYOUT(file_request, nr_pages);
LAYOUT(file_request, pages);

LAYOUT(file_attr, node);
LAYOUT(file_attr, ino);
LAYOUT(file_attr, size);
LAYOUT(file_attr, mtime_sec);
LAYOUT(file_attr, mtime_nsec);
LAYOUT(file_attr, mode);
LAYOUT(file_attr, nlink);

LAYOUT_SIZE(file_dirent);
LAYOUT(file_dirent, ino);
LAYOUT(file_dirent, next);
LAYOUT(file_dirent, reclen);
LAYOUT(file_dirent, type);
LAYOUT(file_dirent, namelen);

/* Those up to ERANGE are the host's own. */
LAYOUT_CONST(ENAMETOOLONG);
LAYOUT_CONST(ENOSYS);
LAYOUT_CONST(ENOTEMPTY);
LAYOUT_CONST(ELOOP);
LAYOUT_CONST(EOVERFLOW);
LAYOUT_CONST(EOPNOTSUPP);
LAYOUT_CONST(ENODATA);
LAYOUT_CONST(ETIMEDOUT);
LAYOUT_CONST(ESTALE);
LAYOUT_CONST(EILSEQ);
LAYOUT_CONST(EADDRNOTAVAIL);
