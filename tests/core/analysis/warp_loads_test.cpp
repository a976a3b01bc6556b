#include "core/analysis/warp_loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/formats/bcsr/spmv_geometry.hpp"
#include "core/formats/load_counts.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

const GpuShape gpu{4, 50 << 20, 200'000};

std::vector<std::pair<std::string, CsrMatrix<double>>> matrices() {
  std::vector<std::pair<std::string, CsrMatrix<double>>> all;
  all.emplace_back("random with empty rows", random_csr<double>(3001, 2003, 4, 1));
  all.emplace_back("wide", random_csr<double>(97, 5000, 20, 2));
  all.emplace_back("dense", dense(131, 1));
  all.emplace_back("elements", fem_elasticity(1, 7, 1));
  all.emplace_back("power law", power_law(3000, 8, 2.1, 4));
  all.emplace_back("grid", laplacian(5, 70, 50));
  all.emplace_back("one entry", dense(1, 1));
  return all;
}

SpmvExecution execution_of(const CsrMatrix<double>& matrix, int block_size, Precision precision,
                           const CudaPolicy& policy) {
  const MatrixAccess access = compute_access<double>(matrix);
  const SegmentShape shape = cuda_shape(matrix.view(), compute_features<double>(matrix), access,
                                        block_layout(block_size), policy);
  return spmv_execution(shape, block_layout(block_size), precision, gpu, policy,
                        access.row_lengths(block_size));
}

/// Thread by thread, as the kernels go: what each warp loads together, by warp, pass, load and
/// group of lanes.
class Threads {
 public:
  Threads(const CsrMatrix<double>& matrix, int n, int value_bytes, const SpmvExecution& execution)
      : n_(n), value_bytes_(value_bytes) {
    std::vector<std::set<int>> rows(static_cast<std::size_t>((matrix.rows + n - 1) / n));
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        rows[static_cast<std::size_t>(row / n)].insert(matrix.column_indices[k] / n);
      }
    }
    std::int64_t begin = 0;
    int pieces = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::vector<int> columns(rows[row].begin(), rows[row].end());
      const std::int64_t end = begin + std::ssize(columns);
      if (std::ssize(columns) <= execution.longest_short_row) {
        for (int lane = 0; lane < execution.lanes; ++lane) {
          const int thread = static_cast<int>(row) * execution.lanes + lane;
          run(thread / 32, thread % 32, lane, execution.lanes, begin, end, begin, columns);
        }
      }
      for (std::int64_t first = begin;
           first < end && std::ssize(columns) > execution.longest_short_row;
           first += execution.piece_length) {
        for (int lane = 0; lane < 32; ++lane) {
          run(-1 - pieces, lane, lane, 32, first, std::min(end, first + execution.piece_length),
              begin, columns);
        }
        ++pieces;
      }
      begin = end;
    }
  }

  double passes() const { return static_cast<double>(passes_.size()); }
  double lines() const {
    double sum = 0;
    for (const auto& [load, lines] : lines_) sum += static_cast<double>(lines.size());
    return sum;
  }

 private:
  /// Lane `share` of `lanes` works on stored blocks [begin, end) of the row that begins at `row`.
  void run(int warp, int lane, int share, int lanes, std::int64_t begin, std::int64_t end,
           std::int64_t row, const std::vector<int>& columns) {
    int pass = 0;
    if (n_ == 1) {
      for (std::int64_t part = begin / 4 + share; part * 4 < end; part += 2 * lanes, ++pass) {
        if (begin < end) passes_.insert({warp, pass});
        for (int u = 0; u < 2; ++u) {
          for (int k = 0; k < 4; ++k) {
            const std::int64_t element = (part + u * lanes) * 4 + k;
            if (element < begin || element >= end) continue;
            load(warp, pass, u * 4 + k, lane, columns[static_cast<std::size_t>(element - row)], 1);
          }
        }
      }
      return;
    }
    const int items = n_ == 8 ? 4 : n_ == 6 ? 2 : 1;
    const int at_once = n_ * n_ / items * value_bytes_ <= 36 ? 2 : 1;
    int unit = 16 / value_bytes_;
    while (n_ % unit != 0) unit /= 2;
    for (std::int64_t first = begin + share / items; first < end;
         first += at_once * (lanes / items), ++pass) {
      passes_.insert({warp, pass});
      for (int u = 0; u < at_once; ++u) {
        const std::int64_t block = first + u * (lanes / items);
        if (block >= end) continue;
        const std::int64_t column = columns[static_cast<std::size_t>(block - row)];
        for (int k = 0; k < n_ / unit; ++k) {
          load(warp, pass, u * n_ + k, lane, column * n_ + k * unit, unit);
        }
      }
    }
  }

  void load(int warp, int pass, int instruction, int lane, std::int64_t element, int count) {
    const int bytes = count * value_bytes_;
    const int group = bytes <= 4 ? 0 : bytes == 8 ? lane / 16 : lane / 8;
    lines_[{warp, pass, instruction, group}].insert(element * value_bytes_ / 128);
  }

  int n_;
  int value_bytes_;
  std::set<std::pair<int, int>> passes_;
  std::map<std::tuple<int, int, int, int>, std::set<std::int64_t>> lines_;
};

TEST(WarpLoads, AreThoseOfAllThreadsOneByOne) {
  if (sanitized) GTEST_SKIP() << long_under_sanitizers;
  for (const auto& [name, matrix] : matrices()) {
    for (const int n : block_sizes) {
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        for (const int lanes : {0, 1, 2, 8, 32}) {
          CudaPolicy policy;
          policy.lanes_per_row = lanes;
          const SpmvExecution execution = execution_of(matrix, n, precision, policy);
          if (execution.streams) continue;
          const Threads expected(matrix, n, static_cast<int>(bytes_per_value(precision)),
                                 execution);
          const WarpLoads found =
              count_warp_loads<double>(matrix, {0, matrix.rows}, n, precision, execution);
          const std::string what =
              name + ", " + std::to_string(n) + ", " + std::to_string(execution.lanes) + " lanes";
          EXPECT_EQ(found.passes, expected.passes()) << what;
          EXPECT_EQ(found.lines, expected.lines()) << what;
        }
      }
    }
  }
}

/// Sectors that thread blocks look up: of rows, with and without long ones, and of pieces.
struct Sectors {
  double of_rows = 0;
  double of_short_rows = 0;
  double of_pieces = 0;
};

Sectors sectors_of(const CsrMatrix<double>& matrix, int n, int value_bytes,
                   const SpmvExecution& execution) {
  std::map<std::int64_t, std::set<std::int64_t>> rows;
  std::map<std::int64_t, std::set<std::int64_t>> short_rows;
  std::map<std::int64_t, std::set<std::int64_t>> pieces;
  std::int64_t piece = 0;
  for (std::int64_t block_row = 0; block_row * n < matrix.rows; ++block_row) {
    std::set<int> columns;
    for (std::int64_t row = block_row * n; row < std::min(matrix.rows, (block_row + 1) * n);
         ++row) {
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        columns.insert(matrix.column_indices[k] / n);
      }
    }
    const bool is_long = std::ssize(columns) > execution.longest_short_row;
    std::int64_t place = 0;
    for (const int column : columns) {
      const std::int64_t mine = piece + place++ / execution.piece_length;
      for (std::int64_t value = std::int64_t{column} * n; value < (std::int64_t{column} + 1) * n;
           ++value) {
        const std::int64_t sector = value * value_bytes / 32;
        rows[block_row / execution.rows_per_block].insert(sector);
        if (is_long) {
          pieces[mine / (execution.threads / 32)].insert(sector);
        } else {
          short_rows[block_row / execution.rows_per_block].insert(sector);
        }
      }
    }
    if (is_long) piece += (place + execution.piece_length - 1) / execution.piece_length;
  }
  const auto count = [](const auto& blocks) {
    double all = 0;
    for (const auto& [block, sectors] : blocks) all += static_cast<double>(sectors.size());
    return all;
  };
  return {count(rows), count(short_rows), count(pieces)};
}

TEST(WarpLoads, CountSectorsOfLongRowsWhereTheirPiecesAre) {
  const CsrMatrix<double> matrix = power_law(6000, 20, 2.1, 4);
  for (const int n : {1, 2, 3}) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const SpmvExecution execution = execution_of(matrix, n, precision, {});
      if (execution.streams) continue;
      ASSERT_GT(execution.pieces, 2 * execution.threads / 32) << n;
      const WarpLoads found =
          count_warp_loads<double>(matrix, {0, matrix.rows}, n, precision, execution);
      const Sectors expected =
          sectors_of(matrix, n, static_cast<int>(bytes_per_value(precision)), execution);
      EXPECT_EQ(found.piece_sectors, expected.of_pieces) << n;
      EXPECT_EQ(found.spared_sectors, expected.of_rows - expected.of_short_rows) << n;
    }
  }
  const CsrMatrix<double> grid = laplacian(5, 70, 50);
  const WarpLoads even = count_warp_loads<double>(grid, {0, grid.rows}, 1, Precision::f64,
                                                  execution_of(grid, 1, Precision::f64, {}));
  EXPECT_EQ(even.piece_sectors, 0);
  EXPECT_EQ(even.spared_sectors, 0);
}

TEST(WarpLoads, OfASegmentAreThoseOfItsRowsAlone) {
  const CsrMatrix<double> grid = laplacian(5, 64, 64);
  const SpmvExecution execution = execution_of(grid, 1, Precision::f64, {});
  WarpLoads sum;
  for (const std::int64_t begin : {0, 1024, 3200}) {
    const std::int64_t end = begin == 0 ? 1024 : begin == 1024 ? 3200 : 4096;
    const WarpLoads part =
        count_warp_loads<double>(grid, {begin, end}, 1, Precision::f64, execution);
    sum.passes += part.passes;
    sum.lines += part.lines;
  }
  const WarpLoads whole =
      count_warp_loads<double>(grid, {0, grid.rows}, 1, Precision::f64, execution);
  EXPECT_EQ(sum.passes, whole.passes);
  // Stored rows begin at an aligned place in each segment, which moves a few loads.
  EXPECT_NEAR(sum.lines, whole.lines, 0.1 * whole.lines);
}

TEST(WarpLoads, OfAStreamAreThoseOfItsGroupsOf32Blocks) {
  // Blocks of a full matrix: whatever the place of the first, a load takes neighbouring values.
  CudaPolicy policy;
  policy.lanes_per_row = 32;
  const CsrMatrix<double> matrix = dense(384, 1);
  const SpmvExecution execution = execution_of(matrix, 2, Precision::f32, policy);
  ASSERT_TRUE(execution.streams);
  const WarpLoads found =
      count_warp_loads<double>(matrix, {0, matrix.rows}, 2, Precision::f32, execution);
  const double blocks = 192 * 192;
  const int pass = blocks_of_stream_pass(2, 4);
  const double rows_of_warp = static_cast<double>(execution.rows_per_block) / 4;
  EXPECT_GE(found.passes, blocks / pass);
  EXPECT_LE(found.passes, blocks / pass + 192 / rows_of_warp);
  // 16 lanes load the 128 bytes of 16 blocks, which begin in one line and may end in the next.
  EXPECT_GE(found.lines, blocks / 16);
  EXPECT_LE(found.lines, 2.2 * blocks / 16);
}

TEST(WarpLoads, OfALargeMatrixAreEstimatedFromASampleOfItsWarps) {
  const CsrMatrix<double> matrix = random_csr<double>(300'000, 300'000, 6, 5);
  ASSERT_GT(static_cast<double>(matrix.nonzeros()), 3 * most_entries_of_sample);
  const SpmvExecution execution = execution_of(matrix, 1, Precision::f32, {});
  const WarpLoads found =
      count_warp_loads<double>(matrix, {0, matrix.rows}, 1, Precision::f32, execution);
  const Threads expected(matrix, 1, 4, execution);
  EXPECT_NEAR(found.passes, expected.passes(), 0.02 * expected.passes());
  EXPECT_NEAR(found.lines, expected.lines(), 0.02 * expected.lines());
}

TEST(WarpLoads, EstimatedFromNumbersAreNearThoseOfTheMatrix) {
  for (const auto& [name, matrix] : {std::pair{"grid", laplacian(7, 40, 40, 40)},
                                     {"random", random_csr<double>(50'000, 50'000, 9, 3)}}) {
    for (const int n : {1, 2, 3}) {
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        const MatrixAccess access = compute_access<double>(matrix);
        const Layout layout = block_layout(n);
        const SegmentShape shape =
            cuda_shape(matrix.view(), compute_features<double>(matrix), access, layout, {});
        const SpmvExecution execution = execution_of(matrix, n, precision, {});
        const WarpLoads found =
            count_warp_loads<double>(matrix, {0, matrix.rows}, n, precision, execution);
        const WarpLoads estimated =
            estimate_warp_loads(shape, access.pattern(layout, precision), n, precision, execution);
        EXPECT_LT(std::abs(std::log(estimated.passes / found.passes)), std::log(2.0)) << name << n;
        EXPECT_LT(std::abs(std::log(estimated.lines / found.lines)), std::log(3.0)) << name << n;
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast
