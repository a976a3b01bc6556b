#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "core/matrix/files/market/matrix_market.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

/// The program of `memory_of_reading.cpp`, which lies beside this one.
fs::path measuring_program() {
  return fs::read_symlink("/proc/self/exe").parent_path() / "memory_of_reading";
}

struct Storage {
  const char* name;
  bool symmetric;
  bool pattern;
  const char* ending;
};

class MatrixMarketMemory : public testing::TestWithParam<Storage> {};

TEST_P(MatrixMarketMemory, StaysBelowTwoAndAHalfTimesTheMatrixAndTheFile) {
  if (sanitized) GTEST_SKIP() << "sanitizers use memory of their own";
  std::string name = (fs::temp_directory_path() / "sparsecast_memory_XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path folder = name;
  const fs::path path = folder / (std::string("band") + GetParam().ending);
  {
    // A band matrix: short rows, where what is kept for each row weighs most.
    CsrMatrix<double> band;
    constexpr std::int64_t width = 3;
    band.rows = band.columns = 400'000;
    band.row_offsets.push_back(0);
    std::mt19937 random(9);
    std::printf("seed 9\n");
    const double value = std::uniform_real_distribution<>(1, 2)(random);
    for (std::int64_t row = 0; row < band.rows; ++row) {
      for (std::int64_t column = std::max<std::int64_t>(row - width, 0);
           column <= std::min(row + width, band.columns - 1); ++column) {
        band.column_indices.push_back(static_cast<std::int32_t>(column));
        band.values.push_back(value);
      }
      band.row_offsets.push_back(band.nonzeros());
    }
    write_matrix_market(path, band,
                        {.symmetric = GetParam().symmetric, .pattern = GetParam().pattern});
  }
  const auto file_bytes = static_cast<std::int64_t>(fs::file_size(path));

  FILE* const report = popen((measuring_program().string() + " " + path.string()).c_str(), "r");
  ASSERT_NE(report, nullptr);
  long long peak = 0;
  long long matrix = 0;
  const int numbers = std::fscanf(report, "%lld %lld", &peak, &matrix);
  const int status = pclose(report);
  fs::remove_all(folder);
  ASSERT_EQ(numbers, 2);
  ASSERT_EQ(status, 0);

  std::printf("peak %.1f MB, matrix %.1f MB, file %.1f MB: %.2f times the matrix and the file\n",
              static_cast<double>(peak) / 1e6, static_cast<double>(matrix) / 1e6,
              static_cast<double>(file_bytes) / 1e6,
              static_cast<double>(peak - file_bytes) / static_cast<double>(matrix));
  EXPECT_GT(peak, matrix);
  EXPECT_LE(static_cast<double>(peak),
            2.5 * static_cast<double>(matrix) + static_cast<double>(file_bytes));
}

INSTANTIATE_TEST_SUITE_P(, MatrixMarketMemory,
                         testing::Values(Storage{"general", false, false, ".mtx"},
                                         Storage{"symmetric", true, false, ".mtx"},
                                         Storage{"pattern", false, true, ".mtx"},
                                         Storage{"compressed", false, false, ".mtx.gz"}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace sparsecast
