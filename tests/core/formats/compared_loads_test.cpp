#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/formats/coo/loads.hpp"
#include "core/formats/ell/loads.hpp"
#include "core/formats/load_counts.hpp"
#include "core/formats/matrix_of_rows.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

/// @file
/// What kernels of formats that are for comparisons load, and of which kernels their products are.

namespace sparsecast {
namespace {

/// A matrix in a layout as forecasts see it.
struct Stored {
  SegmentShape shape;
  AccessPattern pattern;
  SpmvExecution execution;
  std::vector<ProductPart> parts;
};

Stored stored(const CsrMatrix<double>& matrix, const Layout& layout, Precision precision) {
  const GpuShape gpu{100, std::int64_t{50} << 20, 200'000};
  const MatrixFeatures features = compute_features<double>(matrix);
  const MatrixAccess access = compute_access(matrix.view(), {0, matrix.rows}, 1);
  Stored one;
  one.shape = cuda_shape(matrix.view(), features, access, layout, CudaPolicy{});
  one.pattern = stored_pattern(access, one.shape, layout, precision);
  one.execution = spmv_execution(one.shape, layout, precision, gpu, CudaPolicy{});
  one.execution.loads = product_loads(matrix.view(), {0, matrix.rows}, one.shape, layout, precision,
                                      one.execution, 1);
  one.parts = product_parts(one.shape, one.pattern, layout, precision, one.execution);
  return one;
}

WarpLoads loads(const CsrMatrix<double>& matrix, const char* layout, Precision precision) {
  return stored(matrix, parse_layout(layout), precision).execution.loads;
}

TEST(EllLoads, OfRowsOfTheSameColumns) {
  // Four warps; lanes that are taken together, 32 of f32 or 16 of f64, look one line up.
  const CsrMatrix<double> matrix = same_rows(128, 10);
  EXPECT_EQ(loads(matrix, "ell", Precision::f32), (WarpLoads{4 * 3, 4 * 10}));
  EXPECT_EQ(loads(matrix, "ell", Precision::f64), (WarpLoads{4 * 3, 4 * 10 * 2}));
  EXPECT_EQ(count_ell_loads(matrix.view().pattern(), {32, 96}, 3, Precision::f32),
            (WarpLoads{2, 2 * 3}));
}

TEST(EllLoads, PaddingLoadsNothing) {
  const CsrMatrix<double> matrix = matrix_of_rows({{0}, {0, 40, 80, 120, 160, 200}, {}}, 201);
  EXPECT_EQ(loads(matrix, "ell", Precision::f32), (WarpLoads{2, 6}));
}

TEST(PlainCsrLoads, OfAThreadARowAreThoseOfTheMatrixToo) {
  // Sixteen entries are a line of values in f64, half of one in f32, as columns are.
  const CsrMatrix<double> matrix = same_rows(64, 16);
  EXPECT_EQ(loads(matrix, "csr-scalar", Precision::f64),
            (WarpLoads{2 * 4, 2 * 16 * (2 + 32 + 16)}));
  EXPECT_EQ(loads(matrix, "csr-scalar", Precision::f32),
            (WarpLoads{2 * 4, 2 * 16 * (1 + 16 + 16)}));
}

TEST(PlainCsrLoads, TakeWhatIsLeftOverOneByOne) {
  EXPECT_EQ(loads(same_rows(32, 7), "csr-scalar", Precision::f64).passes, 3 + 1);
  // The longest of either kind hold the warp up.
  const CsrMatrix<double> matrix = matrix_of_rows({{0, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 7}}, 8);
  EXPECT_EQ(loads(matrix, "csr-scalar", Precision::f64).passes, 3 + 2);
}

TEST(PlainCsrLoads, OfAWarpARowAreThoseOfTheVector) {
  EXPECT_EQ(loads(same_rows(50, 16), "csr-vector", Precision::f64), (WarpLoads{50, 50 * 16}));
  // Five entries a lane: one, and four at once.
  EXPECT_EQ(loads(same_rows(50, 160), "csr-vector", Precision::f32), (WarpLoads{50 * 2, 50 * 160}));
}

TEST(CooLoads, OfRowsOfTheSameColumns) {
  // Forty steps of 32 entries, which lie in ten columns, ten steps in a pass of four each.
  const CsrMatrix<double> matrix = same_rows(128, 10);
  EXPECT_EQ(loads(matrix, "coo", Precision::f32), (WarpLoads{10, 0, 40 * 10, 128}));
  EXPECT_EQ(loads(matrix, "coo", Precision::f64), (WarpLoads{10, 0, 40 * 20, 128}));
  EXPECT_EQ(count_coo_loads(matrix.view().pattern(), {0, 128}, 4, Precision::f32),
            (WarpLoads{0, 0, 24 * 6, 128}));
}

TEST(ComparedLoads, OfALargeMatrixAreEstimatedFromASample) {
  const CsrMatrix<double> matrix = random_csr<double>(120'000, 50'000, 10, 3);
  ASSERT_GT(static_cast<double>(matrix.nonzeros()), 3 * most_entries_of_sample);
  // Every look-up is in a line of its own, nearly.
  const auto entries = static_cast<double>(matrix.nonzeros());
  for (const char* name : {"ell", "csr-vector"}) {
    EXPECT_NEAR(loads(matrix, name, Precision::f64).lines / entries, 1, 0.03) << name;
  }
  EXPECT_NEAR(loads(matrix, "coo", Precision::f64).added_lines / entries, 1, 0.03);
}

double lookups(const AccessPattern& pattern) {
  double sum = 0;
  for (const double count : pattern.sector_lookups) sum += count;
  return sum;
}

TEST(ProductParts, AreOfAllThatIsStoredAndLoaded) {
  for (const CsrMatrix<double>& matrix :
       {power_law(30'000, 8, 2.1, 1), random_csr<double>(3000, 3000, 9, 5), laplacian(5, 50, 40)}) {
    for (const char* name : {"coo", "hyb", "hyb-paper"}) {
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        const Stored whole = stored(matrix, parse_layout(name), precision);
        double elements = 0;
        double index_bytes = 0;
        double found_lookups = 0;
        WarpLoads found;
        for (const ProductPart& part : whole.parts) {
          elements += part.shape.elements;
          index_bytes += part.shape.index_bytes * part.shape.blocks;
          found_lookups += lookups(part.pattern);
          found = found + part.execution.loads;
        }
        SCOPED_TRACE(name);
        EXPECT_EQ(elements, whole.shape.elements);
        EXPECT_NEAR(index_bytes, whole.shape.index_bytes * whole.shape.blocks, 1e-6 * index_bytes);
        EXPECT_NEAR(found_lookups, lookups(whole.pattern), 1e-6 * found_lookups);
        EXPECT_EQ(found.passes, whole.execution.loads.passes);
        EXPECT_EQ(found.lines, whole.execution.loads.lines + whole.execution.loads.added_lines);
      }
    }
  }
}

TEST(ProductParts, OfHybAreTwoWhereCooHasEntries) {
  const Layout hyb = parse_layout("hyb");
  EXPECT_EQ(stored(laplacian(5, 50, 40), hyb, Precision::f64).parts.size(), 1U);
  const CsrMatrix<double> graph = power_law(200'000, 8, 2.1, 1);
  const Stored whole = stored(graph, hyb, Precision::f64);
  ASSERT_EQ(whole.parts.size(), 2U);
  const std::int64_t width = whole.parts[0].execution.longest_short_row;
  std::int64_t longer = 0;
  for (std::int64_t row = 0; row < graph.rows; ++row) {
    longer += graph.row_offsets[row + 1] - graph.row_offsets[row] > width ? 1 : 0;
  }
  EXPECT_EQ(whole.parts[0].updated_rows, 0);
  EXPECT_EQ(whole.parts[1].updated_rows, longer);
}

TEST(ProductParts, OfOtherFormatsAreNone) {
  for (const char* name : {"csr", "ell", "csr-scalar", "csr-vector"}) {
    EXPECT_TRUE(stored(laplacian(5, 20, 20), parse_layout(name), Precision::f64).parts.empty());
  }
}

/// Kernels that share constants have no group of their own.
TEST(ProductGeometry, NamesTheFormatThatItIsPricedAs) {
  for (const auto& [name, priced_as] : {std::pair{"ell", "sell"},
                                        {"csr-vector", "csr"},
                                        {"csr-scalar", "csr"},
                                        {"coo", "csr-adaptive"},
                                        {"dia", ""},
                                        {"csr", ""}}) {
    const Layout layout = parse_layout(name);
    for (const double blocks : {0.0, 500.0}) {
      const SegmentShape shape{.unknowns = 100, .elements = blocks, .blocks = blocks};
      EXPECT_EQ(product_geometry(shape, layout, Precision::f32, {}).priced_as, priced_as) << name;
    }
  }
}

}  // namespace
}  // namespace sparsecast
