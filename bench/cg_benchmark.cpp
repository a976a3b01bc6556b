// An iteration of our Jacobi-preconditioned CG, by the fused schedule and by Algorithm 1, against
// one of Eigen's ConjugateGradient with its DiagonalPreconditioner on the same matrix, right-hand
// side, threads and compiler flags.
//
// A round times all, one after the other: `iterations` iterations from the start value 0, again
// and again until enough time has passed. Ours is timed without the setup steps; Eigen's setup (a
// product, a preconditioning, three sums) cannot be taken out and counts as one iteration more.
//   fused        median over rounds of Eigen's time / our time (above 1: we are faster), CSR
//   algorithm1   the same of Algorithm 1
//   fused_b3, algorithm1_b3  the same in 3 x 3 blocks, for finite elements with 3 unknowns per node
//                (nan: others)
//   step_us      median of our time per iteration, fused, CSR
// At the end come the geometric mean and the extremes over matrices.

#include <benchmark/benchmark.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/matrix_cases.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/cpu/machine.hpp"
#include "core/matrix/csr.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 7;
constexpr double phase_seconds = 0.02;
/// Few enough that no residual becomes a denormal number, in f32 too.
constexpr int iterations = 20;

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

RatioSummary summary;

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
  OurSolver(const CsrMatrix<T>& matrix, const Vector<T>& b, const Vector<T>& c,
            const std::string& schedule, int block_size)
      : name(schedule + (block_size > 1 ? "_b" + std::to_string(block_size) : "")),
        backend_(1, available_threads()),
        prepared_(
            backend_.prepare(built_in(schedule).schedule, matrix.view(), block_layout(block_size))),
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

  const std::string name;
  std::vector<double> vs_eigen;  ///< per round

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
void run_case(benchmark::State& state, const MatrixCase& which) {
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
  std::vector<std::unique_ptr<OurSolver<T>>> ours;
  for (const int block_size : {1, 3}) {
    if (block_size > 1 && which.natural_block != block_size) continue;
    for (const char* schedule : {"fused", "algorithm1"}) {
      ours.push_back(std::make_unique<OurSolver<T>>(matrix, b, c, schedule, block_size));
    }
  }

  std::vector<double> seconds;
  for (auto _ : state) {
    const double eigen_seconds =
        time_phase([] {}, [&] { expected = eigen.solve(b); }) / (iterations + 1);
    for (const auto& solver : ours) {
      const double our_seconds = solver->seconds_per_iteration();
      solver->vs_eigen.push_back(eigen_seconds / our_seconds);
      if (solver == ours.front()) seconds.push_back(our_seconds);
    }
    state.SetIterationTime(seconds.back());
  }
  const Vector<double> reference =
      reference_iterate(matrix_f64, offsets, b.template cast<double>());
  const std::string precision(to_string(precision_of<T>()));
  // A table of all cases has these columns (--benchmark_format=csv).
  for (const char* name : {"fused_b3", "algorithm1_b3"}) {
    state.counters[name] = std::numeric_limits<double>::quiet_NaN();
  }
  for (const auto& solver : ours) {
    if (!solver->agrees_with(reference)) {
      state.SkipWithError("our iterate differs from Eigen's in double precision");
      return;
    }
    state.counters[solver->name] = median(solver->vs_eigen);
    summary.add(solver->name + ", " + precision, median(solver->vs_eigen));
    summary.add(solver->name + ", both", median(solver->vs_eigen));
  }
  state.counters["step_us"] = 1e6 * median(seconds);
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  using namespace sparsecast;
  Eigen::setNbThreads(available_threads());
  for (const MatrixCase& which : matrix_cases()) {
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
  summary.print("time of Eigen / ours");
  benchmark::Shutdown();
  return 0;
}
