// Products and fused CG of storage formats, in one run.
//
//   format_benchmark [DEVICE [CASES [LAYOUTS]]]
//     DEVICE   cuda:0
//     CASES    all, or a list of the kinds of gpu_cases.hpp (fem,networks)
//     LAYOUTS  a list (csr,sell32,cusparse); without: all that could pay
//
// For each matrix and precision, all layouts in turns, medians of rounds:
//   us        of a product
//   GB/s      of the bytes that it has to move: what is stored, the vector in and out, once each
//   stream    these GB/s over those of a kernel that only reads as many bytes, measured beside it
//   convert   from CSR on the device, the second time, in products
//   CG us     of an iteration of fused conjugate gradients, as a graph on a GPU, if it is square

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "bench/gpu_cases.hpp"
#include "bench/read_stream.hpp"
#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/formats/registry.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

StopwatchOptions short_time() {
  StopwatchOptions options;
  options.max_seconds = 0.3;
  options.max_rounds = 40;
  return options;
}

std::string microseconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", seconds * 1e6);
  return text.data();
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
  const double stream = read_stream<T>(backend, bytes, short_time());
  const double conversion =
      backend.prepare(single_step_schedule("SpMV"), matrix.view(), layout)->conversion_seconds();
  std::string iteration = "-";
  if (matrix.rows == matrix.columns) {
    const auto solver = backend.prepare(fused_cg_schedule(), matrix.view(), layout);
    iteration = microseconds(
        measure_iteration<T>(*solver, cg_slots(), matrix.view(), short_time()).median_seconds);
  }
  if (!(product > 0) || !(stream > 0)) {
    throw Error("other programs disturb the device so much that no time can be told; run it again");
  }
  std::printf("%-20s %-4s %-16s %10s %8.0f %7.3f %8.1f %10s\n", name.c_str(),
              sizeof(T) == 4 ? "f32" : "f64", to_string(layout).c_str(),
              microseconds(product).c_str(), bytes / product / 1e9, bytes / product / stream,
              conversion / product, iteration.c_str());
  std::fflush(stdout);
}

/// Layouts that a format refuses are left out.
template <class T>
void measure_case(Backend& backend, const std::string& name, const CsrMatrix<double>& given,
                  const std::vector<Layout>& asked) {
  const CsrMatrix<T> matrix = convert_values<T>(given.view());
  std::vector<Layout> layouts = asked;
  if (layouts.empty()) {
    const MatrixFeatures features = compute_features(matrix.view());
    for (const Layout& layout : usual_layouts()) {
      if (may_pay(features.numbers(layout.format), layout)) layouts.push_back(layout);
    }
  }
  for (const Layout& layout : layouts) {
    try {
      measure_layout<T>(backend, matrix, layout, name);
    } catch (const Error& error) {
      const std::string_view what = error.what();
      if (!what.starts_with("layout ")) throw;
      std::printf("%-20s %-4s %-16s %s\n", name.c_str(), sizeof(T) == 4 ? "f32" : "f64",
                  to_string(layout).c_str(), error.what());
    }
  }
}

int run(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : "cuda:0";
  const std::string_view kinds = argc > 2 ? argv[2] : "all";
  if (argc > 4) throw Error("usage: format_benchmark [DEVICE [CASES [LAYOUTS]]]");
  std::vector<Layout> layouts;
  if (argc > 3) {
    for (const std::string& name : words_of(argv[3])) layouts.push_back(parse_layout(name));
  }
  const std::vector<GpuCase> cases =
      gpu_cases_of(kinds == "all" ? "small,large,largest,fem,irregular,networks" : kinds);
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::graph;
  const auto backend = open_backend(device, 0, policy);
  std::printf("%s\n%-20s %-4s %-16s %10s %8s %7s %8s %10s\n", backend->description().c_str(),
              "matrix", "", "layout", "us", "GB/s", "stream", "convert", "CG us");
  for (const GpuCase& each : cases) {
    const CsrMatrix<double> matrix = each.make();
    measure_case<float>(*backend, each.name, matrix, layouts);
    measure_case<double>(*backend, each.name, matrix, layouts);
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
