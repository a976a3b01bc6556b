#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/cpu/cpu_backend.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

/// @file
/// What is stored against Table 1 of Bell and Garland 2008: bytes a flop, of which there are two a
/// nonzero, of values, indices and one value of the vector each.

namespace sparsecast {
namespace {

struct TableLine {
  const char* layout;
  double bytes_per_flop_f32;
  double bytes_per_flop_f64;
};

constexpr TableLine table1[] = {{"dia", 4, 8},         {"ell", 6, 10}, {"csr-scalar", 6, 10},
                                {"csr-vector", 6, 10}, {"coo", 8, 12}, {"hyb-paper", 6, 10}};

/// Bytes of values and indices that are stored of a matrix.
template <class T>
double stored_bytes(const CsrMatrix<double>& matrix, const char* layout) {
  CpuBackend cpu(1, 1);
  const CsrMatrix<T> converted = convert_values<T>(matrix.view());
  const auto prepared =
      cpu.prepare(single_step_schedule("SpMV"), converted.view(), parse_layout(layout));
  prepared->run(1);
  const BytesByKind bytes = prepared->counters().bytes;
  return bytes.values + bytes.indices;
}

TEST(BellGarlandBytes, AreThoseOfTable1AndOfPadding) {
  // All stencils of the paper's structured matrices, on whole columns of 64 rows: what is padding
  // are the places beyond the boundary.
  const CsrMatrix<double> grids[] = {laplacian(3, 6400), laplacian(5, 64, 64),
                                     laplacian(7, 16, 16, 16), laplacian(9, 64, 64),
                                     laplacian(27, 16, 16, 16)};
  const double points[] = {3, 5, 7, 9, 27};
  for (std::size_t k = 0; k < std::size(grids); ++k) {
    const CsrMatrix<double>& grid = grids[k];
    for (const TableLine& line : table1) {
      const bool pads =
          std::ranges::count(std::array<std::string_view, 3>{"dia", "ell", "hyb-paper"},
                             line.layout) > 0;
      const auto elements =
          pads ? points[k] * static_cast<double>(grid.rows) : static_cast<double>(grid.nonzeros());
      EXPECT_EQ(stored_bytes<float>(grid, line.layout),
                elements * (2 * line.bytes_per_flop_f32 - 4))
          << line.layout << ", " << points[k] << " points";
      EXPECT_EQ(stored_bytes<double>(grid, line.layout),
                elements * (2 * line.bytes_per_flop_f64 - 8))
          << line.layout << ", " << points[k] << " points";
    }
  }
}

}  // namespace
}  // namespace sparsecast
