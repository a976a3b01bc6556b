#include "predict/validation/held_out_matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "core/base/random_stream.hpp"
#include "core/matrix/generate/generators.hpp"
#include "predict/validation/held_out_family.hpp"

namespace sparsecast {

namespace {

/// A grid whose sides have these ratios, 0 for sides that it does not have.
Recipe grid(int points, std::array<double, 3> ratios, double nonzeros) {
  double product = 1;
  int dimensions = 0;
  for (const double ratio : ratios) {
    if (ratio == 0) continue;
    product *= ratio;
    ++dimensions;
  }
  const double unit = std::pow(nonzeros / points / product, 1.0 / dimensions);
  std::array<std::int64_t, 3> sides{1, 1, 1};
  double rows = 1;
  std::string name = "grid" + std::to_string(points) + ' ';
  for (std::size_t i = 0; i < 3; ++i) {
    if (ratios[i] != 0) sides[i] = rounded(unit * ratios[i], 3);
    rows *= static_cast<double>(sides[i]);
    if (i > 0 && ratios[i] != 0) name += 'x';
    if (ratios[i] != 0) name += std::to_string(sides[i]);
  }
  return {name, rows * points,
          [=](int threads) { return laplacian(points, sides[0], sides[1], sides[2], threads); }};
}

Family grids(int points, std::array<double, 3> ratios) {
  return {[=](double nonzeros, std::uint64_t) { return grid(points, ratios, nonzeros); }};
}

Family components(int count, int points, std::array<double, 3> ratios) {
  return {[=](double nonzeros, std::uint64_t) {
    Recipe base = grid(points, ratios, nonzeros / (count * count));
    return Recipe{std::to_string(count) + " components on " + base.name,
                  base.nonzeros * count * count,
                  [=](int threads) { return with_components(base.make(threads).view(), count); }};
  }};
}

Family holes(double share, int points, std::array<double, 3> ratios) {
  return {[=](double nonzeros, std::uint64_t seed) {
    // Of an entry's two unknowns both must stay.
    const double stays = (1 - share) * (1 - share);
    Recipe base = grid(points, ratios, nonzeros / stays);
    return Recipe{base.name + " with holes " + text(share) + " seed " + std::to_string(seed),
                  base.nonzeros * stays,
                  [=](int threads) { return with_holes(base.make(threads).view(), share, seed); }};
  }};
}

Family elasticity(int order) {
  return {[=](double nonzeros, std::uint64_t seed) {
    // About 15 neighbours of a P1 node and 28 of a P2 node, 9 nonzeros each.
    const double nodes = nonzeros / (9 * (order == 1 ? 15.0 : 28.0));
    const std::int64_t cells = rounded(std::cbrt(nodes) / order, 1);
    return Recipe{"fem_p" + std::to_string(order) + " cells " + std::to_string(cells) + " seed " +
                      std::to_string(seed),
                  nonzeros,
                  [=](int threads) { return fem_elasticity(order, cells, seed, threads); }};
  }};
}

/// Row length, its deviation, bandwidth, similarity and run length as in `RandomMatrixSpec`.
Family random_rows(double mean, double stddev, double bandwidth, double similarity, double run) {
  return {[=](double nonzeros, std::uint64_t seed) {
            RandomMatrixSpec spec;
            spec.rows = rounded(nonzeros / mean, 64);
            const auto rows = static_cast<double>(spec.rows);
            spec.mean_row_length = std::min({mean, rows / 4, std::max(3.0, rows * bandwidth)});
            spec.stddev_row_length = stddev;
            spec.bandwidth_fraction = bandwidth;
            spec.row_similarity = similarity;
            spec.mean_run_length = run;
            spec.seed = seed;
            return Recipe{"random " + std::to_string(spec.rows) + " mean " +
                              text(spec.mean_row_length) + " deviation " + text(stddev) +
                              " bandwidth " + text(bandwidth) + " similarity " + text(similarity) +
                              " run " + text(run) + " seed " + std::to_string(seed),
                          rows * spec.mean_row_length,
                          [=](int threads) { return random_matrix(spec, threads); }};
          },
          false};
}

Family graphs(double mean, double exponent) {
  return {[=](double nonzeros, std::uint64_t seed) {
            const std::int64_t rows = rounded(nonzeros / mean, 64);
            return Recipe{"power_law " + std::to_string(rows) + " mean " + text(mean) +
                              " exponent " + text(exponent) + " seed " + std::to_string(seed),
                          nonzeros, [=](int threads) {
                            return power_law(rows, mean, exponent, seed, threads);
                          }};
          },
          false};
}

std::vector<Family> families(const Variation& v) {
  return {grids(5, v({1, 13, 0})),
          grids(5, v({17, 1, 0})),
          grids(9, v({4, 1, 0})),
          grids(7, v({1, 2, 4})),
          grids(7, v({9, 1, 2})),
          grids(27, v({1, 4, 2})),
          grids(27, v({1, 1, 12})),
          elasticity(1),
          elasticity(2),
          components(2, 5, v({2, 3, 0})),
          components(4, 7, v({2, 1, 1})),
          components(6, 5, v({3, 1, 0})),
          components(8, 9, v({1, 2, 0})),
          components(5, 7, v({1, 1, 3})),
          holes(v(0.15), 7, v({1, 1.5, 1})),
          holes(v(0.4), 27, v({1.5, 1, 1})),
          holes(v(0.3), 5, v({1, 1.5, 0})),
          random_rows(v(7), v(1), 1, 0, 1),
          random_rows(v(15), v(5), v(0.03), v(0.3), v(2)),
          random_rows(v(25), v(12), v(0.2), v(0.5), v(3)),
          random_rows(v(80), v(10), v(0.015), 1 - v(0.15), v(10)),
          random_rows(v(5), v(4), v(0.006), v(0.4), 1),
          random_rows(v(35), v(45), v(0.08), v(0.6), v(5)),
          graphs(v(6), 2 + v(0.15)),
          graphs(v(12), 2 + v(0.9))};
}

/// Half of them so large that several GPUs may be worth it.
constexpr Strata strata_for_several{
    {{1500, 2.2e5, 1}, {4.5e5, 1.8e6, 1}, {3.3e6, 7e6, 1}, {1.4e7, 6e7, 3}}};

/// Above the sizes of the strata, one each.
std::vector<Recipe> giants(const Variation& v, std::uint64_t seed) {
  return {grid(27, v({2, 1, 1}), 2.4e9),
          grid(27, v({1, 1, 2}), 2e9),
          grid(7, v({1, 1, 1}), 1e9),
          grid(27, v({1, 2, 2}), 4.9e8),
          grid(7, v({1, 3, 1}), 2e8),
          components(3, 7, v({1, 2, 1})).recipe(1.6e8, seed),
          random_rows(v(18), v(4), v(0.01), v(0.5), v(3)).recipe(1.3e8, seed),
          elasticity(1).recipe(1e8, seed),
          grid(5, v({1, 5, 0}), 1e8),
          holes(v(0.25), 7, v({2, 1, 1})).recipe(7e7, seed),
          graphs(v(9), 2 + v(0.5)).recipe(6e7, seed)};
}

}  // namespace

std::vector<ValidationSource> held_out_matrices(double most_nonzeros, bool for_several,
                                                std::uint64_t seed) {
  const Variation variation(seed);
  // Further than there are matrices: each has its own.
  const std::uint64_t first_matrix_seed = 10000 * (seed - 1);
  std::vector<ValidationSource> sources;
  const auto add = [&](Recipe recipe, bool renumber) {
    if (recipe.nonzeros <= most_nonzeros) {
      sources.push_back(source_of(std::move(recipe), renumber));
    }
  };
  for (Recipe& giant : giants(variation, first_matrix_seed + 7001)) {
    add(std::move(giant), false);
  }
  std::uint64_t matrix_seed = first_matrix_seed + 5000;
  const Strata& all = for_several ? strata_for_several : strata_for_one;
  for (auto sizes = all.rbegin(); sizes != all.rend(); ++sizes) {
    RandomStream random(20261121, matrix_seed);
    for (const Family& family : families(variation)) {
      for (int i = 0; i < sizes->of_each_family; ++i) {
        const double nonzeros = sizes->nonzeros(i, random);
        add(family.recipe(nonzeros, ++matrix_seed), family.structured && i == 0);
      }
    }
  }
  return sources;
}

CsrMatrix<double> with_holes(const CsrView<double>& matrix, double share, std::uint64_t seed) {
  std::vector<std::int32_t> place(static_cast<std::size_t>(matrix.rows), -1);
  RandomStream random(seed, 0);
  std::int32_t count = 0;
  for (std::size_t row = 0; row < place.size(); ++row) {
    const bool last_chance = count == 0 && row + 1 == place.size();
    if (random.uniform() >= share || last_chance) place[row] = count++;
  }
  CsrMatrix<double> result;
  result.rows = result.columns = count;
  result.row_offsets.resize(static_cast<std::size_t>(count) + 1);
  result.row_offsets[0] = 0;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (std::size_t row = 0; row < place.size(); ++row) {
    if (place[row] < 0) continue;
    const auto old = static_cast<std::int64_t>(row);
    const std::int64_t last = matrix.row_offsets[old + 1];
    for (std::int64_t k = matrix.row_offsets[old]; k < last; ++k) {
      const std::int32_t column = place[static_cast<std::size_t>(matrix.column_indices[k])];
      if (column < 0) continue;
      columns.push_back(column);
      values.push_back(matrix.values[k]);
    }
    result.row_offsets[static_cast<std::size_t>(place[row]) + 1] = std::ssize(columns);
  }
  result.column_indices.assign(columns.begin(), columns.end());
  result.values.assign(values.begin(), values.end());
  return result;
}

}  // namespace sparsecast
