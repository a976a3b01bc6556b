#pragma once

#include "model/traffic/traffic_example.hpp"

/// @file
/// A CPU made up for tests of the traffic model.

namespace sparsecast {

/// What the schedules of conjugate gradients need in CSR.
inline TrafficParameters example_cpu_parameters() {
  TrafficParameters parameters;
  parameters.cpu = CpuCosts{.call_seconds = 1e-8,
                            .scalar_seconds = 5e-9,
                            .wait_seconds = 5e-7,
                            .thread_seconds = 5e-8,
                            .nearest_bytes = 4e4,
                            .private_bytes = 1e6,
                            .shared_bytes = 4e7,
                            .sharpness = 8,
                            .private_gbps = 60,
                            .shared_gbps = 80,
                            .memory_read_gbps = 30,
                            .memory_write_gbps = 15,
                            .overlap = 3,
                            .private_lookup_seconds = 5e-10,
                            .shared_lookup_seconds = 3e-9,
                            .memory_lookup_seconds = 2e-8,
                            .remote_lookup_seconds = 2e-8,
                            .evicted_lookup_seconds = 6e-9,
                            .uneven_row_seconds = 3e-9};
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const char* name : {"CG3", "CG4", "CG5", "Red", "CGResidual", "CGDirection"}) {
      parameters.cpu_kernels[precision][name] = {200};
    }
    parameters.cpu_products[precision]["csr"] = {2e-9, 4e-10};
  }
  return parameters;
}

/// The matrix of `example_case` on so many threads.
inline TrafficCase example_cpu_case(std::int64_t unknowns, int threads) {
  TrafficCase segment = example_case(unknowns);
  segment.shape.index_bytes = 4;
  segment.cpu = CpuExecution{threads};
  return segment;
}

}  // namespace sparsecast
