#pragma once

#include <cstdint>
#include <string>

#include "model/traffic/traffic_case.hpp"
#include "model/traffic/traffic_parameters.hpp"

/// @file
/// A GPU made up for tests of the traffic model.

namespace sparsecast {

inline GpuShape example_gpu() {
  return {100, std::int64_t{50} << 20, 200'000};
}

/// Everything that the schedules of conjugate gradients need in CSR.
inline TrafficParameters example_parameters() {
  TrafficParameters parameters;
  parameters.device = {.wait_seconds = 2e-5,
                       .graph_seconds = 4e-6,
                       .plain_seconds = 2e-6,
                       .skipped_seconds = 1.5e-6,
                       .skipped_gbps = 4000,
                       .memory_read_gbps = 4000,
                       .memory_write_gbps = 3000,
                       .cache_bytes = 40e6,
                       .cache_sharpness = 6,
                       .overlap = 4,
                       .product_overlap = 6,
                       .overlap_turns = 0.5,
                       .whole_turns = 0.5,
                       .crowding = 0.4,
                       .uneven_turns = 0.2,
                       .miss_seconds = 1e-6,
                       .product_seconds = 1.5e-6,
                       .library_seconds = 4e-6,
                       .sum_seconds = 1.7e-6,
                       .join_seconds = 1.5e-6,
                       .sector_seconds = 6e-12,
                       .line_seconds = 2e-10,
                       .near_bytes = 5e4};
  parameters.persistent = PersistentCosts{.row_seconds = 2e-7,
                                          .slice_seconds = 5e-7,
                                          .doubling_seconds = 7e-8,
                                          .load_seconds = 3e-7,
                                          .spilled_seconds = 1e-6,
                                          .halo_seconds = 7e-13,
                                          .sector_seconds = 8e-10,
                                          .uneven_seconds = 3e-10,
                                          .sector_miss_seconds = 5e-12,
                                          .cache_sharpness = 3};
  parameters.persistent_sums["grid"] = {3.1e-6, 2e-9};
  parameters.persistent_sums["cluster"] = {2e-6, 4e-8};
  for (const std::string name : {"CG3", "CG4", "CG5", "Red", "CGResidual", "CGDirection",
                                 "cublasDot", "cublasAxpy", "cublasScal"}) {
    parameters.kernels[name + "-f32"] = parameters.kernels[name + "-f64"] = {1.5e-6, 7000};
  }
  parameters.kernels["VendorMultiply"] = {1.5e-6, 7000};
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    parameters.products[precision]["csr"] = {4e-7, 2e-8, 1e-8, 1e-11, 3e-7, 2e-7, 6000};
    parameters.products[precision]["csr-sums"] = {4e-7, 2e-8, 1e-8, 1e-11, 2e-7, 2e-7, 5000};
    parameters.products[precision]["cusparseSpMV"] = {1e-8, 8e-9, 1e-9, 1e-13, 1e-8, 1e-8, 6000};
    parameters.persistent_steps[precision]["csr"] = {3e-9};
  }
  return parameters;
}

/// A matrix of five entries a row near the diagonal, in CSR and f64.
inline TrafficCase example_case(std::int64_t unknowns) {
  const auto x = static_cast<double>(unknowns);
  TrafficCase segment;
  segment.shape = {.unknowns = x,
                   .total_unknowns = x,
                   .elements = 5 * x,
                   .blocks = 5 * x,
                   .block_rows = x,
                   .index_bytes = 2};
  segment.pattern.sector_lookups[0] = 2 * x;
  segment.pattern.sector_lookups[1] = 2.75 * x;
  segment.pattern.sector_lookups[33] = 0.25 * x;
  segment.pattern.warp_steps = {5 * x / 32, 3 * x / 16, 2 * x / 8, x / 4, x / 2, x};
  segment.pattern.longest_row = 5;
  segment.execution.product = {.lanes = 1,
                               .threads = 256,
                               .rows_per_block = 256,
                               .blocks = unknowns / 256 + 1,
                               .longest_short_row = 32,
                               .loads = {.passes = x / 32, .lines = x}};
  segment.geometry = {.blocks_in_pass = 8,
                      .blocks_in_stream_pass = 64,
                      .blocks_before_row = 3,
                      .resident_blocks = 6,
                      .resident_blocks_with_sums = 6};
  return segment;
}

}  // namespace sparsecast
