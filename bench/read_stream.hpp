#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {

/// Vectors alone, in this precision.
template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vectors(Backend& backend, const Schedule& schedule,
                                                     std::int64_t unknowns) {
  if constexpr (sizeof(T) == 4) {
    return backend.prepare_vectors_f32(schedule, unknowns);
  } else {
    return backend.prepare_vectors_f64(schedule, unknowns);
  }
}

/// Bytes a second of a kernel that only reads so many bytes, from 8 vectors: with as many thread
/// blocks as the device holds, or with as many as the vectors fill, whichever is faster.
template <class T>
double read_stream(Backend& backend, double bytes, const StopwatchOptions& options) {
  constexpr int vectors = 8;
  const auto unknowns = static_cast<std::int64_t>(bytes / (vectors * sizeof(T)));
  double best = 0;
  for (const bool variable : {false, true}) {
    const auto prepared = prepare_vectors<T>(backend, load_schedule(vectors, variable), unknowns);
    const Timing timing =
        measure_repeats_alone([&](std::int64_t repeats) { prepared->run(repeats); }, options);
    if (timing.median_seconds > 0) {
      best = std::max(best,
                      static_cast<double>(unknowns) * vectors * sizeof(T) / timing.median_seconds);
    }
  }
  return best;
}

}  // namespace sparsecast
