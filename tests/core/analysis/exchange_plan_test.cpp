#include "core/analysis/exchange_plan.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <set>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

std::size_t owner_of(const std::vector<Segment>& segments, std::int64_t row) {
  std::size_t device = 0;
  while (row >= segments[device].end_row) ++device;
  return device;
}

/// By its definition, entry by entry.
SegmentHalo brute_force_halo(const CsrMatrix<double>& matrix, const std::vector<Segment>& segments,
                             std::size_t device, int block_size) {
  const Segment& own = segments[device];
  const std::int64_t word_rows = std::int64_t{32} * block_size;
  SegmentHalo halo;
  halo.needed.resize(segments.size());
  halo.outside.assign(static_cast<std::size_t>((own.rows() + word_rows - 1) / word_rows), 0);
  std::set<std::int32_t> rows;
  std::set<std::int64_t> words;
  for (std::int64_t row = own.begin_row; row < own.end_row; ++row) {
    for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
      const std::int64_t block_begin = matrix.column_indices[e] / block_size * block_size;
      if (owner_of(segments, block_begin) == device) continue;
      for (std::int64_t i = 0; i < block_size && block_begin + i < matrix.rows; ++i) {
        rows.insert(static_cast<std::int32_t>(block_begin + i));
      }
      const std::int64_t block_row = (row - own.begin_row) / block_size;
      halo.outside[block_row / 32] |= std::uint32_t{1} << (block_row % 32);
      words.insert(block_row / 32);
    }
  }
  for (const std::int32_t row : rows) halo.needed[owner_of(segments, row)].push_back(row);
  for (std::int64_t row = 0; row < own.rows(); ++row) {
    halo.interior_rows += words.count(row / word_rows) == 0;
  }
  return halo;
}

void expect_exact(const CsrMatrix<double>& matrix, int block_size, int devices, int alignment) {
  SCOPED_TRACE(testing::Message() << matrix.rows << " rows, block " << block_size << ", " << devices
                                  << " devices, alignment " << alignment);
  const Layout layout = block_layout(block_size);
  const auto segments = partition(matrix.view(), layout, devices, alignment);
  for (const int threads : {1, 3}) {
    const auto halos = find_halos(matrix.view(), segments, layout, threads);
    ASSERT_EQ(halos.size(), segments.size());
    for (std::size_t device = 0; device < segments.size(); ++device) {
      const SegmentHalo expected = brute_force_halo(matrix, segments, device, block_size);
      EXPECT_EQ(halos[device].needed, expected.needed);
      EXPECT_EQ(halos[device].outside, expected.outside);
      EXPECT_EQ(halos[device].interior_rows, expected.interior_rows);
    }
  }
}

TEST(FindHalos, AgreesWithBruteForceForEveryBlockSizeAndNumberOfDevices) {
  const CsrMatrix<double> matrix = random_csr<double>(611, 611, 2, 21);
  for (const int block_size : block_sizes) {
    for (const int devices : {1, 2, 3, 4}) {
      expect_exact(matrix, block_size, devices, 1);
      expect_exact(matrix, block_size, devices, 32);
    }
  }
}

TEST(FindHalos, AgreesWithBruteForceOnAStencilWhoseInteriorRowsAreMost) {
  const CsrMatrix<double> matrix = laplacian(27, 12, 12, 24);
  for (const int devices : {2, 3, 5}) expect_exact(matrix, 1, devices, 32);
}

TEST(FindHalos, TakesMoreDevicesThanBlockRows) {
  for (const std::int64_t rows : {1, 2, 7, 33}) {
    const CsrMatrix<double> matrix = random_csr<double>(rows, rows, 3, 22);
    for (const int block_size : {1, 3, 8}) {
      for (const int devices : {2, 4, 9}) {
        expect_exact(matrix, block_size, devices, 1);
        expect_exact(matrix, block_size, devices, 32);
      }
    }
  }
}

TEST(FindHalos, TakesAMatrixWithoutRows) {
  const CsrMatrix<float> matrix{0, 0, {0}, {}, {}};
  const auto segments = partition(matrix.view(), block_layout(4), 3, 32);
  const auto halos = find_halos(matrix.view(), segments, block_layout(4));
  for (const SegmentHalo& halo : halos) {
    EXPECT_EQ(halo.needed_rows(), 0);
    EXPECT_EQ(halo.interior_rows, 0);
  }
}

TEST(FindHalos, RefusesWhatIsNotSquare) {
  const CsrMatrix<double> matrix = random_csr<double>(20, 21, 3, 23);
  const auto segments = partition(matrix.view(), Layout{}, 2);
  EXPECT_THROW(find_halos(matrix.view(), segments, Layout{}), Error);
}

TEST(FindHalos, RefusesSegmentsThatDoNotCoverTheMatrixInWholeBlocks) {
  const CsrMatrix<double> matrix = random_csr<double>(20, 20, 3, 24);
  const auto with = [&](std::vector<Segment> segments) {
    find_halos(matrix.view(), segments, block_layout(4));
  };
  with({{0, 8}, {8, 20}});
  EXPECT_THROW(with({{0, 8}, {12, 20}}), Error);
  EXPECT_THROW(with({{0, 8}, {8, 16}}), Error);
  EXPECT_THROW(with({{0, 10}, {10, 20}}), Error);
  EXPECT_THROW(with({}), Error);
}

/// From the rows themselves.
std::vector<HaloCounts> counts_of(const std::vector<SegmentHalo>& halos) {
  std::vector<HaloCounts> all;
  for (std::size_t device = 0; device < halos.size(); ++device) {
    HaloCounts& counts = all.emplace_back();
    counts.interior_rows = halos[device].interior_rows;
    for (std::size_t other = 0; other < halos.size(); ++other) {
      const ExchangedValues values{std::ssize(halos[device].needed[other]),
                                   std::ssize(halos[other].needed[device])};
      if (values == ExchangedValues{}) continue;
      counts.neighbours.push_back({static_cast<int>(other), values});
    }
  }
  return all;
}

void expect_same_counts(const CsrMatrix<double>& matrix, const std::vector<Segment>& segments,
                        int block_size) {
  SCOPED_TRACE(testing::Message() << matrix.rows << " rows, block " << block_size << ", "
                                  << segments.size() << " segments");
  const Layout layout = block_layout(block_size);
  const auto expected = counts_of(find_halos(matrix.view(), segments, layout));
  for (const int threads : {1, 3}) {
    const auto counts = count_halos(matrix.view(), segments, layout, threads);
    ASSERT_EQ(counts.size(), expected.size());
    for (std::size_t device = 0; device < counts.size(); ++device) {
      EXPECT_EQ(counts[device].interior_rows, expected[device].interior_rows) << device;
      EXPECT_EQ(counts[device].neighbours, expected[device].neighbours) << device;
    }
  }
}

TEST(ThreadedCountHalos, AreTheNumbersOfTheRowsThatAreFound) {
  for (const std::int64_t rows : {1, 33, 611}) {
    const CsrMatrix<double> matrix = random_csr<double>(rows, rows, 2, 26);
    for (const int block_size : {1, 2, 3, 4}) {
      for (const int devices : {1, 2, 5, 19}) {
        const Layout layout = block_layout(block_size);
        expect_same_counts(matrix, partition(matrix.view(), layout, devices, 1), block_size);
        expect_same_counts(matrix, partition(matrix.view(), layout, devices, 32), block_size);
      }
    }
  }
}

TEST(CountHalos, TakeUnequalAndEmptySegments) {
  const CsrMatrix<double> matrix = random_csr<double>(50, 50, 4, 27);
  expect_same_counts(matrix, {{0, 0}, {0, 12}, {12, 12}, {12, 48}, {48, 50}, {50, 50}}, 4);
  expect_same_counts(matrix, {{0, 50}, {50, 50}}, 1);
  expect_same_counts(matrix, {{0, 0}, {0, 0}, {0, 50}}, 2);
}

TEST(CountHalos, OfThousandsOfDevicesOnALineAreTwoValuesEach) {
  const CsrMatrix<double> line = laplacian(3, 32 * 5000);
  const auto segments = partition(line.view(), Layout{}, 5000, 32);
  const auto counts = count_halos(line.view(), segments, Layout{});
  ASSERT_EQ(counts.size(), 5000U);
  EXPECT_EQ(counts.front().neighbours, (std::vector{CountedNeighbour{1, {1, 1}}}));
  EXPECT_EQ(counts[2500].neighbours,
            (std::vector{CountedNeighbour{2499, {1, 1}}, CountedNeighbour{2501, {1, 1}}}));
  EXPECT_EQ(counts.back().neighbours, (std::vector{CountedNeighbour{4998, {1, 1}}}));
}

TEST(CountHalos, RefuseWhatIsNotSquareOrNotCovered) {
  const CsrMatrix<double> wide = random_csr<double>(20, 21, 3, 28);
  EXPECT_THROW(count_halos(wide.view(), partition(wide.view(), Layout{}, 2), Layout{}), Error);
  const CsrMatrix<double> matrix = random_csr<double>(20, 20, 3, 28);
  const std::vector<Segment> segments{{0, 8}, {12, 20}};
  EXPECT_THROW(count_halos(matrix.view(), segments, Layout{}), Error);
}

TEST(ExchangeVolume, CountsWhatLeavesAndReachesEachDevice) {
  // Rows 0 to 5 in three segments; row 0 looks up 5, row 2 looks up 0 and 1, row 5 looks up 4.
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = 6;
  matrix.row_offsets = {0, 1, 1, 3, 3, 3, 4};
  matrix.column_indices = {5, 0, 1, 4};
  matrix.values = {1, 1, 1, 1};
  const std::vector<Segment> segments{{0, 2}, {2, 5}, {5, 6}};
  const auto halos = count_halos(matrix.view(), segments, Layout{});
  const auto volumes = exchange_volumes(segments, halos);
  ASSERT_EQ(volumes.size(), 3u);
  EXPECT_EQ(volumes[0].in(ExchangeMode::staged), (ExchangedValues{4, 2}));
  EXPECT_EQ(volumes[1].in(ExchangeMode::staged), (ExchangedValues{3, 3}));
  EXPECT_EQ(volumes[2].in(ExchangeMode::peer), (ExchangedValues{5, 2}));
  EXPECT_EQ(volumes[0].in(ExchangeMode::halo), (ExchangedValues{1, 2}));
  EXPECT_EQ(volumes[1].in(ExchangeMode::halo), (ExchangedValues{2, 1}));
  EXPECT_EQ(volumes[2].in(ExchangeMode::halo), (ExchangedValues{1, 1}));
  EXPECT_THROW(volumes[0].in(ExchangeMode::automatic), Error);
}

TEST(ExchangeVolume, IsNothingOnOneDevice) {
  const CsrMatrix<double> matrix = random_csr<double>(40, 40, 3, 25);
  const auto segments = partition(matrix.view(), Layout{}, 1);
  const auto volumes = exchange_volumes(segments, count_halos(matrix.view(), segments, Layout{}));
  ASSERT_EQ(volumes.size(), 1u);
  EXPECT_EQ(volumes[0].peer, ExchangedValues{});
  EXPECT_EQ(volumes[0].staged, ExchangedValues{});
  EXPECT_EQ(volumes[0].halo, ExchangedValues{});
}

TEST(ExchangeMode, IsReadBackFromItsName) {
  for (const ExchangeMode mode :
       {ExchangeMode::automatic, ExchangeMode::staged, ExchangeMode::peer, ExchangeMode::halo,
        ExchangeMode::nccl, ExchangeMode::gpu_aware}) {
    EXPECT_EQ(parse_exchange_mode(to_string(mode)), mode);
  }
}

TEST(ExchangeMode, RefusesAnUnknownNameAndListsTheKnown) {
  try {
    parse_exchange_mode("nvlink");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown exchange 'nvlink'; expected one of automatic, staged, peer, halo, nccl, "
                 "gpu-aware");
  }
}

}  // namespace
}  // namespace sparsecast
