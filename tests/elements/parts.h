/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Some test programs have several files. Each of these functions adds the tests of one file to TC. */
#ifndef PARTS_H
#define PARTS_H

#include <gst/check/gstcheck.h>

void add_attachment_reading_tests (TCase *tc);
void add_cudacanny_contour_tests (TCase *tc);
void add_cudacanny_output_tests (TCase *tc);
void add_cudacanny_picture_tests (TCase *tc);
void add_cudacanny_property_tests (TCase *tc);
void add_cudacontouroverlay_background_tests (TCase *tc);
void add_cudacontouroverlay_dimension_tests (TCase *tc);
void add_cudacontouroverlay_held_tests (TCase *tc);
void add_cudacontouroverlay_picture_tests (TCase *tc);
void add_cudacrackcontour_label_tests (TCase *tc);
void add_cudacrackcontour_property_tests (TCase *tc);
void add_cudasnake_message_tests (TCase *tc);
void add_cudasnake_property_tests (TCase *tc);
void add_cudasnaketrack_component_tests (TCase *tc);
void add_filter_negotiation_tests (TCase *tc);
void add_foreground_message_tests (TCase *tc);
void add_foreground_property_tests (TCase *tc);
void add_foreground_region_tests (TCase *tc);
void add_foreground_select_tests (TCase *tc);
void add_gpu_failure_tests (TCase *tc);
void add_gpu_memory_tests (TCase *tc);
void add_order_copy_tests (TCase *tc);
void add_queued_end_tests (TCase *tc);

#endif
