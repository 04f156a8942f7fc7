/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers live in the records of C; prometheus-cpp asks for them when a scrape comes, formats and serves them. */
#include "gst/metrics/endpoint.h"

#include "gst/metrics/sample.h"

#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

static ClientMetric
label (const MetricsSample *sample)
{
  ClientMetric metric;
  metric.label = {{"pipeline", sample->pipeline}, {"element", sample->element}, {"factory", sample->factory}};
  return metric;
}

static void
add_counter (MetricFamily &family, const MetricsSample *sample, guint64 value)
{
  ClientMetric metric = label (sample);
  metric.counter.value = value;
  family.metric.push_back (std::move (metric));
}

static void
add_gauge (MetricFamily &family, const MetricsSample *sample, double value)
{
  ClientMetric metric = label (sample);
  metric.gauge.value = value;
  family.metric.push_back (std::move (metric));
}

static void
add_histogram (MetricFamily &family, const MetricsSample *sample, const MetricsHistogram &histogram)
{
  ClientMetric metric = label (sample);
  guint64 count = 0;
  for (guint i = 0; i <= METRICS_N_BOUNDS; i++) {
    ClientMetric::Bucket bucket;
    count += histogram.buckets[i];
    bucket.cumulative_count = count;
    bucket.upper_bound = i < METRICS_N_BOUNDS ? metrics_bounds[i] / 1e9 : std::numeric_limits<double>::infinity ();
    metric.histogram.bucket.push_back (bucket);
  }
  metric.histogram.sample_count = count;
  metric.histogram.sample_sum = histogram.sum / 1e9;
  family.metric.push_back (std::move (metric));
}

namespace
{
class Elements : public prometheus::Collectable
{
public:
  std::vector<MetricFamily> Collect () const override;
};
}

std::vector<MetricFamily>
Elements::Collect () const
{
  MetricFamily received{
      "contours_frames_received_total", "Frames that came into the element.", MetricType::Counter, {}};
  MetricFamily sent{"contours_frames_sent_total", "Frames that the element pushed.", MetricType::Counter, {}};
  MetricFamily late{
      "contours_frames_late_total", "Frames that the element dropped because they were late.", MetricType::Counter, {}};
  MetricFamily processing{"contours_processing_seconds", "Time of the streaming thread in the element for one frame.",
      MetricType::Histogram, {}};
  MetricFamily latency{"contours_latency_seconds",
      "Time from the source's push of a frame to its arrival at the element.", MetricType::Histogram, {}};
  MetricFamily gpu{"contours_gpu_seconds", "Time of the GPU for one frame.", MetricType::Histogram, {}};
  MetricFamily frames{"contours_queue_frames", "Frames that wait in the queue.", MetricType::Gauge, {}};
  MetricFamily bytes{"contours_queue_bytes", "Bytes that wait in the queue.", MetricType::Gauge, {}};
  MetricFamily seconds{"contours_queue_seconds", "Duration of what waits in the queue.", MetricType::Gauge, {}};
  MetricFamily stats{"contours_stat", "A number of the element's property stats.", MetricType::Gauge, {}};
  std::unique_ptr<GPtrArray, decltype (&g_ptr_array_unref)> samples (metrics_sample_all (), g_ptr_array_unref);

  for (guint i = 0; i < samples->len; i++) {
    const MetricsSample *sample = static_cast<const MetricsSample *> (samples->pdata[i]);
    add_counter (received, sample, sample->received);
    add_counter (sent, sample, sample->sent);
    add_counter (late, sample, sample->late);
    add_histogram (processing, sample, sample->processing);
    add_histogram (latency, sample, sample->latency);
    if (!metrics_histogram_is_empty (&sample->gpu))
      add_histogram (gpu, sample, sample->gpu);
    if (sample->has_level) {
      add_gauge (frames, sample, sample->level_frames);
      add_gauge (bytes, sample, sample->level_bytes);
      add_gauge (seconds, sample, sample->level_seconds);
    }
    for (guint j = 0; j < sample->stats->len; j++) {
      const MetricsStat &stat = g_array_index (sample->stats, MetricsStat, j);
      add_gauge (stats, sample, stat.value);
      stats.metric.back ().label.push_back ({"stat", stat.name});
    }
  }
  return {received, sent, late, processing, latency, gpu, frames, bytes, seconds, stats};
}

/* A client that connects and asks for nothing holds a thread until this time has passed, which is less than a scrape may
 * take. */
#define REQUEST_TIMEOUT_MS "4000"
#define N_THREADS "4"

struct MetricsEndpoint {
  std::shared_ptr<Elements> elements;
  std::unique_ptr<prometheus::Exposer> exposer;
};

MetricsEndpoint *
metrics_endpoint_new (const gchar *address, guint port, gchar **problem)
{
  try {
    auto endpoint = std::make_unique<MetricsEndpoint> ();
    endpoint->elements = std::make_shared<Elements> ();
    endpoint->exposer = std::make_unique<prometheus::Exposer> (
        std::vector<std::string>{"listening_ports", std::string (address) + ":" + std::to_string (port), "num_threads",
            N_THREADS, "request_timeout_ms", REQUEST_TIMEOUT_MS});
    endpoint->exposer->RegisterCollectable (endpoint->elements);
    return endpoint.release ();
  } catch (const std::exception &e) {
    *problem = g_strdup (e.what ());
    return nullptr;
  }
}

void
metrics_endpoint_free (MetricsEndpoint *endpoint)
{
  delete endpoint;
}
