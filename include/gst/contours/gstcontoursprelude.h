/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_PRELUDE_H__
#define __GST_CONTOURS_PRELUDE_H__

#define GST_CONTOURS_API __attribute__ ((visibility ("default"))) extern

#endif /* __GST_CONTOURS_PRELUDE_H__ */
