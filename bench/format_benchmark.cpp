// Products and fused CG of storage formats, in one run.
//
//   format_benchmark [DEVICE [CASES [LAYOUTS]]]
//     DEVICE   cuda:0
//     CASES    all, or of small, large (grids), fem, irregular, networks: a list; packets alone:
//              for pkt-given, in the order of the matrix and in packets
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
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/iteration_timing.hpp"
#include "core/formats/pkt/pkt.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/application_generators.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/generate/table4.hpp"
#include "core/matrix/hub_order.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

/// A matrix to measure.
struct Case {
  std::string name;
  std::function<CsrMatrix<double>()> make;
};

Case grid(int points, std::int64_t n) {
  const bool flat = points <= 9;
  const bool is_solid = !flat || points == 7;
  return {std::to_string(points) + "-point " + std::to_string(n) + (is_solid ? "^3" : "^2"),
          [=] { return laplacian(points, n, n, is_solid ? n : 1); }};
}

Case random_case(const std::string& name, std::int64_t rows, double mean, double deviation,
                 double bandwidth) {
  return {name, [=] {
            RandomMatrixSpec spec;
            spec.rows = rows;
            spec.mean_row_length = mean;
            spec.stddev_row_length = deviation;
            spec.bandwidth_fraction = bandwidth;
            return random_matrix(spec);
          }};
}

/// Rows of very different lengths, some like those above them, with runs of neighbours.
CsrMatrix<double> runs_case(std::int64_t rows, double mean) {
  RandomMatrixSpec spec;
  spec.rows = rows;
  spec.mean_row_length = mean;
  spec.stddev_row_length = mean / 2;
  spec.bandwidth_fraction = 0.17;
  spec.row_similarity = 0.45;
  spec.mean_run_length = 3;
  return random_matrix(spec);
}

/// One unknown a node where there are several: the rows and columns of each node's first.
CsrMatrix<double> of_first_components(const CsrMatrix<double>& matrix, int components) {
  CsrMatrix<double> result;
  result.rows = matrix.rows / components;
  result.columns = matrix.columns / components;
  result.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < result.rows; ++row) {
    const std::int64_t end = matrix.row_offsets[row * components + 1];
    for (std::int64_t k = matrix.row_offsets[row * components]; k < end; ++k) {
      if (matrix.column_indices[k] % components != 0) continue;
      result.column_indices.push_back(matrix.column_indices[k] / components);
      result.values.push_back(matrix.values[k]);
    }
    result.row_offsets.push_back(std::ssize(result.column_indices));
  }
  return spd_surrogate(result.view());
}

/// A power-law graph after `--renumber hubs`.
CsrMatrix<double> hubs_first_case(std::int64_t rows) {
  const CsrMatrix<double> graph = power_law(rows, 12, 2.2, 1);
  return renumber<double>(graph.view(), hub_order(graph.view()));
}

CsrMatrix<double> table4_matrix(const char* name) {
  return make_table4_matrix(find_table4_matrix(name), 1);
}

/// Rows packet by packet, as `pkt` clusters them: for `pkt-given`.
CsrMatrix<double> in_packets(const CsrMatrix<double>& matrix) {
  const RowClusters clusters =
      packet_clusters(matrix.view().pattern(), {0, matrix.rows}, parse_layout("pkt"));
  return renumber<double>(matrix.view(), clusters.order);
}

std::vector<Case> cases_of(std::string_view kind) {
  if (kind == "small") {
    return {grid(5, 100), grid(5, 316), grid(5, 1000), grid(7, 40),
            grid(7, 100), grid(27, 30), grid(27, 60)};
  }
  if (kind == "large") {
    return {grid(5, 3000), grid(5, 5000), grid(7, 200), grid(7, 256),
            grid(27, 100), grid(27, 160), grid(27, 256)};
  }
  if (kind == "fem") {
    return {{"P1 elasticity 30", [] { return fem_elasticity(1, 30, 1); }},
            {"P1 elasticity 90", [] { return fem_elasticity(1, 90, 1); }},
            {"P2 elasticity 40", [] { return fem_elasticity(2, 40, 1); }},
            {"P1 scalar 1e6", [] { return of_first_components(fem_elasticity(1, 100, 1), 3); }},
            {"P2 scalar 1e6", [] { return of_first_components(fem_elasticity(2, 50, 1), 3); }}};
  }
  if (kind == "packets") {
    return {{"P1 elasticity 90", [] { return fem_elasticity(1, 90, 1); }},
            {"the same in packets", [] { return in_packets(fem_elasticity(1, 90, 1)); }},
            {"wind-tunnel", [] { return table4_matrix("wind-tunnel"); }},
            {"the same in packets", [] { return in_packets(table4_matrix("wind-tunnel")); }},
            {"fem-spheres", [] { return table4_matrix("fem-spheres"); }},
            {"the same in packets", [] { return in_packets(table4_matrix("fem-spheres")); }}};
  }
  if (kind == "irregular") {
    return {random_case("band 1e6 x 20", 1000000, 20, 6, 0.01),
            random_case("far 2e6 x 20", 2000000, 20, 6, 1),
            {"power law 1e6", [] { return power_law(1000000, 12, 2.2, 1); }},
            {"power law 4e6", [] { return power_law(4000000, 12, 2.2, 1); }},
            {"1e6 hubs first", [] { return hubs_first_case(1000000); }},
            {"4e6 hubs first", [] { return hubs_first_case(4000000); }},
            {"trefethen 2e5", [] { return trefethen(200000); }},
            {"arrow 1e6", [] { return arrow(1000000, 4); }}};
  }
  if (kind == "networks") {
    return {{"kronecker 2e5 x 31", [] { return kronecker_graph(200'000, 31, 0.46, 1); }},
            {"kronecker 2e6 x 9", [] { return kronecker_graph(2'000'000, 9, 0.56, 1); }},
            {"kronecker 1e6 x 31", [] { return kronecker_graph(1'000'000, 31, 0.46, 1); }},
            {"runs 7e5 x 27", [] { return runs_case(700'000, 27); }},
            {"circuit", [] { return table4_matrix("circuit"); }},
            {"webbase", [] { return spd_surrogate(table4_matrix("webbase").view()); }},
            {"lp", [] { return table4_matrix("lp"); }}};
  }
  throw Error("no cases '" + std::string(kind) +
              "'; there are small, large, fem, irregular, networks, packets");
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
  const double stream = read_stream<T>(backend, bytes);
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

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

int run(int argc, char** argv) {
  const std::string device = argc > 1 ? argv[1] : "cuda:0";
  const std::string_view kinds = argc > 2 ? argv[2] : "all";
  if (argc > 4) throw Error("usage: format_benchmark [DEVICE [CASES [LAYOUTS]]]");
  std::vector<Layout> layouts;
  if (argc > 3) {
    for (const std::string& name : words_of(argv[3])) layouts.push_back(parse_layout(name));
  }
  std::vector<Case> cases;
  for (const std::string& kind :
       words_of(kinds == "all" ? "small,large,fem,irregular,networks" : kinds)) {
    for (Case& each : cases_of(kind)) cases.push_back(std::move(each));
  }
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::graph;
  const auto backend = open_backend(device, 0, policy);
  std::printf("%s\n%-20s %-4s %-16s %10s %8s %7s %8s %10s\n", backend->description().c_str(),
              "matrix", "", "layout", "us", "GB/s", "stream", "convert", "CG us");
  for (const Case& each : cases) {
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
