#include "core/formats/format.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/formats/csr_adaptive/csr_adaptive.hpp"
#include "core/formats/csr_adaptive/geometry.hpp"
#include "core/formats/csr_adaptive/loads.hpp"
#include "core/formats/known_count.hpp"

/// @file
/// CSR-Adaptive, for rows of very different lengths.

namespace sparsecast {

extern const Format csr_adaptive_format;

namespace {

constexpr const char* blocks_name = "row blocks";
constexpr const char* columns_name = "column bytes";

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  const AdaptiveSize size{
      static_cast<std::int64_t>(known_count(numbers, layout, blocks_name)),
      static_cast<std::int64_t>(known_count(numbers, layout, columns_name)) / column_unit_bytes};
  return adaptive_shape(numbers.rows, numbers.columns, numbers.nonzeros, size);
}

/// Elsewhere CSR has columns in two bytes, too, and lanes that share rows, or SELL pays.
bool may_pay(const PatternNumbers& numbers, const Layout&) {
  constexpr double least_column_bytes = 3;
  const auto bytes = numbers.counts.find(columns_name);
  return bytes != numbers.counts.end() && bytes->second > least_column_bytes * numbers.nonzeros;
}

}  // namespace

const Format csr_adaptive_format{
    .name = "csr-adaptive",
    .layouts =
        [] {
          return std::vector<Layout>{{"csr-adaptive", 1, RowOrder::natural}};
        },
    .count =
        [](const PatternView& matrix, const Segment& segment, const Layout&, int threads,
           const CudaPolicy&) {
          const AdaptiveSize size = adaptive_size(matrix, segment, threads);
          return std::map<std::string, double>{
              {blocks_name, static_cast<double>(size.blocks)},
              {columns_name, static_cast<double>(size.column_units * column_unit_bytes)}};
        },
    .shape = shape_of,
    .may_pay = may_pay,
    .pattern =
        [](const AccessPattern& of_matrix, const SegmentShape&) {
          // What is longer is several row blocks, side by side.
          AccessPattern pattern = of_matrix;
          pattern.longest_row =
              std::min(pattern.longest_row, static_cast<double>(most_entries_of_row_block));
          return pattern;
        },
    .weights = [](const PatternView& matrix, const Layout&) { return matrix.row_offsets.copy(); },
    .execution = [](const SegmentShape& shape, const Layout&, Precision, const GpuShape&,
                    const CudaPolicy&) { return adaptive_execution(shape, row_blocks_of(shape)); },
    .geometry = [](const Layout&, Precision, const SpmvExecution&) { return adaptive_geometry(); },
    .count_loads = [](const PatternView& matrix, const Segment& segment, const Layout&,
                      Precision precision, const SpmvExecution&,
                      int) { return count_adaptive_loads(matrix, segment, precision); },
    .warp_loads = estimate_adaptive_loads};

}  // namespace sparsecast
