#include "core/formats/format.hpp"

#include <vector>

#include "core/formats/block_shape.hpp"

/// @file
/// The two products of CSR of Bell and Garland 2008 (section 4.3), for comparisons: `csr-scalar`, a
/// thread a row, and `csr-vector`, a warp a row. They store what `csr` does, columns always in 32
/// bits. Nothing forecasts them.

namespace sparsecast {

extern const Format csr_scalar_format;
extern const Format csr_vector_format;

namespace {

SegmentShape shape_of(const PatternNumbers& numbers, const Layout&) {
  return block_shape(numbers, 1, numbers.nonzeros);
}

Buffer<std::int64_t> offsets_of(const PatternView& matrix, const Layout&) {
  return matrix.row_offsets.copy();
}

}  // namespace

const Format csr_scalar_format{
    .name = "csr-scalar",
    .layouts =
        [] {
          return std::vector<Layout>{{"csr-scalar", 1, RowOrder::natural}};
        },
    .shape = shape_of,
    .weights = offsets_of};
const Format csr_vector_format{
    .name = "csr-vector",
    .layouts =
        [] {
          return std::vector<Layout>{{"csr-vector", 1, RowOrder::natural}};
        },
    .shape = shape_of,
    .weights = offsets_of};

}  // namespace sparsecast
