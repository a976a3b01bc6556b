// Reading Matrix Market files: ours against Eigen's loadMarket (plain text) and against mere
// decompression (gzip). The two sides take turns; ratios are medians of neighbours in time.

#include <benchmark/benchmark.h>
#include <unistd.h>
#include <zlib.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <unsupported/Eigen/SparseExtra>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/market/matrix_market.hpp"

namespace {

namespace fs = std::filesystem;

/// A folder for the files of this run.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "sparsecast_bench_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw sparsecast::Error(name + ": cannot create");
    path_ = name;
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// A 27-point operator on a cube, symmetric in pattern, by rows. `digits` = 0: -1 and 26; else
/// random values of that many digits.
sparsecast::CsrMatrix<double> cube(std::int64_t n, int digits) {
  sparsecast::CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = n * n * n;
  matrix.row_offsets.push_back(0);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-1, 1);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t x = row % n;
    const std::int64_t y = row / n % n;
    const std::int64_t z = row / (n * n);
    for (std::int64_t k = std::max<std::int64_t>(z - 1, 0); k <= std::min(z + 1, n - 1); ++k) {
      for (std::int64_t j = std::max<std::int64_t>(y - 1, 0); j <= std::min(y + 1, n - 1); ++j) {
        for (std::int64_t i = std::max<std::int64_t>(x - 1, 0); i <= std::min(x + 1, n - 1); ++i) {
          const std::int64_t column = (k * n + j) * n + i;
          double entry = column == row ? 26 : -1;
          if (digits > 0) {
            char text[40];
            std::snprintf(text, sizeof(text), "%.*e", digits - 1, value(random));
            entry = std::atof(text);
          }
          matrix.column_indices.push_back(static_cast<std::int32_t>(column));
          matrix.values.push_back(entry);
        }
      }
    }
    matrix.row_offsets.push_back(matrix.nonzeros());
  }
  return matrix;
}

/// The file for values of this many digits, written once.
fs::path file_of(std::int64_t grid, int digits, const std::string& ending) {
  static const TemporaryFolder folder;
  const fs::path path =
      folder / ("cube" + std::to_string(grid) + "_" + std::to_string(digits) + ending);
  if (!fs::exists(path)) sparsecast::write_matrix_market(path, cube(grid, digits));
  return path;
}

template <class Function>
double seconds(const Function& function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Times ours and a peer in turns; reports medians and the median of peer / ours.
class Duel {
 public:
  template <class Ours, class Peer>
  void round(benchmark::State& state, const Ours& ours, const Peer& peer) {
    ours_.push_back(seconds(ours));
    peer_.push_back(seconds(peer));
    ratio_.push_back(peer_.back() / ours_.back());
    state.SetIterationTime(ours_.back());
  }
  void report(benchmark::State& state, const std::string& peer_name) const {
    state.counters["ours_s"] = median(ours_);
    state.counters[peer_name + "_s"] = median(peer_);
    state.counters[peer_name + "/ours"] = median(ratio_);
  }

 private:
  std::vector<double> ours_, peer_, ratio_;
};

void describe(benchmark::State& state, const sparsecast::MatrixMarketFile& file,
              std::uintmax_t text_bytes) {
  state.counters["entries"] = static_cast<double>(file.matrix.nonzeros());
  state.counters["text_MB"] = static_cast<double>(text_bytes) / 1e6;
}

void plain_against_eigen(benchmark::State& state) {
  const fs::path path = file_of(state.range(0), static_cast<int>(state.range(1)), ".mtx");
  Duel duel;
  sparsecast::MatrixMarketFile file;
  for (auto _ : state) {
    Eigen::SparseMatrix<double, Eigen::RowMajor> eigen;
    duel.round(
        state,
        [&] {
          file = {};
          file = sparsecast::read_matrix_market(path);
        },
        [&] { Eigen::loadMarket(eigen, path.string()); });
    const Eigen::Map<const Eigen::VectorXd> values(file.matrix.values.data(),
                                                   file.matrix.nonzeros());
    if (eigen.nonZeros() != file.matrix.nonzeros() ||
        Eigen::Map<const Eigen::VectorXd>(eigen.valuePtr(), eigen.nonZeros()) != values) {
      state.SkipWithError("Eigen read another matrix");
    }
  }
  duel.report(state, "eigen");
  describe(state, file, fs::file_size(path));
}

std::size_t inflate_all(const std::string& compressed) {
  std::vector<unsigned char> out(std::size_t{256} << 10);
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::size_t size = 0;
  while (stream.avail_in != 0) {
    int result = Z_OK;
    while (result == Z_OK) {
      stream.next_out = out.data();
      stream.avail_out = static_cast<uInt>(out.size());
      result = inflate(&stream, Z_NO_FLUSH);
      size += out.size() - stream.avail_out;
    }
    if (result != Z_STREAM_END || inflateReset(&stream) != Z_OK) break;
  }
  inflateEnd(&stream);
  return size;
}

/// Our writer makes gzip members of 64 Ki entries, which costs a decompressor nothing.
void gzip_against_decompression(benchmark::State& state) {
  const fs::path path = file_of(state.range(0), static_cast<int>(state.range(1)), ".mtx.gz");
  const std::string compressed = sparsecast::read_file(path);
  Duel duel;
  sparsecast::MatrixMarketFile file;
  std::size_t text_bytes = 0;
  for (auto _ : state) {
    duel.round(
        state,
        [&] {
          file = {};
          file = sparsecast::read_matrix_market(path);
        },
        [&] { text_bytes = inflate_all(compressed); });
  }
  duel.report(state, "inflate");
  describe(state, file, text_bytes);
}

BENCHMARK(plain_against_eigen)
    ->ArgNames({"grid", "digits"})
    ->Args({44, 0})
    ->Args({44, 7})
    ->Args({44, 17})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(gzip_against_decompression)
    ->ArgNames({"grid", "digits"})
    ->Args({44, 0})
    ->Args({44, 7})
    ->Args({44, 17})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
