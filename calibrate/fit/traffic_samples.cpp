#include "calibrate/fit/traffic_samples.hpp"

#include <cstdint>
#include <string>

#include "calibrate/measure/measured_schedules.hpp"
#include "core/analysis/cuda_execution.hpp"
#include "core/base/random_stream.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/formats/format.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

bool is_product(const Sample& sample) {
  return sample.kernel == "SpMV" || sample.kernel == "SpMVDot" || sample.kernel == "cusparseSpMV";
}

}  // namespace

std::optional<TrafficPoint> traffic_point(const Sample& sample, int cpu_threads) {
  const bool iterates = sample.kernel == "Iteration";
  const bool priced = iterates || is_product(sample) || is_pass_iteration(sample.kernel) ||
                      (sample.layout.empty() && sample.devices == 1 && sample.kernel != "Barrier" &&
                       sample.kernel != "Exchange" && !is_preparation(sample.kernel) &&
                       !sample.kernel.starts_with("Load/"));
  if (!priced || !sample.exchange.empty()) return std::nullopt;
  if (!sample.layout.empty() && !sample.access) return std::nullopt;
  TrafficPoint point;
  if (cpu_threads > 0) {
    if (is_preparation(sample.kernel) || sample.devices != 1) return std::nullopt;
    point.segment.cpu = CpuExecution{CpuPolicy{}.threads(sample.shape, cpu_threads)};
  } else {
    if (sample.launch.empty()) return std::nullopt;
    point.launch = parse_launch_mode(sample.launch);
    if (point.launch == LaunchMode::plain && !iterates) return std::nullopt;
    if (!sample.layout.empty() && !sample.execution) return std::nullopt;
    if (!sample.layout.empty() && format_of(parse_layout(sample.layout)).execution == nullptr) {
      return std::nullopt;  // nobody forecasts it
    }
    if (point.launch == LaunchMode::persistent && !sample.execution->persistent.fits) {
      return std::nullopt;
    }
  }
  point.schedule = schedule_to_measure(sample.kernel, sample.schedule);
  if (!sample.layout.empty()) point.segment.layout = parse_layout(sample.layout);
  point.segment.shape = sample.shape;
  if (sample.access) point.segment.pattern = *sample.access;
  if (sample.execution) {
    point.segment.execution = *sample.execution;
    point.segment.geometry = product_geometry(sample.shape, point.segment.layout, sample.precision,
                                              sample.execution->product);
    point.segment.parts = product_parts(sample.shape, point.segment.pattern, point.segment.layout,
                                        sample.precision, sample.execution->product);
  }
  point.precision = sample.precision;
  point.seconds = sample.seconds;
  point.relative_noise = sample.relative_noise();
  point.matrix = sample.matrix;
  return point;
}

std::string family_of(const std::string& matrix) {
  return matrix.substr(0, matrix.find(' '));
}

std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0;
  for (const char c : name) hash = scramble(hash ^ static_cast<unsigned char>(c));
  return hash;
}

bool is_held_out_of_traffic(const Sample& sample) {
  constexpr std::uint64_t one_in = 4;
  return sample.held_out || (is_product(sample) && hash_of(sample.matrix) % one_in == 0);
}

}  // namespace sparsecast
