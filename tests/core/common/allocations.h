/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An allocator that fails when it is told to, in front of glibc's for the whole process. */
#ifndef CTR_TESTS_ALLOCATIONS_H
#define CTR_TESTS_ALLOCATIONS_H

#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define HAVE_ALLOCATIONS

extern long allocations_left; /* -1: any number */
extern long blocks;           /* allocated and not freed */
#endif

#endif
