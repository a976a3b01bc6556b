// Our SpMV against Eigen's row-major OpenMP product on the same matrix, vectors, threads and
// compiler flags, and against the bytes that must be moved.
//
// A round times, one after the other, Eigen's product, ours in CSR and in blocks, and a read of a
// large vector; every counter is the median over rounds of a ratio within a round, so that a
// machine that is slower for a while is so for all of them:
//   vs_eigen        Eigen's time / our time, CSR (above 1: we are faster)
//   best_vs_eigen   the same of our best layout, which is named: of those that could pay for the
//                   matrix, as `solve` runs them
//   of_bandwidth    (values + 4-byte indices + 8-byte row offsets + both vectors once) / time,
//                   as a fraction of the read bandwidth measured in the same round: of the
//                   matrix's own values if they are far larger than the cache (pages of memory
//                   differ in speed, by half on some virtual machines), else of a large vector
//   block_gain      CSR time / time with blocks of the unknowns of a node; nan: it has one
//   of_byte_ratio   that gain / the ratio of the bytes
// At the end come geometric means over matrices.
//
// The matrices are seen by Eigen through a map, so that both read the same pages.

#include <benchmark/benchmark.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/matrix_cases.hpp"
#include "core/analysis/features.hpp"
#include "core/base/threads/split_by_weight.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/cpu/cpu_kernels.hpp"
#include "core/cpu/machine.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/bcsr/cpu/bcsr_kernels.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 9;
constexpr double phase_seconds = 0.01;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ThreadTeam& team() {
  static ThreadTeam all(available_threads());
  return all;
}

/// Runs the work until it has taken a while, then times it. The pause before lets the other
/// side's threads stop spinning.
double time_phase(const std::function<void(int repeats)>& work) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  int repeats = 1;
  while (true) {
    const double start = now_seconds();
    work(repeats);
    const double seconds = now_seconds() - start;
    if (seconds > phase_seconds / 4) {
      repeats = std::max(1, static_cast<int>(repeats * phase_seconds / seconds));
      break;
    }
    repeats *= 2;
  }
  const double start = now_seconds();
  work(repeats);
  return (now_seconds() - start) / repeats;
}

/// Bytes per second at which all threads together read a vector far larger than the caches.
template <class T>
double read_bandwidth(const Buffer<T>& vector) {
  static const auto& kernels = cpu_kernels<T>();
  const auto size = static_cast<std::int64_t>(vector.size());
  std::vector<double> sums(static_cast<std::size_t>(team().size()) * 8);
  const double seconds = time_phase([&](int repeats) {
    team().run([&](int thread) {
      for (int i = 0; i < repeats; ++i) {
        sums[static_cast<std::size_t>(thread) * 8] += kernels.sum(
            size * thread / team().size(), size * (thread + 1) / team().size(), vector.data());
      }
    });
  });
  benchmark::DoNotOptimize(sums.data());
  return static_cast<double>(size) * sizeof(T) / seconds;
}

const Buffer<double>& large_vector() {
  static const Buffer<double> vector(std::size_t{1} << 25, 1.0);
  return vector;
}

/// A converted matrix with the static split of its block rows over threads.
template <class T>
class Product {
 public:
  Product(const CsrView<T>& matrix, int block_size)
      : blocked_(convert_to_bcsr(matrix, {0, matrix.rows}, block_layout(block_size))),
        split_(split_by_weight(blocked_.block_offsets, team().size())) {}

  double time(const T* input, T* output) const {
    return time_phase([&](int repeats) {
      team().run([&](int thread) {
        const auto part = static_cast<std::size_t>(thread);
        for (int i = 0; i < repeats; ++i) {
          bcsr_kernels<T>().multiply(pointers(blocked_), split_[part], split_[part + 1], input,
                                     output);
          team().barrier();
        }
      });
    });
  }

  /// Of this matrix's own values: the same pages of memory as the product's.
  double value_bandwidth() const { return read_bandwidth(blocked_.values); }

  double bytes() const {
    return static_cast<double>(blocked_.bytes()) +
           static_cast<double>(sizeof(T)) * static_cast<double>(blocked_.rows + blocked_.columns);
  }

 private:
  BcsrMatrix<T> blocked_;
  std::vector<std::int64_t> split_;
};

/// Products in the layouts that could pay, as a solver runs them.
template <class T>
class Layouts {
 public:
  Layouts(const CsrMatrix<T>& matrix, const Buffer<T>& input)
      : backend_(1, static_cast<int>(team().size())) {
    const MatrixFeatures features = compute_features(matrix.view());
    for (const Layout& layout : usual_layouts()) {
      const PatternNumbers numbers = features.numbers(layout.format);
      if (!may_pay(numbers, layout)) continue;
      layouts_.push_back(layout);
      products_.push_back(backend_.prepare(single_step_schedule("SpMV"), matrix.view(), layout));
      products_.back()->set_vector("v", std::span(input.data(), matrix.columns));
    }
    ratios_.resize(layouts_.size());
  }

  /// A round, in which Eigen takes so long.
  void time(double eigen_seconds) {
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const double seconds = time_phase([&](int repeats) { products_[i]->run(repeats); });
      ratios_[i].push_back(eigen_seconds / seconds);
    }
  }

  struct Best {
    Layout layout;
    double vs_eigen = 0;
  };
  Best best() const {
    Best best;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
      const double ratio = median(ratios_[i]);
      if (ratio > best.vs_eigen) best = {layouts_[i], ratio};
    }
    return best;
  }

 private:
  CpuBackend backend_;
  std::vector<Layout> layouts_;
  std::vector<std::unique_ptr<PreparedSchedule<T>>> products_;
  std::vector<std::vector<double>> ratios_;
};

RatioSummary summary;

template <class T>
void run_case(benchmark::State& state, const MatrixCase& which) {
  const CsrMatrix<T> matrix = convert_values<T>(matrix_of(which).view());
  const std::string precision(to_string(precision_of<T>()));
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const auto columns = static_cast<std::size_t>(matrix.columns);

  std::vector<int> offsets(matrix.row_offsets.begin(), matrix.row_offsets.end());
  const Eigen::Map<const Eigen::SparseMatrix<T, Eigen::RowMajor, int>> eigen(
      matrix.rows, matrix.columns, matrix.nonzeros(), offsets.data(), matrix.column_indices.data(),
      matrix.values.data());
  Buffer<T> input(columns + input_padding, T{1});
  Buffer<T> output(rows, T{0});
  Buffer<T> eigen_output(rows, T{0});
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const Eigen::Map<const Vector> x(input.data(), matrix.columns);
  Eigen::Map<Vector> y(eigen_output.data(), matrix.rows);

  const Product<T> csr(matrix.view(), 1);
  std::optional<Product<T>> blocked;
  if (which.natural_block > 1) blocked.emplace(matrix.view(), which.natural_block);

  Layouts<T> layouts(matrix, input);

  const auto l3_bytes = static_cast<double>(describe_cpu().l3_bytes);
  const bool beyond_cache = l3_bytes > 0 && csr.bytes() > 3 * l3_bytes;
  const bool far_beyond_cache = l3_bytes > 0 && csr.bytes() > 6 * l3_bytes;

  std::vector<double> vs_eigen, of_bandwidth, block_gain, of_byte_ratio, seconds;
  for (auto _ : state) {
    const double bandwidth =
        far_beyond_cache ? csr.value_bandwidth() : read_bandwidth(large_vector());
    const double eigen_seconds = time_phase([&](int repeats) {
      for (int i = 0; i < repeats; ++i) y.noalias() = eigen * x;
    });
    const double csr_seconds = csr.time(input.data(), output.data());
    state.SetIterationTime(csr_seconds);
    seconds.push_back(csr_seconds);
    vs_eigen.push_back(eigen_seconds / csr_seconds);
    of_bandwidth.push_back(csr.bytes() / csr_seconds / bandwidth);
    layouts.time(eigen_seconds);
    if (blocked) {
      const double block_seconds = blocked->time(input.data(), output.data());
      block_gain.push_back(csr_seconds / block_seconds);
      of_byte_ratio.push_back(csr_seconds / block_seconds / (csr.bytes() / blocked->bytes()));
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    if (!(std::abs(output[row] - eigen_output[row]) <= T(1e-3) * (1 + std::abs(output[row])))) {
      state.SkipWithError("our product differs from Eigen's");
      return;
    }
  }

  const std::string where = beyond_cache ? " beyond the cache" : " in the cache";
  state.counters["GFlop/s"] = 2e-9 * static_cast<double>(matrix.nonzeros()) / median(seconds);
  state.counters["MB"] = csr.bytes() * 1e-6;
  state.counters["vs_eigen"] = median(vs_eigen);
  const auto best = layouts.best();
  state.SetLabel(to_string(best.layout));
  state.counters["best_vs_eigen"] = best.vs_eigen;
  state.counters["of_bandwidth"] = median(of_bandwidth);
  summary.add("time of Eigen / ours, " + precision, median(vs_eigen));
  summary.add("time of Eigen / ours, all", median(vs_eigen));
  summary.add("time of Eigen / ours, best layout", best.vs_eigen);
  if (beyond_cache && which.streams) {
    summary.add("fraction of bandwidth, grids and FEM", median(of_bandwidth));
  }
  // A table of all cases has these columns (--benchmark_format=csv).
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  state.counters["block_gain"] = blocked ? median(block_gain) : none;
  state.counters["of_byte_ratio"] = blocked ? median(of_byte_ratio) : none;
  if (blocked) {
    summary.add("block gain / byte ratio," + where, median(of_byte_ratio));
  }
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  using namespace sparsecast;
  Eigen::setNbThreads(available_threads());
  for (const MatrixCase& which : matrix_cases()) {
    benchmark::RegisterBenchmark((which.name + "/f64").c_str(), run_case<double>, which)
        ->Iterations(rounds)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark((which.name + "/f32").c_str(), run_case<float>, which)
        ->Iterations(rounds)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const CpuDescription cpu = describe_cpu();
  std::printf("%s, %d threads (Eigen: %d), %s; read bandwidth %.1f GB/s\n", cpu.name.c_str(),
              cpu.threads, Eigen::nbThreads(), cpu.instruction_set.c_str(),
              read_bandwidth(large_vector()) * 1e-9);
  benchmark::RunSpecifiedBenchmarks();
  summary.print("over matrices");
  benchmark::Shutdown();
  return 0;
}
