/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces glibc's allocator in the whole process by one that counts, and fails when a test tells it to. */
#ifndef CTR_TESTS_ALLOCATIONS_H
#define CTR_TESTS_ALLOCATIONS_H

#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define HAVE_ALLOCATIONS

extern long allocations_left;          /* -1: any number */
extern long blocks;                    /* allocated and not freed */
extern size_t allocated_bytes;         /* in these */
extern unsigned long allocation_calls; /* that have allocated, or moved, or resized */
#endif

#endif
