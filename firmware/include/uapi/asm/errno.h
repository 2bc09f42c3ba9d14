/* SPDX-License-Identifier: GPL-2.0-only */
/* Error numbers from 35 on, as most ports have them. */
#ifndef _UAPI_ASM_ERRNO_H
#define _UAPI_ASM_ERRNO_H

#define EDEADLK		35
#define ENAMETOOLONG	36
#define ENOLCK		37
#define ENOSYS		38
#define ENOTEMPTY	39
#define ELOOP		40
#define ENODATA		61
#define ETIME		62
#define EOVERFLOW	75
#define ELIBBAD		80
#define EILSEQ		84
#define EUSERS		87
#define EOPNOTSUPP	95
#define EADDRINUSE	98
#define EADDRNOTAVAIL	99
#define ENOBUFS		105
#define ETIMEDOUT	110
#define EALREADY	114
#define EINPROGRESS	115
#define ESTALE		116
#define EUCLEAN		117
#define EDQUOT		122
#define ECANCELED	125

#endif
