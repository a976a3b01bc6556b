// Products and fused CG of every storage format that could pay, on grids, in one run.
//
//   format_benchmark [DEVICE [SIZES]]     cuda:0 all | small | large
//
// For each grid and precision, all layouts in turns, medians of rounds:
//   us        of a product
//   GB/s      of the bytes that it has to move: what is stored, the vector in and out, once each
//   stream    these GB/s over those of a kernel that only reads as many bytes, measured beside it
//   CG us     of an iteration of fused conjugate gradients, as a graph on a GPU

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

struct Grid {
  int points = 5;
  std::int64_t nx = 1;
  std::int64_t ny = 1;
  std::int64_t nz = 1;

  std::string name() const {
    return std::to_string(points) + "-point " + std::to_string(nx) + (nz > 1 ? "^3" : "^2");
  }
};

std::vector<Grid> grids(std::string_view sizes) {
  std::vector<Grid> all;
  if (sizes != "large") {
    for (const std::int64_t n : {100, 316, 1000}) all.push_back({5, n, n, 1});
    for (const std::int64_t n : {40, 100}) all.push_back({7, n, n, n});
    for (const std::int64_t n : {30, 60}) all.push_back({27, n, n, n});
  }
  if (sizes != "small") {
    all.push_back({5, 3000, 3000, 1});
    all.push_back({5, 5000, 5000, 1});
    all.push_back({7, 200, 200, 200});
    all.push_back({7, 256, 256, 256});
    all.push_back({27, 100, 100, 100});
    all.push_back({27, 160, 160, 160});
    all.push_back({27, 256, 256, 256});
  }
  return all;
}

StopwatchOptions short_time() {
  StopwatchOptions options;
  options.max_seconds = 0.3;
  options.max_rounds = 40;
  return options;
}

/// Bytes a second of a kernel that only reads so many bytes.
template <class T>
double read_stream(Backend& backend, double bytes) {
  constexpr int vectors = 8;
  const auto unknowns = static_cast<std::int64_t>(bytes / (vectors * sizeof(T)));
  const Schedule schedule = load_schedule(vectors, false);
  std::unique_ptr<PreparedSchedule<T>> prepared;
  if constexpr (sizeof(T) == 4) {
    prepared = backend.prepare_vectors_f32(schedule, unknowns);
  } else {
    prepared = backend.prepare_vectors_f64(schedule, unknowns);
  }
  const Timing timing =
      measure_repeats_alone([&](std::int64_t repeats) { prepared->run(repeats); }, short_time());
  return static_cast<double>(unknowns) * vectors * sizeof(T) / timing.median_seconds;
}

template <class T>
void measure_layout(Backend& backend, const CsrMatrix<T>& matrix, const Layout& layout,
                    const std::string& name) {
  double product = 0;
  double bytes = 0;
  {
    const auto prepared = backend.prepare(single_step_schedule("SpMV"), matrix.view(), layout);
    prepared->set_vector("v", std::vector<T>(static_cast<std::size_t>(matrix.columns), T{1}));
    prepared->run(1);
    bytes = prepared->counters().bytes.total();
    product =
        measure_repeats_alone([&](std::int64_t repeats) { prepared->run(repeats); }, short_time())
            .median_seconds;
  }
  const double stream = read_stream<T>(backend, bytes);
  const auto solver = backend.prepare(fused_cg_schedule(), matrix.view(), layout);
  const double iteration =
      measure_iteration<T>(*solver, cg_slots(), matrix.view(), short_time()).median_seconds;
  std::printf("%-18s %-4s %-6s %10.1f %8.0f %7.3f %10.1f\n", name.c_str(),
              sizeof(T) == 4 ? "f32" : "f64", to_string(layout).c_str(), product * 1e6,
              bytes / product / 1e9, bytes / product / stream, iteration * 1e6);
  std::fflush(stdout);
}

template <class T>
void measure_grid(Backend& backend, const Grid& grid) {
  const CsrMatrix<T> matrix =
      convert_values<T>(laplacian(grid.points, grid.nx, grid.ny, grid.nz).view());
  const MatrixFeatures features = compute_features(matrix.view());
  for (const Layout& layout : usual_layouts()) {
    const SegmentShape shape = features.shape(layout);
    constexpr double most_fill = 1.6;
    if (layout.row_order == RowOrder::sorted ||
        shape.elements > most_fill * static_cast<double>(matrix.nonzeros())) {
      continue;
    }
    measure_layout<T>(backend, matrix, layout, grid.name());
  }
}

int run(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : "cuda:0";
  const std::string_view sizes = argc > 2 ? argv[2] : "all";
  if (argc > 3 || (sizes != "all" && sizes != "small" && sizes != "large")) {
    throw Error("usage: format_benchmark [DEVICE [all|small|large]]");
  }
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::graph;
  const auto backend = open_backend(device, 0, policy);
  std::printf("%s\n%-18s %-4s %-6s %10s %8s %7s %10s\n", backend->description().c_str(), "grid", "",
              "layout", "us", "GB/s", "stream", "CG us");
  for (const Grid& grid : grids(sizes)) {
    measure_grid<float>(*backend, grid);
    measure_grid<double>(*backend, grid);
  }
  return 0;
}

}  // namespace
}  // namespace sparsecast

int main(int argc, char** argv) {
  try {
    return sparsecast::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "format_benchmark: %s\n", error.what());
    return 1;
  }
}
