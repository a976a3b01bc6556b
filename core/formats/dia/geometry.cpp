#include "core/formats/dia/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/formats/dia/dia.hpp"

namespace sparsecast {
namespace {

constexpr double most_of_few_diagonals = 9;

double diagonals_of(const SegmentShape& shape) {
  const auto rows = static_cast<std::int64_t>(std::ceil(shape.unknowns));
  return rows > 0 ? std::round(shape.elements / static_cast<double>(dia_stride(rows))) : 0;
}

std::int64_t rows_of_wide_block(Precision precision) {
  return dia_threads * (16 / static_cast<std::int64_t>(bytes_per_value(precision)));
}

}  // namespace

DiaKernel dia_kernel(const SegmentShape& shape, Precision precision, const GpuShape& gpu) {
  const double least_rows =
      static_cast<double>(rows_of_wide_block(precision)) * gpu.multiprocessors;
  const bool many = diagonals_of(shape) > most_of_few_diagonals;
  if (shape.unknowns >= least_rows) return many ? DiaKernel::many_diagonals : DiaKernel::wide;
  return many ? DiaKernel::few_rows_many_diagonals : DiaKernel::few_rows;
}

SpmvExecution dia_execution(const SegmentShape& shape, Precision precision, const GpuShape& gpu) {
  const DiaKernel kernel = dia_kernel(shape, precision, gpu);
  const bool wide = kernel == DiaKernel::wide || kernel == DiaKernel::many_diagonals;
  SpmvExecution execution;
  execution.threads = dia_threads;
  execution.rows_per_block = wide ? rows_of_wide_block(precision) : dia_threads;
  const auto rows = static_cast<std::int64_t>(shape.unknowns);
  execution.blocks = (rows + execution.rows_per_block - 1) / execution.rows_per_block;
  // All rows are of the same length, and none is cut.
  execution.longest_short_row = static_cast<std::int64_t>(diagonals_of(shape)) + 1;
  return execution;
}

ProductGeometry dia_geometry(const SpmvExecution& execution) {
  ProductGeometry geometry;
  const auto take = [&](auto shape) {
    geometry.blocks_in_pass = shape.at_once;
    geometry.blocks_in_stream_pass = shape.at_once;
    geometry.resident_blocks = shape.least_blocks;
    geometry.resident_blocks_with_sums = shape.least_blocks;
  };
  const bool many = static_cast<double>(execution.longest_short_row) > most_of_few_diagonals + 1;
  if (execution.rows_per_block > execution.threads) {
    many ? take(DiaManyDiagonals{}) : take(DiaWide{});
  } else if (many) {
    take(DiaFewRowsManyDiagonals{});
    geometry.kind = "-few-rows-many-diagonals";
  } else {
    take(DiaFewRows{});
    geometry.kind = "-few-rows";
  }
  return geometry;
}

AccessPattern dia_pattern(const AccessPattern& of_matrix, const SegmentShape& shape) {
  constexpr double warp = 32;
  AccessPattern pattern = of_matrix;
  pattern.longest_row = diagonals_of(shape);
  pattern.row_deviation = 0;
  for (std::size_t k = 0; k < pattern.warp_steps.size(); ++k) {
    const double lanes = std::ldexp(1.0, static_cast<int>(k));
    pattern.warp_steps[k] =
        std::ceil(shape.unknowns / (warp / lanes)) * std::ceil(pattern.longest_row / lanes);
  }
  return pattern;
}

WarpLoads dia_warp_loads(const SegmentShape& shape, const AccessPattern&, Precision precision,
                         const SpmvExecution& execution) {
  constexpr double warp = 32;
  constexpr double line_bytes = 128;
  const double rows_of_warp =
      warp * static_cast<double>(execution.rows_per_block) / execution.threads;
  const double warps = std::ceil(shape.unknowns / rows_of_warp);
  const double diagonals = diagonals_of(shape);
  const auto value_bytes = static_cast<double>(bytes_per_value(precision));
  // One instruction for each row of a thread, whose lanes are neighbours.
  const double instructions = rows_of_warp / warp;
  const double lines = warp * value_bytes / line_bytes + 1 - value_bytes / line_bytes;
  WarpLoads loads;
  loads.passes = warps * std::ceil(diagonals / dia_geometry(execution).blocks_in_pass);
  loads.lines = warps * diagonals * instructions * lines;
  return loads;
}

}  // namespace sparsecast
