#include "core/formats/format.hpp"

#include <map>
#include <string>
#include <vector>

#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/block_shape.hpp"
#include "core/formats/coo/coo.hpp"
#include "core/formats/cusparse/sliced_ell.hpp"
#include "core/formats/known_count.hpp"

/// @file
/// cuSPARSE's products, for comparisons: `cusparse` is CSR by its default algorithm,
/// `cusparse-alg2` by its other one, `cusparseN` BSR in N x N blocks, `cusparse-coo` and
/// `cusparse-coo-alg2` COO by either algorithm, `cusparse-sell` sliced ELL. Nothing forecasts them.

namespace sparsecast {

extern const Format cusparse_format;

namespace {

const char* const values_name = "number of values in slices";

std::vector<Layout> all_layouts_of_cusparse() {
  std::vector<Layout> layouts;
  for (const int n : block_sizes) layouts.push_back({"cusparse", n, RowOrder::natural});
  for (const char* variant : {"alg2", "coo", "coo-alg2", "sell"}) {
    layouts.push_back({"cusparse", 1, RowOrder::natural, variant});
  }
  return layouts;
}

std::map<std::string, double> count(const PatternView& matrix, const Segment& segment,
                                    const Layout& layout, int threads, const CudaPolicy&) {
  if (layout.variant != "sell") return {};
  return {{values_name, static_cast<double>(sliced_ell_values(matrix, segment, threads))}};
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  if (layout.variant.starts_with("coo")) {
    return coo_shape(numbers.rows, numbers.columns, numbers.nonzeros);
  }
  if (layout.variant == "sell") {
    return sliced_ell_shape(numbers.rows, numbers.columns,
                            known_count(numbers, layout, values_name));
  }
  SegmentShape shape =
      block_shape(numbers, layout.block_size, numbers.blocks_of(layout.block_size));
  // Its offsets have 32 bits, as its columns have.
  shape.offset_bytes = 4;
  return shape;
}

std::string refusal_of(const PatternNumbers& numbers, const Layout& layout) {
  if (layout.variant != "sell") return "";
  return sliced_ell_refusal(static_cast<std::int64_t>(numbers.nonzeros),
                            static_cast<std::int64_t>(known_count(numbers, layout, values_name)));
}

}  // namespace

const Format cusparse_format{.name = "cusparse",
                             .layouts = all_layouts_of_cusparse,
                             .count = count,
                             .shape = shape_of,
                             .refusal = refusal_of,
                             .weights =
                                 [](const PatternView& matrix, const Layout& layout) {
                                   return count_blocks(matrix, {0, matrix.rows}, layout.block_size);
                                 },
                             // Its default algorithms add up in any order.
                             .repeats_bits = false};

}  // namespace sparsecast
