#include "core/formats/format.hpp"

#include <map>
#include <string>
#include <vector>

#include "core/formats/csr_adaptive/csr_adaptive.hpp"
#include "core/formats/known_count.hpp"

/// @file
/// CSR-Adaptive, for rows of very different lengths.

namespace sparsecast {

extern const Format csr_adaptive_format;

namespace {

constexpr const char* blocks_name = "row blocks";
constexpr const char* columns_name = "column units of row blocks";

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  const AdaptiveSize size{static_cast<std::int64_t>(known_count(numbers, layout, blocks_name)),
                          static_cast<std::int64_t>(known_count(numbers, layout, columns_name))};
  return adaptive_shape(numbers.rows, numbers.columns, numbers.nonzeros, size);
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
              {columns_name, static_cast<double>(size.column_units)}};
        },
    .shape = shape_of,
    .weights = [](const PatternView& matrix, const Layout&) { return matrix.row_offsets.copy(); }};

}  // namespace sparsecast
