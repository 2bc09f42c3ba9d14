/* SPDX-License-Identifier: GPL-2.0-only */
/* Error numbers from 35 on, as SPARC has them. */
#ifndef _UAPI_ASM_ERRNO_H
#define _UAPI_ASM_ERRNO_H

#define EINPROGRESS	36
#define EALREADY	37
#define EOPNOTSUPP	45
#define EADDRINUSE	48
#define EADDRNOTAVAIL	49
#define ENOBUFS		55
#define ETIMEDOUT	60
#define ELOOP		62
#define ENAMETOOLONG	63
#define ENOTEMPTY	66
#define EUSERS		68
#define EDQUOT		69
#define ESTALE		70
#define ETIME		73
#define EDEADLK		78
#define ENOLCK		79
#define ENOSYS		90
#define EOVERFLOW	92
#define ENODATA		111
#define ELIBBAD		112
#define EILSEQ		122
#define ECANCELED	127
#define EUCLEAN		135

#endif
