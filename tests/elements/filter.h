/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the base class share this frame. */
#ifndef FILTER_H
#define FILTER_H

#include "subject.h"

static const TestFrame small = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 21};

#endif
