// An iteration of fused CG by graph on large matrices, in CSR, against how many groups of rows a
// thread block takes of the product that ends with a sum (`groups_per_finishing_block`), in one
// run.
//
//   large_matrix_benchmark [PRECISION [NONZEROS]]     f64 1e9
//
// All ways take turns in every round. Columns: nonzeros; the product alone, microseconds; an
// iteration with at most 8, 16, 32, 64 groups and with no bound, over the one with the default.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cuda_race.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

constexpr int rounds = 5;
constexpr double seconds_per_round = 0.03;
constexpr int unbounded = 1 << 30;

struct Case {
  std::string name;
  std::function<CsrMatrix<double>()> make;
};

/// Grids, finite elements and random rows around this many nonzeros.
std::vector<Case> cases(double nonzeros) {
  const auto side = [nonzeros](double a_row) {
    return static_cast<std::int64_t>(std::cbrt(nonzeros / a_row));
  };
  const std::int64_t n27 = side(27);
  const std::int64_t n7 = side(7);
  const auto n5 = static_cast<std::int64_t>(std::sqrt(nonzeros / 5));
  const std::int64_t cells = side(9 * 15.0);
  RandomMatrixSpec random;
  random.rows = static_cast<std::int64_t>(nonzeros / 20);
  random.mean_row_length = 20;
  random.stddev_row_length = 6;
  random.bandwidth_fraction = 0.01;
  random.row_similarity = 0.5;
  random.mean_run_length = 3;
  return {
      {"27-point " + std::to_string(n27) + "^3", [n27] { return laplacian(27, n27, n27, n27); }},
      {"7-point " + std::to_string(n7) + "^3", [n7] { return laplacian(7, n7, n7, n7); }},
      {"5-point " + std::to_string(n5) + "^2", [n5] { return laplacian(5, n5, n5); }},
      {"FEM P1, 3 unknowns", [cells] { return fem_elasticity(1, cells, 1); }},
      {"random, 20 a row", [random] { return random_matrix(random); }}};
}

template <class T>
Contestant contestant(const std::string& name, const CsrView<T>& matrix, const CudaPolicy& policy,
                      bool product_alone) {
  CudaBackend backend(0, policy);
  const Schedule schedule = product_alone ? single_step_schedule("SpMV") : fused_cg_schedule();
  std::shared_ptr<PreparedSchedule<T>> prepared = backend.prepare(schedule, matrix, Layout{});
  return {name,
          true,
          [prepared, matrix, product_alone] {
            StopwatchOptions options;
            options.max_seconds = seconds_per_round;
            options.min_rounds = 3;
            if (!product_alone) {
              return measure_iteration(*prepared, cg_slots(), matrix, options).median_seconds;
            }
            const auto body = [&](std::int64_t repeats) { prepared->run(repeats); };
            return measure_repeats_alone(body, options).median_seconds;
          },
          {}};
}

template <class T>
void run(double nonzeros) {
  const std::vector<int> bounds{8, 16, 32, 64, unbounded};
  std::printf("%-20s %11s %11s %11s", "matrix", "nonzeros", "product us", "iteration");
  for (const int bound : bounds) {
    std::printf(" %8s", bound == unbounded ? "none" : std::to_string(bound).c_str());
  }
  std::printf("\n");
  for (const Case& one : cases(nonzeros)) {
    const CsrMatrix<T> matrix = convert_values<T>(one.make().view());
    std::vector<Contestant> all;
    all.push_back(contestant("product", matrix.view(), CudaPolicy{}, true));
    all.push_back(contestant("default", matrix.view(), CudaPolicy{}, false));
    for (const int bound : bounds) {
      CudaPolicy policy;
      policy.groups_per_finishing_block = bound;
      all.push_back(contestant(std::to_string(bound), matrix.view(), policy, false));
    }
    race(all, rounds);
    std::printf("%-20s %11lld %11.1f %11.1f", one.name.c_str(),
                static_cast<long long>(matrix.nonzeros()), 1e6 * median(all[0].seconds),
                1e6 * median(all[1].seconds));
    for (std::size_t i = 2; i < all.size(); ++i) {
      std::printf(" %8.3f", ratio(all[i], all[1]).median_seconds);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  const std::string_view precision = argc > 1 ? argv[1] : "f64";
  const double nonzeros = argc > 2 ? std::atof(argv[2]) : 1e9;
  try {
    std::printf("%s, %s\n", sparsecast::CudaBackend(0).description().c_str(),
                std::string(precision).c_str());
    if (precision == "f32") {
      sparsecast::run<float>(nonzeros);
    } else {
      sparsecast::run<double>(nonzeros);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
