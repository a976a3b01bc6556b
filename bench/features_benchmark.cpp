#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/generate/generators.hpp"

/// @file
/// Features, access patterns and generators in nanoseconds per nonzero and core. The aim for the
/// first two: at most 10 each.

namespace sparsecast {
namespace {

struct NamedMatrix {
  std::string name;
  std::function<CsrMatrix<double>()> generate;
};

CsrMatrix<double> random(std::int64_t rows, double bandwidth) {
  RandomMatrixSpec spec;
  spec.rows = rows;
  spec.mean_row_length = 20;
  spec.stddev_row_length = 5;
  spec.bandwidth_fraction = bandwidth;
  return random_matrix(spec);
}

/// Five to eight million nonzeros each: far beyond the caches.
std::vector<NamedMatrix> matrices() {
  return {
      {"5_points", [] { return laplacian(5, 1000, 1000); }},
      {"27_points", [] { return laplacian(27, 64, 64, 64); }},
      {"fem_p1", [] { return fem_elasticity(1, 35, 1); }},
      {"fem_p2", [] { return fem_elasticity(2, 14, 1); }},
      {"random", [] { return random(300000, 1); }},
      {"random_band", [] { return random(300000, 0.01); }},
      {"power_law", [] { return power_law(400000, 15, 2.2, 1); }},
      {"trefethen", [] { return trefethen(150000); }},
      {"dense", [] { return dense(2300, 1); }},
  };
}

/// 10^8 nonzeros each, which take some gigabytes: generated once.
std::vector<NamedMatrix> large_matrices() {
  return {
      {"27_points", [] { return laplacian(27, 156, 156, 156); }},
      {"fem_p1", [] { return fem_elasticity(1, 90, 1); }},
      {"random", [] { return random(5000000, 1); }},
      {"power_law", [] { return power_law(6700000, 15, 2.2, 1); }},
  };
}

void report(benchmark::State& state, std::int64_t nonzeros, int threads) {
  state.counters["nonzeros"] = static_cast<double>(nonzeros);
  // Rates are per second: inverted, seconds per nonzero and core.
  state.counters["s/nonzero/core"] = benchmark::Counter(
      static_cast<double>(nonzeros) / threads,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void measure_features(benchmark::State& state, const NamedMatrix& named, int threads) {
  const CsrMatrix<double> matrix = named.generate();
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(compute_features<double>(matrix, threads));
  }
  report(state, matrix.nonzeros(), threads);
}

void measure_access(benchmark::State& state, const NamedMatrix& named, int threads) {
  const CsrMatrix<double> matrix = named.generate();
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(compute_access<double>(matrix, threads));
  }
  report(state, matrix.nonzeros(), threads);
}

void measure_generator(benchmark::State& state, const NamedMatrix& named) {
  std::int64_t nonzeros = 0;
  for ([[maybe_unused]] auto _ : state) nonzeros = named.generate().nonzeros();
  report(state, nonzeros, available_threads());
}

void register_all() {
  std::vector<int> thread_counts{1};
  if (available_threads() > 1) thread_counts.push_back(available_threads());
  for (const NamedMatrix& matrix : matrices()) {
    for (const int threads : thread_counts) {
      benchmark::RegisterBenchmark(
          ("features/" + matrix.name + "/threads:" + std::to_string(threads)).c_str(),
          [matrix, threads](benchmark::State& state) { measure_features(state, matrix, threads); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(
          ("access/" + matrix.name + "/threads:" + std::to_string(threads)).c_str(),
          [matrix, threads](benchmark::State& state) { measure_access(state, matrix, threads); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  for (const NamedMatrix& matrix : matrices()) {
    benchmark::RegisterBenchmark(
        ("generate/" + matrix.name).c_str(),
        [matrix](benchmark::State& state) { measure_generator(state, matrix); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  for (const NamedMatrix& matrix : large_matrices()) {
    benchmark::RegisterBenchmark(
        ("generate_large/" + matrix.name).c_str(),
        [matrix](benchmark::State& state) { measure_generator(state, matrix); })
        ->Iterations(1)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  sparsecast::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
