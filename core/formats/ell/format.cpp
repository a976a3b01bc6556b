#include "core/formats/format.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/formats/ell/ell.hpp"
#include "core/formats/ell/geometry.hpp"
#include "core/formats/ell/loads.hpp"
#include "core/formats/equal_rows.hpp"
#include "core/formats/known_count.hpp"

/// @file
/// ELL, for comparisons.

namespace sparsecast {

extern const Format ell_format;

namespace {

const char* const longest_name = "length of the longest row";

std::map<std::string, double> count(const PatternView& matrix, const Segment& segment,
                                    const Layout&, int threads, const CudaPolicy&) {
  return {{longest_name, static_cast<double>(longest_row(matrix, segment, threads))}};
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  return ell_shape(numbers.rows, numbers.columns, known_count(numbers, layout, longest_name));
}

std::string refusal_of(const PatternNumbers& numbers, const Layout& layout) {
  return ell_refusal(static_cast<std::int64_t>(numbers.rows),
                     static_cast<std::int64_t>(numbers.nonzeros),
                     static_cast<std::int64_t>(known_count(numbers, layout, longest_name)));
}

WarpLoads count_loads(const PatternView& matrix, const Segment& segment, const Layout&,
                      Precision precision, const SpmvExecution&, int threads) {
  return count_ell_loads(matrix, segment, longest_row(matrix, segment, threads), precision);
}

}  // namespace

const Format ell_format{
    .name = "ell",
    .layouts =
        [] {
          return std::vector<Layout>{{"ell", 1, RowOrder::natural}};
        },
    .count = count,
    .shape = shape_of,
    .refusal = refusal_of,
    .weights = equal_rows,
    .execution = [](const SegmentShape& shape, const Layout&, Precision, const GpuShape&,
                    const CudaPolicy&) { return ell_execution(shape.unknowns); },
    .geometry = [](const Layout&, Precision, const SpmvExecution&) { return ell_geometry(); },
    .count_loads = count_loads};

}  // namespace sparsecast
