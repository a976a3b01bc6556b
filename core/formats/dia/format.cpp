#include "core/formats/format.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/formats/dia/dia.hpp"
#include "core/formats/dia/geometry.hpp"
#include "core/formats/equal_rows.hpp"

namespace sparsecast {

extern const Format dia_format;

namespace {

const char* const diagonals_name = "diagonals";

/// Nothing where they were not counted.
std::optional<double> diagonals_of(const PatternNumbers& numbers) {
  const auto found = numbers.counts.find(diagonals_name);
  if (found == numbers.counts.end()) return std::nullopt;
  return found->second;
}

double known_diagonals_of(const PatternNumbers& numbers) {
  const std::optional<double> diagonals = diagonals_of(numbers);
  if (!diagonals) {
    throw Error("layout dia: the number of diagonals is not known; give the matrix itself");
  }
  if (*diagonals > numbers.rows + numbers.columns) {
    throw Error(
        "layout dia: the matrix has fewer diagonals than were counted; give the matrix "
        "itself");
  }
  return *diagonals;
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout&) {
  return dia_shape(numbers.rows, numbers.columns, known_diagonals_of(numbers));
}

std::string refusal_of(const PatternNumbers& numbers, const Layout&) {
  return dia_refusal(static_cast<std::int64_t>(numbers.rows),
                     static_cast<std::int64_t>(numbers.nonzeros),
                     static_cast<std::int64_t>(known_diagonals_of(numbers)));
}

/// A value without its index takes a bit more than half of one with it in CSR, in either precision.
bool may_pay(const PatternNumbers& numbers, const Layout&) {
  const std::optional<double> diagonals = diagonals_of(numbers);
  return diagonals && *diagonals * numbers.rows <= 2 * numbers.nonzeros;
}

}  // namespace

const Format dia_format{
    .name = "dia",
    .layouts =
        [] {
          return std::vector<Layout>{{"dia", 1, RowOrder::natural}};
        },
    .count =
        [](const PatternView& matrix, const Segment& segment, const Layout&, int threads,
           const CudaPolicy&) {
          return std::map<std::string, double>{
              {diagonals_name,
               static_cast<double>(occupied_diagonals(matrix, segment, threads).size())}};
        },
    .shape = shape_of,
    .may_pay = may_pay,
    .refusal = refusal_of,
    .pattern = dia_pattern,
    .weights = equal_rows,
    .execution = [](const SegmentShape& shape, const Layout&, Precision precision,
                    const GpuShape& gpu,
                    const CudaPolicy&) { return dia_execution(shape, precision, gpu); },
    .geometry = [](const Layout&, Precision,
                   const SpmvExecution& execution) { return dia_geometry(execution); },
    .warp_loads = dia_warp_loads};

}  // namespace sparsecast
