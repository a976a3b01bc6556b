#pragma once

#include <string_view>

namespace sparsecast {

/// How the CUDA back end gets the kernels of an iteration to the GPU.
enum class LaunchMode {
  automatic,   ///< persistent where there is such a kernel and the system is small, else graph
  host,        ///< plain, with scalar arithmetic and checks on the host, which waits for every sum
  plain,       ///< one launch after another; scalars and checks on the device, as in the next two
  graph,       ///< captured once as a CUDA graph of several iterations
  persistent,  ///< one cooperative kernel for all iterations, for schedules that have one
};

/// "auto", "host", "plain", "graph", "persistent": the names in tables and options.
std::string_view to_string(LaunchMode mode);

/// The inverse of `to_string`. Throws `Error` that lists the known names.
LaunchMode parse_launch_mode(std::string_view name);

}  // namespace sparsecast
