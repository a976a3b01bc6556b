#include "core/analysis/estimated_access.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/exchange_plan.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/metis_order.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast {
namespace {

using NamedMatrices = std::vector<std::pair<std::string, CsrMatrix<double>>>;

NamedMatrices grids() {
  NamedMatrices all;
  all.emplace_back("3 points", laplacian(3, 30000));
  all.emplace_back("5 points", laplacian(5, 150, 160));
  all.emplace_back("5 points, long", laplacian(5, 60, 600));
  all.emplace_back("9 points", laplacian(9, 120, 100));
  all.emplace_back("7 points", laplacian(7, 30, 31, 32));
  all.emplace_back("27 points", laplacian(27, 25, 24, 23));
  return all;
}

NamedMatrices others() {
  NamedMatrices all;
  all.emplace_back("fem P1", fem_elasticity(1, 12, 1));
  all.emplace_back("fem P2", fem_elasticity(2, 6, 1));
  for (const double bandwidth : {1.0, 0.05, 0.003}) {
    RandomMatrixSpec spec;
    spec.rows = 30000;
    spec.mean_row_length = 12;
    spec.stddev_row_length = 3;
    spec.bandwidth_fraction = bandwidth;
    all.emplace_back("random in " + std::to_string(bandwidth), random_matrix(spec));
  }
  all.emplace_back("power law", power_law(30000, 12, 2.2, 1));
  const CsrMatrix<double> grid = laplacian(5, 150, 160);
  all.emplace_back("grid in random order",
                   renumber<double>(grid, random_permutation(grid.rows, 1)));
  return all;
}

/// By which factor distinct sectors are off at most, in windows from one row to all.
double worst_factor(const CsrMatrix<double>& matrix, const MatrixNumbers& numbers) {
  const MatrixAccess access = compute_access<double>(matrix);
  double worst = 1;
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const AccessPattern found = estimate_access(numbers, Layout{}, precision);
    const AccessPattern real = access.pattern(Layout{}, precision);
    for (int k = 0; k <= 20; ++k) {
      const double window = std::ldexp(1.0, k);
      const double ratio = distinct_sectors(found, window) / distinct_sectors(real, window);
      worst = std::max({worst, ratio, 1 / ratio});
    }
  }
  return worst;
}

MatrixNumbers numbers_of(const CsrMatrix<double>& matrix) {
  MatrixNumbers numbers;
  numbers.rows = static_cast<double>(matrix.rows);
  numbers.nonzeros = static_cast<double>(matrix.nonzeros());
  numbers.of_rows = count_row_numbers(matrix.view().pattern());
  return numbers;
}

MatrixNumbers with_row_lengths_only(MatrixNumbers numbers) {
  numbers.of_rows.mean_distance.reset();
  numbers.of_rows.neighbours.reset();
  numbers.of_rows.similarity.reset();
  return numbers;
}

TEST(EstimatedAccess, OfGridsIsNearFromRowLengths) {
  for (const auto& [name, matrix] : grids()) {
    EXPECT_LT(worst_factor(matrix, with_row_lengths_only(numbers_of(matrix))), 2.5) << name;
  }
}

TEST(EstimatedAccess, IsNearWithAllNumbersOfRows) {
  for (const NamedMatrices& matrices : {grids(), others()}) {
    for (const auto& [name, matrix] : matrices) {
      EXPECT_LT(worst_factor(matrix, numbers_of(matrix)), 2) << name;
    }
  }
}

TEST(EstimatedAccess, HasALookUpForEveryNonzero) {
  for (const auto& [name, matrix] : others()) {
    const AccessPattern pattern =
        estimate_access(with_row_lengths_only(numbers_of(matrix)), Layout{}, Precision::f32);
    double lookups = 0;
    for (const double count : pattern.sector_lookups) {
      EXPECT_GE(count, 0) << name;
      lookups += count;
    }
    EXPECT_NEAR(lookups, static_cast<double>(matrix.nonzeros()), 1e-6) << name;
  }
}

TEST(EstimatedAccess, EstimatesWarpStepsFromRowLengths) {
  for (const auto& [name, matrix] : others()) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      const Layout layout{"csr", 1, order};
      const AccessPattern found = estimate_access(numbers_of(matrix), layout, Precision::f64);
      const AccessPattern real = compute_access<double>(matrix).pattern(layout, Precision::f64);
      for (std::size_t k = 0; k < real.warp_steps.size(); ++k) {
        const double ratio = found.warp_steps[k] / real.warp_steps[k];
        EXPECT_GT(ratio, 0.5) << name << ", " << to_string(layout) << ", 2^" << k << " lanes";
        EXPECT_LT(ratio, 2) << name << ", " << to_string(layout) << ", 2^" << k << " lanes";
      }
    }
  }
}

TEST(EstimatedAccess, ChangesGraduallyWithEachNumber) {
  const auto pattern_of = [](double mean, double deviation) {
    MatrixNumbers numbers;
    numbers.rows = 1e5;
    numbers.nonzeros = mean * numbers.rows;
    numbers.of_rows.deviation = deviation;
    return estimate_access(numbers, Layout{}, Precision::f64);
  };
  // Look-ups that no window of so many rows saves, and steps: per entry.
  const auto counts_of = [&](double mean, double deviation) {
    const AccessPattern pattern = pattern_of(mean, deviation);
    std::vector<double> counts;
    double rest = mean * 1e5;
    for (const double saved : pattern.sector_lookups) {
      counts.push_back(rest / mean);
      rest -= saved;
    }
    for (const double steps : pattern.warp_steps) counts.push_back(steps / mean);
    return counts;
  };
  const auto expect_near = [](const std::vector<double>& before, const std::vector<double>& after,
                              const std::string& where) {
    for (std::size_t k = 0; k < before.size(); ++k) {
      EXPECT_NEAR(after[k], before[k], 0.08 * before[k] + 1) << where << ", count " << k;
    }
  };
  std::vector<double> before = counts_of(7, 1);
  for (double deviation = 1; deviation < 30; deviation *= 1.002) {
    const std::vector<double> after = counts_of(7, deviation);
    expect_near(before, after, "deviation " + std::to_string(deviation));
    before = after;
  }
  before = counts_of(1.5, 0);
  for (double mean = 1.5; mean < 40; mean *= 1.002) {
    const std::vector<double> after = counts_of(mean, 0);
    expect_near(before, after, "mean " + std::to_string(mean));
    before = after;
  }
}

/// What follows from numbers: distinct columns and sectors in windows, distances, and steps of
/// warps.
std::vector<double> counts_of(const MatrixNumbers& numbers) {
  std::vector<double> counts;
  const AccessPattern pattern = estimate_access(numbers, Layout{}, Precision::f64);
  for (double window = 1; window <= 65536; window *= 2) {
    counts.push_back(distinct_sectors(pattern, window));
    counts.push_back(estimate_columns(numbers, window));
  }
  counts.push_back(pattern.bandwidth);
  counts.push_back(estimate_halo(numbers, 4) + 1);
  counts.insert(counts.end(), pattern.warp_steps.begin(), pattern.warp_steps.end());
  return counts;
}

/// A mesh, a band, and scattered columns.
std::vector<MatrixNumbers> some_numbers() {
  MatrixNumbers mesh;
  mesh.rows = 1e6;
  mesh.nonzeros = 7e6;
  MatrixNumbers band = mesh;
  band.nonzeros = 27e6;
  band.of_rows = {3, 40, 5000, 1.3, 0.9};
  MatrixNumbers scattered = mesh;
  scattered.nonzeros = 15e6;
  scattered.of_rows = {9, 0, 250'000, 0.3, {}};
  return {mesh, band, scattered};
}

TEST(EstimatedAccess, DoesNotJumpInAnyNumber) {
  struct Sweep {
    const char* name;
    double from;
    double to;
    void (*set)(MatrixNumbers&, double);
  };
  const std::vector<Sweep> sweeps{
      {"rows", 7e5, 3e6, [](MatrixNumbers& n, double value) { n.rows = std::round(value); }},
      {"nonzeros", 1.1e6, 1e8, [](MatrixNumbers& n, double value) { n.nonzeros = value; }},
      {"deviation", 1e-2, 1e3, [](MatrixNumbers& n, double value) { n.of_rows.deviation = value; }},
      {"longest", 60, 1e5, [](MatrixNumbers& n, double value) { n.of_rows.longest = value; }},
      {"distance", 0.1, 9e5,
       [](MatrixNumbers& n, double value) { n.of_rows.mean_distance = value; }},
      {"neighbours", 1e-3, 2, [](MatrixNumbers& n, double value) { n.of_rows.neighbours = value; }},
      {"similarity", 1e-3, 1,
       [](MatrixNumbers& n, double value) { n.of_rows.similarity = value; }}};
  constexpr double ratio = 1.001;
  for (const MatrixNumbers& some : some_numbers()) {
    for (const Sweep& sweep : sweeps) {
      std::vector<double> before;
      for (double value = sweep.from; value <= sweep.to; value *= ratio) {
        MatrixNumbers numbers = some;
        sweep.set(numbers, value);
        const double mean = numbers.nonzeros / numbers.rows;
        if (numbers.of_rows.longest > 0 && numbers.of_rows.longest < mean) continue;
        const std::vector<double> after = counts_of(numbers);
        for (std::size_t k = 0; k < std::min(before.size(), after.size()); ++k) {
          ASSERT_NEAR(after[k] / before[k], 1, 0.06)
              << sweep.name << ' ' << value << " of " << some.nonzeros << ", count " << k << ' '
              << before[k];
        }
        before = after;
      }
    }
  }
}

TEST(EstimatedAccess, OfABandIsExact) {
  const CsrMatrix<double> matrix = laplacian(3, 100'000);
  const MatrixNumbers numbers = numbers_of(matrix);
  const AccessPattern real = compute_access<double>(matrix).pattern(Layout{}, Precision::f64);
  const AccessPattern found = estimate_access(numbers, Layout{}, Precision::f64);
  for (double window = 256; window < 1e5; window *= 4) {
    EXPECT_NEAR(distinct_sectors(found, window) / distinct_sectors(real, window), 1, 0.02)
        << window;
  }
  for (const double window : {1, 10, 100, 1000}) {
    // Each window's rows and one column on each side.
    EXPECT_NEAR(estimate_columns(numbers, window) / (1e5 / window * (window + 2)), 1, 1e-3);
  }
  for (std::size_t k = 0; k < real.warp_steps.size(); ++k) {
    EXPECT_NEAR(found.warp_steps[k], real.warp_steps[k], 1) << k;
  }
}

TEST(EstimatedAccess, MovesTheRightWayWithEachNumber) {
  MatrixNumbers numbers;
  numbers.rows = 1e6;
  numbers.nonzeros = 20e6;
  numbers.of_rows = {6, 60, 50'000, 0.8, 0.6};
  const auto sectors_of = [&](double window, auto change) {
    MatrixNumbers other = numbers;
    change(other.of_rows);
    return distinct_sectors(estimate_access(other, Layout{}, Precision::f64), window);
  };
  const double base = sectors_of(256, [](RowNumbers&) {});
  EXPECT_LT(sectors_of(256, [](RowNumbers& n) { n.similarity = 0.9; }), base);
  EXPECT_GT(sectors_of(256, [](RowNumbers& n) { n.similarity = 0.4; }), base);
  EXPECT_LT(sectors_of(256, [](RowNumbers& n) { n.mean_distance = 500; }), base);
  EXPECT_GT(sectors_of(256, [](RowNumbers& n) { n.mean_distance = 300'000; }), base);
  EXPECT_LT(sectors_of(1, [](RowNumbers& n) { n.neighbours = 1.6; }),
            sectors_of(1, [](RowNumbers& n) { n.neighbours = 0.4; }));
  // A sector for each entry.
  EXPECT_NEAR(sectors_of(1, [](RowNumbers& n) { n.neighbours = 0; }), 20e6, 0.05e6);
}

TEST(EstimatedAccess, TakesOneLongRowForWhatItIs) {
  MatrixNumbers numbers;
  numbers.rows = 1e6;
  numbers.of_rows.longest = 1e6;
  numbers.nonzeros = 5 * (numbers.rows - 1) + numbers.of_rows.longest;
  numbers.of_rows.deviation =
      (numbers.of_rows.longest - 5) * std::sqrt(numbers.rows - 1) / numbers.rows;
  const AccessPattern pattern = estimate_access(numbers, Layout{}, Precision::f64);
  EXPECT_EQ(pattern.longest_row, 1e6);
  // All rows but one have 5 entries.
  EXPECT_NEAR(pattern.warp_steps[0], 5e6 / 32 + 1e6, 1e4);
  EXPECT_LT(distinct_sectors(pattern, 1), 5e6);
}

TEST(EstimatedShape, GivesTheBlocksOfGrids) {
  for (const auto& [name, matrix] : grids()) {
    const MatrixFeatures features = compute_features<double>(matrix);
    for (const int n : block_sizes) {
      const SegmentShape found =
          estimate_shape(with_row_lengths_only(numbers_of(matrix)), block_layout(n));
      const SegmentShape real = features.shape(block_layout(n));
      EXPECT_EQ(found.block_rows, real.block_rows) << name << ", N = " << n;
      EXPECT_EQ(found.elements, found.blocks * n * n) << name << ", N = " << n;
      EXPECT_GT(found.blocks, 0.5 * real.blocks) << name << ", N = " << n;
      EXPECT_LT(found.blocks, 2 * real.blocks) << name << ", N = " << n;
    }
  }
}

TEST(EstimatedShape, HasTheBlocksThatElementsSay) {
  const MatrixFeatures features = compute_features<double>(fem_elasticity(1, 8, 1));
  for (const int n : block_sizes) {
    MatrixNumbers numbers;
    numbers.rows = static_cast<double>(features.rows);
    numbers.nonzeros = static_cast<double>(features.block(n).block_elements);
    numbers.block_size = n;
    EXPECT_EQ(estimate_shape(numbers, block_layout(n)).blocks,
              static_cast<double>(features.block(n).blocks));
  }
}

TEST(EstimatedShape, OfAMatrixWithoutEntriesIsEmpty) {
  MatrixNumbers numbers;
  numbers.rows = 10;
  EXPECT_EQ(estimate_shape(numbers, block_layout(2)).blocks, 0);
  const AccessPattern pattern = estimate_access(numbers, block_layout(2), Precision::f32);
  EXPECT_EQ(distinct_sectors(pattern, 1), 0);
  EXPECT_EQ(pattern.warp_steps[0], 0);
}

TEST(EstimatedAccess, RefusesNumbersThatNoMatrixHas) {
  MatrixNumbers good;
  good.rows = 100;
  good.nonzeros = 500;
  const auto refuses = [&](auto change) {
    MatrixNumbers numbers = good;
    change(numbers);
    EXPECT_THROW(estimate_access(numbers, Layout{}, Precision::f32), Error);
    EXPECT_THROW(estimate_shape(numbers, Layout{}), Error);
  };
  EXPECT_NO_THROW(estimate_access(good, Layout{}, Precision::f32));
  refuses([](MatrixNumbers& n) { n.rows = 0; });
  refuses([](MatrixNumbers& n) { n.nonzeros = 10001; });
  refuses([](MatrixNumbers& n) { n.nonzeros = std::numeric_limits<double>::quiet_NaN(); });
  refuses([](MatrixNumbers& n) { n.block_size = 5; });
  refuses([](MatrixNumbers& n) { n.of_rows.deviation = -1; });
  refuses([](MatrixNumbers& n) { n.of_rows.longest = 4; });
  refuses([](MatrixNumbers& n) { n.of_rows.mean_distance = 100; });
  refuses([](MatrixNumbers& n) { n.of_rows.neighbours = 2.1; });
  refuses([](MatrixNumbers& n) { n.of_rows.similarity = -0.1; });
  EXPECT_THROW(estimate_shape(good, {"bcsr", 5, RowOrder::natural}), Error);
}

/// What METIS's parts receive: in the mean, and the most.
struct Received {
  double mean = 0;
  double most = 0;
};
Received received_by_metis_parts(const CsrMatrix<double>& matrix, int devices) {
  const CsrMatrix<double> ordered = renumber<double>(matrix, metis_order(matrix, devices));
  const auto segments = partition(ordered.view(), Layout{}, devices, 32);
  Received received;
  for (const HaloCounts& one : count_halos(ordered.view(), segments, Layout{})) {
    const auto values = static_cast<double>(one.exchanged().received);
    received.mean += values / devices;
    received.most = std::max(received.most, values);
  }
  return received;
}

TEST(EstimatedCompactHalo, IsWithinAFactorOfThoseOfMetisParts) {
  for (const auto& [name, matrix] : NamedMatrices{{"5 points", laplacian(5, 200, 200)},
                                                  {"9 points", laplacian(9, 200, 200)},
                                                  {"7 points", laplacian(7, 36, 36, 36)},
                                                  {"27 points", laplacian(27, 36, 36, 36)}}) {
    MatrixNumbers numbers;
    numbers.rows = static_cast<double>(matrix.rows);
    numbers.nonzeros = static_cast<double>(matrix.nonzeros());
    // Of fewer than ten neighbours a node, only distances tell three dimensions from two.
    if (name == "7 points") numbers.of_rows = count_row_numbers(matrix.view().pattern());
    for (const int devices : {2, 4, 8, 27}) {
      const Received counted = received_by_metis_parts(matrix, devices);
      const double estimated = estimate_compact_halo(numbers, devices);
      EXPECT_LT(estimated, 1.5 * counted.most) << name << ' ' << devices;
      EXPECT_GT(estimated, counted.mean / 1.5) << name << ' ' << devices;
    }
  }
}

TEST(EstimatedCompactHalo, IsLessThanThatOfSlabsFromThreeDevicesOn) {
  const MatrixNumbers box{1e6, 27e6, 1, {}};
  const MatrixNumbers sheet{1e6, 5e6, 1, {}};
  for (const MatrixNumbers& numbers : {box, sheet}) {
    EXPECT_NEAR(estimate_compact_halo(numbers, 2), estimate_halo(numbers, 2), 1);
    for (const int devices : {3, 8, 100, 4096}) {
      EXPECT_LT(estimate_compact_halo(numbers, devices), estimate_halo(numbers, devices));
    }
  }
  // A line has nothing but slabs.
  const MatrixNumbers line{1e6, 3e6, 1, {}};
  EXPECT_NEAR(estimate_compact_halo(line, 64), estimate_halo(line, 64), 1e-6);
  EXPECT_EQ(estimate_compact_halo(box, 1), 0);
}

TEST(EstimatedCompactHalo, OfManyPartsOfACubeIsWhatLiesAroundThem) {
  const MatrixNumbers box{1e6, 27e6, 1, {}};
  // Parts of 10^3 unknowns.
  EXPECT_NEAR(estimate_compact_halo(box, 1000), 12 * 12 * 12 - 10 * 10 * 10, 1);
  // In nodes of three unknowns, as many times more.
  const MatrixNumbers nodes{3e6, 27.0 * 9e6, 3, {}};
  EXPECT_NEAR(estimate_compact_halo(nodes, 1000), 3 * (12 * 12 * 12 - 10 * 10 * 10), 3);
}

TEST(EstimatedCompactHalo, HasNoPlaceWhereItJumps) {
  double last = 0;
  for (double nonzeros = 2e6; nonzeros < 14e6; nonzeros *= 1.002) {
    const double halo = estimate_compact_halo({1e6, nonzeros, 1, {}}, 64);
    if (last > 0) {
      EXPECT_LT(halo, 1.1 * last) << nonzeros;
      EXPECT_GT(halo, last / 1.1) << nonzeros;
    }
    last = halo;
  }
}

TEST(EstimatedCompactNeighbours, AreThoseAroundAPart) {
  const MatrixNumbers box{1e6, 27e6, 1, {}};
  const MatrixNumbers sheet{1e6, 5e6, 1, {}};
  const MatrixNumbers line{1e6, 3e6, 1, {}};
  EXPECT_NEAR(estimate_compact_neighbours(box, 512), 26, 1e-9);
  EXPECT_NEAR(estimate_compact_neighbours(sheet, 512), 8, 1e-9);
  EXPECT_NEAR(estimate_compact_neighbours(line, 512), 2, 1e-9);
  EXPECT_NEAR(estimate_compact_neighbours(box, 8), 7, 1e-9);
  EXPECT_NEAR(estimate_compact_neighbours(box, 2), 1, 1e-9);
  EXPECT_EQ(estimate_compact_neighbours(box, 1), 0);
  // Scattered columns are in all parts.
  RowNumbers scattered;
  scattered.mean_distance = 333'000;
  scattered.neighbours = 0;
  EXPECT_GT(estimate_compact_neighbours({1e6, 2e7, 1, scattered}, 64), 55);
}

}  // namespace
}  // namespace sparsecast
