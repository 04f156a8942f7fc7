/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_BROKER_KAFKASETTINGS_H
#define GST_BROKER_KAFKASETTINGS_H

#include "gst/broker/kafkafault.h"

G_BEGIN_DECLS

/* The configuration of a producer for SETTINGS; transfer full. Returns NULL and an error if librdkafka
 * refuses one of them. */
rd_kafka_conf_t *kafka_settings_to_conf (const KafkaSettings *settings, GError **error);

G_END_DECLS

#endif
