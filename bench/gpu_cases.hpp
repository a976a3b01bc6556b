#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/formats/pkt/pkt.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/generate/application_generators.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/generate/table4.hpp"
#include "core/matrix/hub_order.hpp"

/// @file
/// The matrices of the GPU benchmarks.

namespace sparsecast {

struct GpuCase {
  enum class Kind {
    grid,             ///< stencils
    elements,         ///< finite elements, three unknowns a node
    scalar_elements,  ///< one unknown a node
    irregular,        ///< graphs, bands and rows of very different lengths
    random_order,     ///< any of the first two, numbered at random
    file,
  };
  std::string name;
  Kind kind = Kind::file;
  std::function<CsrMatrix<double>()> make;
};

namespace gpu_cases_detail {

inline GpuCase grid(int points, std::int64_t n) {
  const bool is_solid = points == 7 || points == 27;
  return {std::to_string(points) + "-point " + std::to_string(n) + (is_solid ? "^3" : "^2"),
          GpuCase::Kind::grid, [=] { return laplacian(points, n, n, is_solid ? n : 1); }};
}

/// Elements of this order, so many cells along each axis.
inline GpuCase elements(int order, std::int64_t cells) {
  return {"P" + std::to_string(order) + " elasticity " + std::to_string(cells),
          GpuCase::Kind::elements, [=] { return fem_elasticity(order, cells, 1); }};
}

/// Of an elasticity problem the rows and columns of each node's first unknown.
inline GpuCase scalar_elements(int order, std::int64_t cells) {
  return {"P" + std::to_string(order) + " scalar " + std::to_string(cells),
          GpuCase::Kind::scalar_elements, [=] {
            const CsrMatrix<double> matrix = fem_elasticity(order, cells, 1);
            constexpr int components = 3;
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
          }};
}

inline GpuCase irregular(const std::string& name, std::function<CsrMatrix<double>()> make) {
  return {name, GpuCase::Kind::irregular, std::move(make)};
}

inline GpuCase random_case(const std::string& name, std::int64_t rows, double bandwidth) {
  return irregular(name, [=] {
    RandomMatrixSpec spec;
    spec.rows = rows;
    spec.mean_row_length = 20;
    spec.stddev_row_length = 6;
    spec.bandwidth_fraction = bandwidth;
    return random_matrix(spec);
  });
}

/// Rows of very different lengths, some like those above them, with runs of neighbours.
inline CsrMatrix<double> runs_of_neighbours(std::int64_t rows, double mean) {
  RandomMatrixSpec spec;
  spec.rows = rows;
  spec.mean_row_length = mean;
  spec.stddev_row_length = mean / 2;
  spec.bandwidth_fraction = 0.17;
  spec.row_similarity = 0.45;
  spec.mean_run_length = 3;
  return random_matrix(spec);
}

/// A power-law graph after `--renumber hubs`.
inline CsrMatrix<double> hubs_first(std::int64_t rows) {
  const CsrMatrix<double> graph = power_law(rows, 12, 2.2, 1);
  return renumber<double>(graph.view(), hub_order(graph.view()));
}

inline CsrMatrix<double> table4_matrix(const char* name) {
  return make_table4_matrix(find_table4_matrix(name), 1);
}

/// Rows packet by packet, as `pkt` clusters them: for `pkt-given`.
inline CsrMatrix<double> in_packets(const CsrMatrix<double>& matrix) {
  const RowClusters clusters =
      packet_clusters(matrix.view().pattern(), {0, matrix.rows}, parse_layout("pkt"));
  return renumber<double>(matrix.view(), clusters.order);
}

inline GpuCase in_random_order(const GpuCase& which) {
  return {which.name + " at random", GpuCase::Kind::random_order, [make = which.make] {
            const CsrMatrix<double> matrix = make();
            return renumber<double>(matrix.view(), random_permutation(matrix.rows, 1));
          }};
}

}  // namespace gpu_cases_detail

/// The matrices of a kind: "small" and "large" grids, the "largest" (4.5 * 10^8 entries), "fem",
/// "irregular", "networks", "orders" (at random); "packets" for `pkt-given`, in the order of the
/// matrix and in packets. Throws `Error` that lists the kinds for another.
inline std::vector<GpuCase> gpu_cases(std::string_view kind) {
  using namespace gpu_cases_detail;
  if (kind == "small") {
    return {grid(5, 100), grid(5, 316), grid(5, 700), grid(5, 1000),
            grid(7, 40),  grid(7, 100), grid(27, 30), grid(27, 60)};
  }
  if (kind == "large") {
    return {grid(5, 3000), grid(5, 5000), grid(7, 200), grid(7, 256), grid(27, 100), grid(27, 160)};
  }
  if (kind == "largest") return {grid(27, 256)};
  if (kind == "fem") {
    return {elements(1, 25), elements(1, 40), elements(1, 69),         elements(1, 90),
            elements(2, 20), elements(2, 40), scalar_elements(1, 130), scalar_elements(2, 60)};
  }
  if (kind == "irregular") {
    return {random_case("band 1e6 x 20", 1'000'000, 0.01),
            random_case("far 2e6 x 20", 2'000'000, 1),
            irregular("power law 1e6", [] { return power_law(1'000'000, 12, 2.2, 1); }),
            irregular("power law 4e6", [] { return power_law(4'000'000, 12, 2.2, 1); }),
            irregular("1e6 hubs first", [] { return hubs_first(1'000'000); }),
            irregular("4e6 hubs first", [] { return hubs_first(4'000'000); }),
            irregular("trefethen 2e5", [] { return trefethen(200'000); }),
            irregular("arrow 1e6", [] { return arrow(1'000'000, 4); })};
  }
  if (kind == "networks") {
    return {irregular("kronecker 2e5 x 31", [] { return kronecker_graph(200'000, 31, 0.46, 1); }),
            irregular("kronecker 2e6 x 9", [] { return kronecker_graph(2'000'000, 9, 0.56, 1); }),
            irregular("kronecker 1e6 x 31", [] { return kronecker_graph(1'000'000, 31, 0.46, 1); }),
            irregular("runs 7e5 x 27", [] { return runs_of_neighbours(700'000, 27); }),
            irregular("circuit", [] { return table4_matrix("circuit"); }),
            irregular("webbase", [] { return spd_surrogate(table4_matrix("webbase").view()); }),
            irregular("lp", [] { return table4_matrix("lp"); })};
  }
  if (kind == "orders") {
    return {in_random_order(grid(7, 160)), in_random_order(grid(27, 100)),
            in_random_order(elements(1, 69))};
  }
  if (kind == "packets") {
    const auto fem = [] { return fem_elasticity(1, 90, 1); };
    const auto wind = [] { return table4_matrix("wind-tunnel"); };
    const auto spheres = [] { return table4_matrix("fem-spheres"); };
    using Kind = GpuCase::Kind;
    return {elements(1, 90),
            {"P1 elasticity 90 in packets", Kind::elements, [=] { return in_packets(fem()); }},
            {"wind-tunnel", Kind::elements, wind},
            {"wind-tunnel in packets", Kind::elements, [=] { return in_packets(wind()); }},
            {"fem-spheres", Kind::elements, spheres},
            {"fem-spheres in packets", Kind::elements, [=] { return in_packets(spheres()); }}};
  }
  throw Error("no cases '" + std::string(kind) +
              "'; there are small, large, largest, fem, irregular, networks, orders, packets");
}

/// "fem" and "networks" of "fem,networks".
inline std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Of all kinds of a list.
inline std::vector<GpuCase> gpu_cases_of(std::string_view kinds) {
  std::vector<GpuCase> all;
  for (const std::string& kind : words_of(kinds)) {
    for (GpuCase& each : gpu_cases(kind)) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace sparsecast
