#include "predict/validation/unrelated_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "core/base/random_stream.hpp"
#include "core/matrix/application_orders.hpp"
#include "core/matrix/generate/application_generators.hpp"
#include "predict/validation/held_out_family.hpp"

namespace sparsecast {

namespace {

std::string seed_text(std::uint64_t seed) {
  return " seed " + std::to_string(seed);
}

/// Of images that are `ratio` times as high as wide.
Family images(double radius, double tolerance, double ratio) {
  return {[=](double nonzeros, std::uint64_t seed) {
            constexpr double alike_share = 0.65;  // of the 3.1 r^2 pixels of a disc, about
            const double alike = alike_share * 3.1 * radius * radius;
            const std::int64_t width = rounded(std::sqrt(nonzeros / (1 + alike) / ratio), 2);
            const std::int64_t height = rounded(ratio * static_cast<double>(width), 2);
            const std::string size = std::to_string(width) + 'x' + std::to_string(height);
            return Recipe{"image " + size + " radius " + text(radius) + " tolerance " +
                              text(tolerance) + seed_text(seed),
                          nonzeros, [=](int threads) {
                            return image_graph(width, height, radius, tolerance, seed, threads);
                          }};
          },
          false};
}

Family kronecker_graphs(double mean, double corner) {
  return {[=](double nonzeros, std::uint64_t seed) {
            const std::int64_t rows = rounded(nonzeros / mean, 64);
            return Recipe{"kronecker " + std::to_string(rows) + " mean " + text(mean) + " corner " +
                              text(corner) + seed_text(seed),
                          nonzeros, [=](int threads) {
                            return kronecker_graph(rows, mean, corner, seed, threads);
                          }};
          },
          false};
}

/// On meshes that are `ratio` times as long along y.
Family fields(double ratio) {
  return {[=](double nonzeros, std::uint64_t seed) {
            constexpr double of_a_square = 344;
            const std::int64_t nx = rounded(std::sqrt(nonzeros / of_a_square / ratio), 1);
            const std::int64_t ny = rounded(ratio * static_cast<double>(nx), 1);
            return Recipe{
                "fields " + std::to_string(nx) + 'x' + std::to_string(ny) + seed_text(seed),
                nonzeros, [=](int threads) { return coupled_fields(nx, ny, seed, threads); }};
          },
          false};
}

Family netlists(double mean, double rails, double supplied) {
  return {[=](double nonzeros, std::uint64_t seed) {
            const std::int64_t rows = rounded(nonzeros / (mean + 2 / supplied), 64);
            const auto supplies = static_cast<int>(rounded(rails, 1));
            return Recipe{"netlist " + std::to_string(rows) + " mean " + text(mean) + " rails " +
                              std::to_string(supplies) + " supplied 1/" + text(supplied) +
                              seed_text(seed),
                          nonzeros, [=](int threads) {
                            return netlist(rows, mean, supplies, supplied, seed, threads);
                          }};
          },
          false};
}

Family bands(double half_bandwidth, double density, double scattered) {
  return {[=](double nonzeros, std::uint64_t seed) {
            const std::int64_t half = rounded(half_bandwidth, 1);
            const double mean = 1 + 2 * static_cast<double>(half) * density + scattered;
            const std::int64_t rows = rounded(nonzeros / mean, 2 * half);
            return Recipe{"band " + std::to_string(rows) + " half " + std::to_string(half) +
                              " density " + text(density) + " scattered " + text(scattered) +
                              seed_text(seed),
                          nonzeros, [=](int threads) {
                            return scattered_band(rows, half, density, scattered, seed, threads);
                          }};
          },
          false};
}

/// The family's matrices in another order.
Family ordered(const std::string& order, Permutation (*order_of)(const CsrView<double>& matrix),
               const Family& family) {
  return {[=](double nonzeros, std::uint64_t seed) {
            Recipe base = family.recipe(nonzeros, seed);
            return Recipe{order + ' ' + base.name, base.nonzeros, [=](int threads) {
                            const CsrMatrix<double> matrix = base.make(threads);
                            const Permutation permutation = order_of(matrix.view());
                            return renumber<double>(
                                matrix.view(), std::span<const std::int32_t>(permutation), threads);
                          }};
          },
          false};
}

Family dissected(const Family& family) {
  return ordered("nested-dissection", nested_dissection, family);
}

Family by_hubs(const Family& family) {
  return ordered("hubs-first", hubs_first, family);
}

std::vector<Family> families(const Variation& v) {
  return {images(v(2.9), v(0.12), v(0.75)),
          kronecker_graphs(v(9), 0.5 + v(0.07)),
          fields(v(1.1)),
          netlists(v(4.5), v(3), v(8)),
          bands(v(5), v(0.7), v(2)),
          dissected(fields(v(1.7))),
          by_hubs(kronecker_graphs(v(14), 0.5 + v(0.08))),
          images(v(6.5), v(0.13), v(0.6)),
          dissected(netlists(v(5), v(4), v(90))),
          kronecker_graphs(v(28), 0.35 + v(0.11)),
          fields(v(7)),
          netlists(v(7.5), v(10), v(30)),
          bands(v(31), v(0.33), v(0.4)),
          dissected(images(v(3.4), v(0.1), v(1.3))),
          by_hubs(netlists(v(6), v(5), v(12))),
          by_hubs(images(v(4.6), v(0.11), v(0.9)))};
}

/// Above the sizes of the strata, one each.
std::vector<Recipe> giants(const Variation& v, std::uint64_t seed) {
  return {fields(v(1.4)).recipe(1e8, seed), images(v(5.3), v(0.15), v(0.8)).recipe(8e7, seed),
          bands(v(14), v(0.6), v(1.5)).recipe(7e7, seed),
          netlists(v(5.5), v(6), v(15)).recipe(6e7, seed),
          kronecker_graphs(v(18), 0.4 + v(0.09)).recipe(5e7, seed)};
}

}  // namespace

std::vector<ValidationSource> unrelated_matrices(double most_nonzeros, std::uint64_t seed) {
  const Variation variation(seed);
  // Further than there are matrices: each has its own.
  const std::uint64_t first_seed = 10000 * (seed - 1) + 9000;
  const std::vector<Family> all = families(variation);
  const std::vector<Recipe> large = giants(variation, first_seed);

  struct Size {
    const Sizes* sizes;
    int number;
  };
  std::vector<Size> sizes;
  for (const Sizes& stratum : strata_for_one) {
    for (int i = 0; i < stratum.of_each_family; ++i) sizes.push_back({&stratum, i});
  }
  std::vector<ValidationSource> sources;
  const auto add = [&](Recipe recipe) {
    if (recipe.nonzeros <= most_nonzeros) sources.push_back(source_of(std::move(recipe), false));
  };
  RandomStream random(20261125, first_seed);
  std::uint64_t matrix_seed = first_seed;
  for (std::size_t turn = 0; turn < sizes.size(); ++turn) {
    for (std::size_t family = 0; family < all.size(); ++family) {
      const auto [stratum, number] = sizes[(turn + family) % sizes.size()];
      add(all[family].recipe(stratum->nonzeros(number, random), ++matrix_seed));
    }
    if (turn < large.size()) add(large[turn]);
  }
  return sources;
}

}  // namespace sparsecast
