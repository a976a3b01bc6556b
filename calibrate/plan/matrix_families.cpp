#include "calibrate/plan/matrix_families.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast {

namespace {

std::int64_t rounded(double number, std::int64_t least = 1) {
  return std::max(least, static_cast<std::int64_t>(std::llround(number)));
}

MatrixRecipe recipe(std::string description, double nonzeros,
                    std::function<CsrMatrix<double>(int)> generate) {
  return {std::move(description), nonzeros, std::move(generate)};
}

MatrixFamily grid(int points, double aspect = 1) {
  return [=](double nonzeros, std::uint64_t) {
    const int dimensions = points == 3 ? 1 : points == 5 || points == 9 ? 2 : 3;
    const double side = std::pow(nonzeros / points / aspect, 1.0 / dimensions);
    const std::int64_t nx = rounded(side * aspect, 3);
    const std::int64_t ny = dimensions > 1 ? rounded(side, 3) : 1;
    const std::int64_t nz = dimensions > 2 ? rounded(side, 3) : 1;
    return recipe("laplacian" + std::to_string(points) + ' ' + std::to_string(nx) + 'x' +
                      std::to_string(ny) + 'x' + std::to_string(nz),
                  static_cast<double>(points * nx * ny * nz),
                  [=](int threads) { return laplacian(points, nx, ny, nz, threads); });
  };
}

MatrixFamily elasticity(int order) {
  return [=](double nonzeros, std::uint64_t seed) {
    // About 15 neighbours of a P1 node and 28 of a P2 node, 9 nonzeros each.
    const double nodes = nonzeros / (9 * (order == 1 ? 15.0 : 28.0));
    const std::int64_t cells = rounded(std::cbrt(nodes) / order, 1);
    return recipe("fem_p" + std::to_string(order) + " cells " + std::to_string(cells) + " seed " +
                      std::to_string(seed),
                  nonzeros,
                  [=](int threads) { return fem_elasticity(order, cells, seed, threads); });
  };
}

MatrixFamily primes() {
  return [](double nonzeros, std::uint64_t) {
    // Two entries a row for each power of two below n.
    const double n = nonzeros / (2 * std::log2(std::max(nonzeros / 20, 4.0)));
    const std::int64_t rows = rounded(n, 8);
    return recipe("trefethen " + std::to_string(rows), nonzeros,
                  [=](int threads) { return trefethen(rows, threads); });
  };
}

MatrixFamily full() {
  return [](double nonzeros, std::uint64_t seed) {
    const std::int64_t rows = rounded(std::sqrt(nonzeros), 8);
    return recipe("dense " + std::to_string(rows) + " seed " + std::to_string(seed),
                  static_cast<double>(rows * rows),
                  [=](int threads) { return dense(rows, seed, threads); });
  };
}

/// Row length, its deviation, bandwidth, similarity and run length as in `RandomMatrixSpec`.
MatrixFamily random_rows(double mean, double stddev, double bandwidth, double similarity,
                         double run) {
  return [=](double nonzeros, std::uint64_t seed) {
    RandomMatrixSpec spec;
    spec.rows = rounded(nonzeros / mean, 16);
    spec.mean_row_length = std::min(mean, static_cast<double>(spec.rows) / 4);
    spec.stddev_row_length = stddev;
    // Wide enough for the rows of small matrices.
    spec.bandwidth_fraction = std::clamp(2 * mean / static_cast<double>(spec.rows), bandwidth, 1.0);
    spec.row_similarity = similarity;
    spec.mean_run_length = run;
    spec.seed = seed;
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "random %lld mean %g deviation %g bandwidth %g similarity %g run %g seed %llu",
                  static_cast<long long>(spec.rows), spec.mean_row_length, stddev,
                  spec.bandwidth_fraction, similarity, run, static_cast<unsigned long long>(seed));
    return recipe(text.data(), nonzeros, [=](int threads) { return random_matrix(spec, threads); });
  };
}

MatrixFamily graph(double mean, double exponent) {
  return [=](double nonzeros, std::uint64_t seed) {
    const std::int64_t rows = rounded(nonzeros / mean, 32);
    return recipe("power_law " + std::to_string(rows) + " mean " + std::to_string(rounded(mean)) +
                      " exponent " + std::to_string(rounded(exponent * 10)) + "/10 seed " +
                      std::to_string(seed),
                  nonzeros,
                  [=](int threads) { return power_law(rows, mean, exponent, seed, threads); });
  };
}

MatrixFamily arrowhead(std::int64_t heads) {
  return [=](double nonzeros, std::uint64_t) {
    const double row_length = 3 + 2 * static_cast<double>(heads);
    const std::int64_t rows = rounded(nonzeros / row_length, 4 * heads);
    return recipe("arrow " + std::to_string(rows) + " heads " + std::to_string(heads), nonzeros,
                  [=](int threads) { return arrow(rows, heads, threads); });
  };
}

/// Several unknowns a node, all of them coupled to all of a neighbouring node.
MatrixFamily coupled(MatrixFamily family, int components) {
  return [family = std::move(family), components](double nonzeros, std::uint64_t seed) {
    const double blocks = components * static_cast<double>(components);
    MatrixRecipe made = family(nonzeros / blocks, seed);
    made.description += " components " + std::to_string(components);
    made.nonzeros *= blocks;
    made.generate = [generate = std::move(made.generate), components](int threads) {
      return with_components(generate(threads).view(), components);
    };
    return made;
  };
}

enum class Numbering { random, cuthill_mckee };

MatrixFamily renumbered(MatrixFamily family, Numbering numbering) {
  return [family = std::move(family), numbering](double nonzeros, std::uint64_t seed) {
    MatrixRecipe made = family(nonzeros, seed);
    made.description += numbering == Numbering::random ? " shuffled" : " rcm";
    made.generate = [generate = std::move(made.generate), numbering, seed](int threads) {
      const CsrMatrix<double> matrix = generate(threads);
      const Permutation permutation = numbering == Numbering::random
                                          ? random_permutation(matrix.rows, seed)
                                          : reverse_cuthill_mckee(matrix);
      return renumber(matrix.view(), std::span<const std::int32_t>(permutation), threads);
    };
    return made;
  };
}

}  // namespace

std::vector<double> log_spread(double least, double most, int count, PlanRandom& random) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(least * std::pow(most / least, (i + random.uniform()) / count));
  }
  return numbers;
}

std::vector<MatrixFamily> fitted_families() {
  return {grid(3),
          grid(5),
          grid(7),
          grid(9),
          grid(27),
          elasticity(1),
          elasticity(2),
          primes(),
          full(),
          random_rows(4, 2, 1, 0, 1),
          random_rows(10, 3, 0.1, 0.6, 3),
          random_rows(30, 10, 0.02, 0.8, 6),
          graph(5, 2.3),
          renumbered(grid(7), Numbering::random)};
}

std::vector<MatrixFamily> held_out_families() {
  return {grid(5, 7),
          grid(7, 5),
          grid(27, 3),
          elasticity(1),
          elasticity(2),
          renumbered(elasticity(1), Numbering::cuthill_mckee),
          random_rows(6, 3, 0.5, 0.2, 2),
          random_rows(20, 8, 0.05, 0.7, 4),
          random_rows(12, 2, 0.01, 0.9, 2),
          graph(8, 2.6),
          renumbered(grid(9), Numbering::random),
          random_rows(50, 20, 0.3, 0.4, 8)};
}

std::vector<MatrixFamily> unequal_families() {
  return {arrowhead(1),
          random_rows(20, 40, 0.3, 0.3, 2),
          random_rows(2.5, 1, 0.2, 0, 1),
          random_rows(16, 4, 0.001, 0.5, 2),
          random_rows(60, 5, 0.005, 0.9, 12),
          graph(16, 2.1),
          renumbered(grid(27), Numbering::random),
          renumbered(elasticity(1), Numbering::random),
          coupled(random_rows(5, 2, 0.1, 0.3, 2), 2),
          coupled(grid(9), 4),
          coupled(grid(7), 6),
          coupled(grid(5), 8)};
}

std::vector<MatrixFamily> held_out_unequal_families() {
  return {arrowhead(3),
          random_rows(30, 50, 0.1, 0.5, 4),
          random_rows(3, 2, 0.02, 0.3, 1),
          random_rows(40, 8, 0.002, 0.7, 5),
          renumbered(grid(5, 2), Numbering::random),
          renumbered(random_rows(24, 6, 0.01, 0.8, 4), Numbering::random),
          coupled(grid(9), 2),
          coupled(grid(5, 2), 4),
          coupled(random_rows(6, 1, 0.02, 0.5, 1), 7)};
}

std::vector<MatrixFamily> product_families() {
  return {random_rows(8, 0.01, 0.01, 0.9, 1),
          random_rows(8, 0.01, 1, 0, 1),
          random_rows(8, 4, 1, 0, 1),
          random_rows(8, 4, 0.01, 0.5, 1),
          random_rows(32, 0.01, 1, 0, 1),
          random_rows(32, 16, 1, 0, 1),
          random_rows(32, 16, 0.02, 0.5, 3),
          random_rows(100, 0.01, 0.05, 0.9, 10),
          renumbered(grid(5), Numbering::random),
          coupled(random_rows(6, 0.01, 1, 0, 1), 3),
          coupled(random_rows(6, 3, 1, 0, 1), 2),
          coupled(random_rows(6, 3, 1, 0, 1), 4),
          coupled(random_rows(6, 3, 1, 0, 1), 8)};
}

std::vector<MatrixRecipe> matrices_of(const std::vector<MatrixFamily>& families, double least,
                                      double most, int sizes, std::uint64_t seed) {
  PlanRandom random(seed);
  std::vector<MatrixRecipe> recipes;
  for (const MatrixFamily& family : families) {
    for (const double nonzeros : log_spread(least, most, sizes, random)) {
      recipes.push_back(family(nonzeros, seed + recipes.size()));
    }
  }
  return recipes;
}

std::vector<MatrixRecipe> matrices_in_turn(const std::vector<MatrixFamily>& families, double least,
                                           double most, int sizes, std::uint64_t seed) {
  std::vector<MatrixRecipe> all = matrices_of(families, least, most, sizes, seed);
  std::vector<MatrixRecipe> turned;
  for (int turn = 0; turn < sizes; ++turn) {
    for (std::size_t family = 0; family < families.size(); ++family) {
      const auto count = static_cast<std::size_t>(sizes);
      const auto size = (static_cast<std::size_t>(turn) + family) % count;
      turned.push_back(std::move(all[family * count + size]));
    }
  }
  return turned;
}

}  // namespace sparsecast
