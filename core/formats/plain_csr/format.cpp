#include "core/formats/format.hpp"

#include <vector>

#include "core/formats/block_shape.hpp"
#include "core/formats/plain_csr/geometry.hpp"
#include "core/formats/plain_csr/loads.hpp"

/// @file
/// The two products of CSR of Bell and Garland 2008 (section 4.3), for comparisons: `csr-scalar`, a
/// thread a row, and `csr-vector`, a warp a row. They store what `csr` does, columns always in 32
/// bits.

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

template <int lanes>
SpmvExecution execution_of(const SegmentShape& shape, const Layout&, Precision, const GpuShape&,
                           const CudaPolicy&) {
  return plain_csr_execution(shape, lanes);
}

template <int lanes>
ProductGeometry geometry_of(const Layout&, Precision precision, const SpmvExecution&) {
  return plain_csr_geometry(precision, lanes);
}

WarpLoads count_loads(const PatternView& matrix, const Segment& segment, const Layout&,
                      Precision precision, const SpmvExecution& execution, int) {
  return count_plain_csr_loads(matrix, segment, precision, execution);
}

}  // namespace

const Format csr_scalar_format{
    .name = "csr-scalar",
    .layouts =
        [] {
          return std::vector<Layout>{{"csr-scalar", 1, RowOrder::natural}};
        },
    .shape = shape_of,
    .weights = offsets_of,
    .execution = execution_of<1>,
    .geometry = geometry_of<1>,
    .count_loads = count_loads,
    .warp_loads = estimate_plain_csr_loads};
const Format csr_vector_format{
    .name = "csr-vector",
    .layouts =
        [] {
          return std::vector<Layout>{{"csr-vector", 1, RowOrder::natural}};
        },
    .shape = shape_of,
    .weights = offsets_of,
    .execution = execution_of<32>,
    .geometry = geometry_of<32>,
    .count_loads = count_loads,
    .warp_loads = estimate_plain_csr_loads};

}  // namespace sparsecast
