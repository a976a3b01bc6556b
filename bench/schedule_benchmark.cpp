// Iterations of solvers written in the language of docs/schedules.md, beside our fused conjugate
// gradients on the same system in the same run.
//
//   schedule_benchmark [DEVICE [FOLDER [GRID...]]]     cuda:0 schedules 100 316 1000 3162
//
// FOLDER holds the schedules (*.json), GRID is n of a 5-point grid of n x n. For each precision:
//   us            of an iteration (of GMRES: of a cycle), as a graph on a GPU, medians of rounds
//   interpreted   the same by kernels that read what they are to do, where others are compiled
//   / fused       us over that of fused conjugate gradients
//   ready ms      reading, checking and lowering the schedule, and preparing it beyond what a
//                 schedule of one product takes: the first time in this process, and again

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/engine/matrix_functions.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/method/check_method.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

StopwatchOptions short_time() {
  StopwatchOptions options;
  options.max_seconds = 0.25;
  options.max_rounds = 30;
  options.min_round_seconds = 5e-4;
  return options;
}

double milliseconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Measured {
  double iteration = 0;  ///< seconds
  double ready[2] = {};  ///< milliseconds
};

template <class T>
class Race {
 public:
  Race(const std::string& device, const CsrMatrix<T>& matrix) : device_(device), matrix_(matrix) {}

  double fused() {
    const auto backend = open_backend(device_);
    return time(*backend, fused_cg_schedule(), cg_slots());
  }

  Measured measure(const std::string& file, bool compiled) {
    CudaPolicy policy;
    policy.compile_passes = compiled;
    const auto backend = open_backend(device_, 0, policy);
    Measured measured;
    Solver made;
    for (double& ready : measured.ready) {
      const double product = milliseconds(
          [&] { backend->prepare(single_step_schedule("SpMV"), matrix_.view(), Layout{}); });
      const double all = milliseconds([&] {
        const Method method = read_method_file(file);
        check_method(method);
        made = lower(method, parameter_values(method, {}, functions_of(matrix_.view())),
                     Execution::fused);
        backend->prepare(made.schedule, matrix_.view(), Layout{});
      });
      ready = all - product;
    }
    measured.iteration = time(*backend, made.schedule, made.slots);
    return measured;
  }

 private:
  double time(Backend& backend, const Schedule& schedule, const SolverSlots& slots) {
    const auto prepared = backend.prepare(schedule, matrix_.view(), Layout{});
    if (schedule_has(schedule, "residual_limit")) prepared->set_scalar("residual_limit", -1);
    return measure_iteration<T>(*prepared, slots, matrix_.view(), short_time()).median_seconds;
  }
  static bool schedule_has(const Schedule& schedule, const std::string& scalar) {
    for (const ScalarDeclaration& each : schedule.scalars) {
      if (each.name == scalar) return true;
    }
    return false;
  }

  std::string device_;
  const CsrMatrix<T>& matrix_;
};

template <class T>
void measure_grid(const std::string& device, const std::vector<std::string>& files,
                  std::int64_t n) {
  const CsrMatrix<T> matrix = convert_values<T>(laplacian(5, n, n).view());
  Race<T> race(device, matrix);
  const double fused = race.fused();
  const char* precision = sizeof(T) == 4 ? "f32" : "f64";
  const auto grid = static_cast<int>(n);
  std::printf("%5d %-4s %-17s %9.2f\n", grid, precision, "fused", fused * 1e6);
  for (const std::string& file : files) {
    const Measured compiled = race.measure(file, true);
    const double interpreted =
        device.starts_with("cuda:") ? race.measure(file, false).iteration : 0;
    std::printf("%5d %-4s %-17s %9.2f %11.2f %8.3f %9.1f %7.1f\n", grid, precision,
                std::filesystem::path(file).stem().c_str(), compiled.iteration * 1e6,
                interpreted * 1e6, compiled.iteration / fused, compiled.ready[0],
                compiled.ready[1]);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  using namespace sparsecast;
  try {
    const std::string device = argc > 1 ? argv[1] : "cuda:0";
    const std::string folder = argc > 2 ? argv[2] : "schedules";
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    std::vector<std::int64_t> grids;
    for (int k = 3; k < argc; ++k) grids.push_back(std::stoll(argv[k]));
    if (grids.empty()) grids = {100, 316, 1000, 3162};
    std::printf("%5s %-4s %-17s %9s %11s %8s %9s %7s\n", "grid", "", "schedule", "us",
                "interpreted", "/ fused", "ready ms", "again");
    for (const std::int64_t n : grids) {
      measure_grid<double>(device, files, n);
      measure_grid<float>(device, files, n);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "schedule_benchmark: %s\n", error.what());
    return 1;
  }
  return 0;
}
