// An iteration of our Jacobi-preconditioned CG (Algorithm 1) against one of Eigen's
// ConjugateGradient with its DiagonalPreconditioner on the same matrix, right-hand side, threads
// and compiler flags.
//
// A round times both, one after the other: `iterations` iterations from the start value 0, again
// and again until enough time has passed. Ours is timed without the setup steps; Eigen's setup (a
// product, a preconditioning, three sums) cannot be taken out and counts as one iteration more.
//   vs_eigen     median over rounds of Eigen's time / our time (above 1: we are faster), CSR
//   b3_vs_eigen  the same in 3 x 3 blocks, for finite elements with 3 unknowns per node
//   step_us      median of our time per iteration, CSR
// At the end come the geometric mean and the extremes over matrices.

#include <benchmark/benchmark.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/cg_schedule.hpp"
#include "core/cpu_backend.hpp"
#include "core/csr.hpp"
#include "core/generators.hpp"
#include "core/machine.hpp"
#include "core/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 7;
constexpr double phase_seconds = 0.02;
/// Few enough that no residual becomes a denormal number, in f32 too.
constexpr int iterations = 20;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Seconds of one call, over enough of them. `prepare` is not timed. The pause before lets the
/// other side's threads stop spinning.
double time_phase(const std::function<void()>& prepare, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  double seconds = 0;
  int calls = 0;
  while (seconds < phase_seconds) {
    prepare();
    const auto start = Clock::now();
    work();
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
    ++calls;
  }
  return seconds / calls;
}

struct Case {
  std::string name;
  std::function<CsrMatrix<double>()> make;
  bool in_blocks = false;  ///< of 3 x 3
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::int64_t n : {10, 30, 100, 300, 1000, 2000}) {
    all.push_back({"5-point_" + std::to_string(n) + "^2", [n] { return laplacian(5, n, n); }});
  }
  for (const std::int64_t n : {10, 30, 60, 100}) {
    all.push_back({"27-point_" + std::to_string(n) + "^3", [n] { return laplacian(27, n, n, n); }});
  }
  for (const std::int64_t cells : {8, 20, 40}) {
    all.push_back(
        {"fem_p1_" + std::to_string(cells), [cells] { return fem_elasticity(1, cells, 1); }, true});
  }
  for (const std::int64_t cells : {8, 20}) {
    all.push_back(
        {"fem_p2_" + std::to_string(cells), [cells] { return fem_elasticity(2, cells, 1); }, true});
  }
  for (const std::int64_t rows : {20000, 1000000}) {
    all.push_back({"random_" + std::to_string(rows), [rows] {
                     RandomMatrixSpec spec;
                     spec.rows = rows;
                     spec.mean_row_length = 10;
                     spec.stddev_row_length = 4;
                     spec.bandwidth_fraction = 0.05;
                     spec.row_similarity = 0.3;
                     return random_matrix(spec);
                   }});
  }
  for (const std::int64_t rows : {20000, 1000000}) {
    all.push_back(
        {"power_law_" + std::to_string(rows), [rows] { return power_law(rows, 8, 2.2, 1); }});
  }
  return all;
}

struct Summary {
  std::map<std::string, std::vector<double>> ratios;

  void print() const {
    std::printf("\n%-36s %8s %8s %8s %6s\n", "time of Eigen / ours", "geomean", "min", "max",
                "count");
    for (const auto& [name, values] : ratios) {
      double logarithms = 0;
      for (const double value : values) logarithms += std::log(value);
      std::printf("%-36s %8.3f %8.3f %8.3f %6zu\n", name.c_str(),
                  std::exp(logarithms / static_cast<double>(values.size())),
                  *std::ranges::min_element(values), *std::ranges::max_element(values),
                  values.size());
    }
  }
};
Summary summary;

/// The last matrix made: cases are visited one after the other, in both precisions.
const CsrMatrix<double>& matrix_of(const Case& which) {
  static std::string name;
  static CsrMatrix<double> matrix;
  if (name != which.name) {
    matrix = {};
    matrix = which.make();
    name = which.name;
  }
  return matrix;
}

template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class T>
std::span<const T> span_of(const Vector<T>& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// Our solver with a system in its memory.
template <class T>
class OurSolver {
 public:
  OurSolver(const CsrMatrix<T>& matrix, const Vector<T>& b, const Vector<T>& c, int block_size)
      : backend_(1, available_threads()),
        prepared_(backend_.prepare(algorithm1_schedule(), matrix.view(), block_layout(block_size))),
        zero_(Vector<T>::Zero(matrix.rows)) {
    prepared_->set_vector("b", span_of(b));
    prepared_->set_vector("c", span_of(c));
  }

  double seconds_per_iteration() {
    const auto start_again = [this] {
      prepared_->set_vector("x", span_of(zero_));
      prepared_->run_setup();
    };
    return time_phase(start_again, [this] { prepared_->run(iterations); }) / iterations;
  }

  bool agrees_with(const Vector<double>& expected) const {
    Vector<T> x(expected.size());
    prepared_->get_vector("x", std::span<T>(x.data(), static_cast<std::size_t>(x.size())));
    return (x.template cast<double>() - expected).norm() <= 1e-2 * expected.norm();
  }

 private:
  CpuBackend backend_;
  std::unique_ptr<PreparedSchedule<T>> prepared_;
  Vector<T> zero_;
};

/// Eigen's conjugate gradients on the arrays of a matrix (offsets in Eigen's index type).
template <class T>
using RowMajorMap = Eigen::Map<const Eigen::SparseMatrix<T, Eigen::RowMajor, int>>;
template <class T>
RowMajorMap<T> map_of(const CsrMatrix<T>& matrix, const std::vector<int>& offsets) {
  return {matrix.rows,
          matrix.rows,
          matrix.nonzeros(),
          offsets.data(),
          matrix.column_indices.data(),
          matrix.values.data()};
}

/// The iterate in double precision. In f32 Eigen's own iterate is no reference: it adds in f32 and
/// is 4 % off on 4 million unknowns after 20 iterations.
Vector<double> reference_iterate(const CsrMatrix<double>& matrix, const std::vector<int>& offsets,
                                 const Vector<double>& b) {
  const RowMajorMap<double> a = map_of(matrix, offsets);
  Eigen::ConjugateGradient<Eigen::SparseMatrix<double, Eigen::RowMajor, int>,
                           Eigen::Lower | Eigen::Upper>
      eigen;
  eigen.setMaxIterations(iterations);
  eigen.setTolerance(0);
  eigen.compute(a);
  return eigen.solve(b);
}

template <class T>
void run_case(benchmark::State& state, const Case& which) {
  using Matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, int>;
  const CsrMatrix<double> matrix_f64 = matrix_of(which);
  const CsrMatrix<T> matrix = convert_values<T>(matrix_f64.view());
  const Eigen::Index rows = matrix.rows;

  // The same arrays, seen by Eigen through a map.
  const std::vector<int> offsets(matrix.row_offsets.begin(), matrix.row_offsets.end());
  const RowMajorMap<T> a = map_of(matrix, offsets);
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Eigen::DiagonalPreconditioner<T>>
      eigen;
  eigen.setMaxIterations(iterations);
  eigen.setTolerance(0);
  eigen.compute(a);
  Vector<T> b(rows);
  Vector<T> c(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    b[i] = static_cast<T>(1 + 0.001 * static_cast<double>(i % 997));
    for (auto k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      if (matrix.column_indices[k] == i) c[i] = 1 / std::sqrt(matrix.values[k]);
    }
  }
  Vector<T> expected = Vector<T>::Zero(rows);
  OurSolver<T> csr(matrix, b, c, 1);
  std::optional<OurSolver<T>> blocked;
  if (which.in_blocks) blocked.emplace(matrix, b, c, 3);

  std::vector<double> vs_eigen, blocked_vs_eigen, seconds;
  for (auto _ : state) {
    const double eigen_seconds =
        time_phase([] {}, [&] { expected = eigen.solve(b); }) / (iterations + 1);
    seconds.push_back(csr.seconds_per_iteration());
    state.SetIterationTime(seconds.back());
    vs_eigen.push_back(eigen_seconds / seconds.back());
    if (blocked) blocked_vs_eigen.push_back(eigen_seconds / blocked->seconds_per_iteration());
  }
  const Vector<double> reference =
      reference_iterate(matrix_f64, offsets, b.template cast<double>());
  if (!csr.agrees_with(reference) || (blocked && !blocked->agrees_with(reference))) {
    state.SkipWithError("our iterate differs from Eigen's in double precision");
    return;
  }
  const std::string precision(to_string(precision_of<T>()));
  const auto report = [&](const char* counter, const char* layout, std::vector<double> ratios) {
    state.counters[counter] = median(ratios);
    summary.ratios[std::string(layout) + ", " + precision].push_back(median(ratios));
    summary.ratios[std::string(layout) + ", both"].push_back(median(ratios));
  };
  report("vs_eigen", "csr", vs_eigen);
  if (blocked) report("b3_vs_eigen", "bcsr3", blocked_vs_eigen);
  state.counters["step_us"] = 1e6 * median(seconds);
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  using namespace sparsecast;
  Eigen::setNbThreads(available_threads());
  for (const Case& which : cases()) {
    const auto add = [&](const std::string& name, auto* function) {
      benchmark::RegisterBenchmark(name.c_str(), function, which)
          ->Iterations(rounds)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    };
    add(which.name + "/f64", run_case<double>);
    add(which.name + "/f32", run_case<float>);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const CpuDescription cpu = describe_cpu();
  std::printf("%s, %d threads (Eigen: %d), %s\n", cpu.name.c_str(), cpu.threads, Eigen::nbThreads(),
              cpu.instruction_set.c_str());
  benchmark::RunSpecifiedBenchmarks();
  summary.print();
  benchmark::Shutdown();
  return 0;
}
