#pragma once

#include <algorithm>
#include <cstdint>

#include "core/workload/cuda_policy.hpp"

/// @file
/// How far the host of a GPU is ahead of what it knows: what it launches before it has seen that a
/// run has ended runs for nothing. Launch modes `graph` and `plain`.

namespace sparsecast {

/// How many iterations of so many launches one graph has, at least one. More save what lies between
/// graphs, some microseconds, which is nothing beside so many launches; and each takes microseconds
/// to put into it.
inline int iterations_of_graph(const CudaPolicy& policy, std::int64_t launches) {
  constexpr std::int64_t most_launches = 128;
  const std::int64_t fit = most_launches / std::max<std::int64_t>(1, launches);
  return static_cast<int>(
      std::clamp<std::int64_t>(policy.iterations_per_graph, 1, std::max<std::int64_t>(1, fit)));
}

/// Iterations of so many launches between two looks: whole graphs of `of_graph` iterations where
/// there is room for one.
inline std::int64_t iterations_between_polls(const CudaPolicy& policy, std::int64_t launches,
                                             int of_graph) {
  const std::int64_t most =
      std::min<std::int64_t>(policy.iterations_between_polls,
                             policy.launches_between_polls / std::max<std::int64_t>(1, launches));
  const std::int64_t whole = std::max(1, of_graph);
  return std::max<std::int64_t>(1, most >= whole ? most - most % whole : most);
}

/// Iterations that have been launched when the host sees that a run has ended after so many: those
/// up to the next look, and those of the look after it.
inline std::int64_t launched_iterations(std::int64_t iterations, std::int64_t between_polls) {
  return ((iterations + between_polls - 1) / between_polls + 1) * between_polls;
}

}  // namespace sparsecast
