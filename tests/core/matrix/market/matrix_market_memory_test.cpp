#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "core/matrix/market/matrix_market.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPARSECAST_SANITIZED true
#else
#define SPARSECAST_SANITIZED false
#endif

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

/// A line of /proc/self/status in bytes.
std::int64_t memory_status(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return std::atoll(line.c_str() + key.size() + 1) * 1024;
  }
  return -1;
}

/// Reads the file in a process of its own and prints, for the parent, how far its memory rose and
/// what the matrix takes.
[[noreturn]] void measure_and_exit(const fs::path& path, int pipe_end) {
#ifdef __GLIBC__
  malloc_trim(0);  // else the reader would use unnoticed what the parent left free
#endif
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
  const std::int64_t before = memory_status("VmRSS");
  const auto file = read_matrix_market(path, {.threads = 2});
  const std::int64_t peak = memory_status("VmHWM") - before;
  const std::int64_t matrix = 12 * file.matrix.nonzeros() + 8 * (file.matrix.rows + 1);
  const std::string report = std::to_string(peak) + " " + std::to_string(matrix);
  _exit(::write(pipe_end, report.data(), report.size()) < 0 ? 1 : 0);
}

struct Storage {
  const char* name;
  bool symmetric;
  bool pattern;
  const char* ending;
};

class MatrixMarketMemory : public testing::TestWithParam<Storage> {};

TEST_P(MatrixMarketMemory, StaysBelowTwoAndAHalfTimesTheMatrixAndTheFile) {
  if (SPARSECAST_SANITIZED) GTEST_SKIP() << "sanitizers use memory of their own";
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

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) measure_and_exit(path, ends[1]);
  close(ends[1]);
  char report[100] = {};
  const bool reported = ::read(ends[0], report, sizeof(report) - 1) > 0;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  fs::remove_all(folder);
  ASSERT_TRUE(reported && WIFEXITED(status) && WEXITSTATUS(status) == 0);

  std::istringstream numbers(report);
  std::int64_t peak = 0;
  std::int64_t matrix = 0;
  numbers >> peak >> matrix;
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
