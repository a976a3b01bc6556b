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
                       .overlap_waves = 0.5,
                       .whole_waves = 0.5,
                       .contention = 0.4,
                       .uneven_waves = 0.2,
                       .miss_seconds = 1e-6,
                       .memory_wait_seconds = 5e-7,
                       .double_seconds = 4e-11,
                       .product_seconds = 1.5e-6,
                       .library_seconds = 4e-6,
                       .join_seconds = 1.5e-6,
                       .sector_seconds = 6e-12,
                       .line_seconds = 2e-10,
                       .l1_bytes = 5e4,
                       .cache_read_gbps = 8000,
                       .cache_write_gbps = 6000,
                       .sum_seconds = 1.7e-6,
                       .sum_pass = 1.1,
                       .sum_step = 1.5,
                       .sum_gbps = 40'000};
  parameters.persistent = PersistentCosts{.warp_seconds = 2e-8,
                                          .slice_seconds = 5e-7,
                                          .doubling_seconds = 7e-8,
                                          .load_seconds = 3e-7,
                                          .spilled_seconds = 1e-6,
                                          .sector_seconds = 8e-10,
                                          .uneven_seconds = 3e-10,
                                          .round_seconds = 2e-7,
                                          .cache_bytes = 4e7,
                                          .cache_sharpness = 3};
  parameters.persistent_sums["grid"] = {3.1e-6, 2e-9};
  parameters.persistent_sums["cluster"] = {2e-6, 4e-8};
  parameters.kernels["vector"] = {.fixed_seconds = 1.6e-6, .sum_seconds = 2.5e-6};
  parameters.kernels["library"] = {.fixed_seconds = 1.2e-6, .sum_seconds = 1e-6, .values = 800};
  parameters.kernels["library-multiply"] = {.fixed_seconds = 1.1e-6, .gbps = 6000};
  parameters.products["csr"] = {.pass_seconds = 4e-7,
                                .double_pass = 1.5,
                                .step_seconds = 2e-8,
                                .byte_seconds = 1e-11,
                                .entry_seconds = 1e-11,
                                .next_wave_seconds = 2e-7,
                                .sum_seconds = 1e-7,
                                .sum_wave_seconds = 5e-8,
                                .gbps = 6000};
  parameters.products["cusparseSpMV"] = {.byte_seconds = 5e-11, .gbps = 6000};
  for (const Precision precision : {Precision::f32, Precision::f64}) {
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
