#include "core/matrix/generate/application_generators.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/generate/dominant_values.hpp"

namespace sparsecast {
namespace {

/// Streams of random numbers, one set per purpose.
enum class Purpose : std::uint64_t { object, pixel, edge, diagonal, element, supply, band };
RandomStream stream(std::uint64_t seed, Purpose purpose, std::int64_t number) {
  return {scramble(seed) + static_cast<std::uint64_t>(purpose), static_cast<std::uint64_t>(number)};
}

std::int64_t checked_rows(double rows, const std::string& what) {
  if (!(rows >= 1 && rows <= std::numeric_limits<std::int32_t>::max())) {
    throw Error(what + " of " + std::to_string(rows) + " rows: expected 1 to 2147483647");
  }
  return static_cast<std::int64_t>(rows);
}

void check_range(bool good, const std::string& what, double value, const std::string& expected) {
  if (!good) throw Error(what + " of " + std::to_string(value) + ": expected " + expected);
}

/// The whole number below or above, in the mean the number itself.
std::int64_t rounded_at_random(double number, RandomStream& random) {
  return static_cast<std::int64_t>(number + random.uniform());
}

/// Columns of each row rising, each once, without gaps between rows.
CsrPattern sorted_once(const Buffer<std::int64_t>& offsets, Buffer<std::int32_t>& columns,
                       int threads) {
  const std::int64_t rows = static_cast<std::int64_t>(offsets.size()) - 1;
  CsrPattern pattern;
  pattern.row_offsets.resize(rows + 1);
  pattern.row_offsets[0] = 0;
  parallel_rows(
      offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          std::int32_t* const first = columns.data() + offsets[row];
          std::int32_t* const last = columns.data() + offsets[row + 1];
          std::sort(first, last);
          pattern.row_offsets[row + 1] = std::unique(first, last) - first;
        }
      },
      threads);
  lengths_to_offsets(pattern.row_offsets);
  pattern.column_indices.resize(pattern.row_offsets[rows]);
  parallel_rows(
      pattern.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t length = pattern.row_offsets[row + 1] - pattern.row_offsets[row];
          std::copy_n(columns.data() + offsets[row], length,
                      pattern.column_indices.data() + pattern.row_offsets[row]);
        }
      },
      threads);
  return pattern;
}

/// The matrix of all couplings (i, j) that `couple(item, add)` adds by `add(i, j)`, in both
/// directions, and a full diagonal. A coupling may be added several times. `couple` is called twice
/// an item, on any thread, and must add the same both times.
template <class Couple>
CsrMatrix<double> coupled_matrix(std::int64_t rows, std::int64_t items, std::uint64_t seed,
                                 const Couple& couple, int threads) {
  constexpr std::int64_t grain = 1 << 9;
  Buffer<std::int64_t> offsets(rows + 1);
  std::fill(offsets.begin(), offsets.end(), 1);  // the diagonal
  const auto for_items = [&](const auto& add) {
    parallel_for(
        items, grain,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t item = begin; item < end; ++item) couple(item, add);
        },
        threads);
  };
  const auto next = [](std::int64_t& counter) {
    return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
  };
  for_items([&](std::int64_t i, std::int64_t j) {
    if (i == j) return;
    next(offsets[i + 1]);
    next(offsets[j + 1]);
  });
  offsets[0] = 0;
  lengths_to_offsets(offsets);
  Buffer<std::int64_t> places(rows);
  Buffer<std::int32_t> columns(offsets[rows]);
  parallel_for(
      rows, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          columns[offsets[row]] = static_cast<std::int32_t>(row);
          places[row] = offsets[row] + 1;
        }
      },
      threads);
  for_items([&](std::int64_t i, std::int64_t j) {
    if (i == j) return;
    columns[next(places[i])] = static_cast<std::int32_t>(j);
    columns[next(places[j])] = static_cast<std::int32_t>(i);
  });
  CsrMatrix<double> matrix = square_matrix(sorted_once(offsets, columns, threads));
  fill_dominant_values(
      matrix,
      [&](std::int64_t row, std::int64_t column) { return symmetric_value(seed, row, column); },
      threads);
  return matrix;
}

/// Grey values of an image of objects: the parts of the plane that are nearest to one point of a
/// jittered lattice.
Buffer<float> grey_values(std::int64_t width, std::int64_t height, std::uint64_t seed,
                          int threads) {
  constexpr std::int64_t spacing = 17;
  constexpr double most_roughness = 0.4;
  const std::int64_t columns = width / spacing + 3;  // one more beyond either side
  Buffer<float> grey(width * height);
  parallel_for(
      height, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t pixel = begin * width; pixel < end * width; ++pixel) {
          const std::int64_t x = pixel % width;
          const std::int64_t y = pixel / width;
          double nearest = std::numeric_limits<double>::max();
          double value = 0;
          double roughness = 0;
          for (std::int64_t row = y / spacing; row < y / spacing + 3; ++row) {
            for (std::int64_t column = x / spacing; column < x / spacing + 3; ++column) {
              RandomStream random = stream(seed, Purpose::object, row * columns + column);
              const double dx = static_cast<double>(x) -
                                spacing * (static_cast<double>(column - 1) + random.uniform());
              const double dy = static_cast<double>(y) -
                                spacing * (static_cast<double>(row - 1) + random.uniform());
              const double distance = dx * dx + dy * dy;
              if (distance >= nearest) continue;
              nearest = distance;
              value = random.uniform();
              roughness = most_roughness * random.uniform();
            }
          }
          const double noise = stream(seed, Purpose::pixel, pixel).uniform() - 0.5;
          grey[pixel] = static_cast<float>(value + roughness * noise);
        }
      },
      threads);
  return grey;
}

/// One end of a random edge by recursive quadrants, and the other.
std::pair<std::int64_t, std::int64_t> quadrant_edge(int levels, double corner,
                                                    RandomStream& random) {
  const double side = (1 - corner) * 0.19 / 0.43;
  constexpr int bits = 16;  // of a random number, per level
  constexpr double scale = 1 << bits;
  const auto low = static_cast<std::uint64_t>(scale * corner);
  const auto right = static_cast<std::uint64_t>(scale * (corner + side));
  const auto below = static_cast<std::uint64_t>(scale * (corner + 2 * side));
  std::int64_t i = 0;
  std::int64_t j = 0;
  std::uint64_t drawn = 0;
  for (int level = 0; level < levels; ++level) {
    if (level % (64 / bits) == 0) drawn = random.bits();
    const std::uint64_t number = drawn & ((1 << bits) - 1);
    drawn >>= bits;
    i = 2 * i + (number >= right ? 1 : 0);
    j = 2 * j + ((number >= low && number < right) || number >= below ? 1 : 0);
  }
  return {i, j};
}

/// Half of all within 4, a quarter within 8, and so on; not 0.
std::int64_t random_distance(RandomStream& random) {
  const int longer = std::countr_one(random.bits() & 0xffffff);
  return 1 + random.below(std::int64_t{4} << longer);
}

}  // namespace

CsrMatrix<double> image_graph(std::int64_t width, std::int64_t height, double radius,
                              double tolerance, std::uint64_t seed, int threads) {
  check_range(width >= 1, "width of an image", static_cast<double>(width), "at least 1");
  check_range(height >= 1, "height of an image", static_cast<double>(height), "at least 1");
  check_range(radius >= 1 && radius <= 64, "radius", radius, "1 to 64");
  check_range(tolerance > 0 && tolerance <= 1, "tolerance", tolerance, "more than 0, at most 1");
  const std::int64_t rows =
      checked_rows(static_cast<double>(width) * static_cast<double>(height), "image");

  // Those after the pixel: each pair once.
  std::vector<std::pair<std::int64_t, std::int64_t>> half_disc;
  const auto reach = static_cast<std::int64_t>(radius);
  for (std::int64_t dy = 0; dy <= reach; ++dy) {
    for (std::int64_t dx = dy == 0 ? 1 : -reach; dx <= reach; ++dx) {
      if (static_cast<double>(dx * dx + dy * dy) <= radius * radius) half_disc.emplace_back(dx, dy);
    }
  }
  const Buffer<float> grey = grey_values(width, height, seed, threads);
  const auto couple = [&](std::int64_t pixel, const auto& add) {
    for (const auto& [dx, dy] : half_disc) {
      const std::int64_t x = pixel % width + dx;
      if (x < 0 || x >= width || pixel / width + dy >= height) continue;
      const std::int64_t other = pixel + dy * width + dx;
      if (std::abs(grey[pixel] - grey[other]) < tolerance) add(pixel, other);
    }
  };
  return coupled_matrix(rows, rows, seed, couple, threads);
}

CsrMatrix<double> kronecker_graph(std::int64_t rows, double mean_row_length, double corner,
                                  std::uint64_t seed, int threads) {
  checked_rows(static_cast<double>(rows), "Kronecker graph");
  check_range(mean_row_length >= 1 && mean_row_length <= static_cast<double>(rows),
              "mean row length", mean_row_length, "1 to the number of rows");
  check_range(corner >= 0.25 && corner <= 0.9, "probability of the corner", corner, "0.25 to 0.9");

  const auto levels = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows - 1)));
  const auto edges =
      static_cast<std::int64_t>((mean_row_length - 1) / 2 * static_cast<double>(rows));
  const auto couple = [&](std::int64_t edge, const auto& add) {
    RandomStream random = stream(seed, Purpose::edge, edge);
    auto [i, j] = quadrant_edge(levels, corner, random);
    while (i >= rows || j >= rows) std::tie(i, j) = quadrant_edge(levels, corner, random);
    add(i, j);
  };
  return coupled_matrix(rows, edges, seed, couple, threads);
}

CsrMatrix<double> coupled_fields(std::int64_t nx, std::int64_t ny, std::uint64_t seed,
                                 int threads) {
  check_range(nx >= 1, "squares along x", static_cast<double>(nx), "at least 1");
  check_range(ny >= 1, "squares along y", static_cast<double>(ny), "at least 1");
  const auto vertices_of = [&](double squares_x, double squares_y) {
    return (squares_x + 1) * (squares_y + 1);
  };
  const double x = static_cast<double>(nx);
  const double y = static_cast<double>(ny);
  const std::int64_t rows =
      checked_rows(2 * vertices_of(2 * x, 2 * y) + 2 * vertices_of(x, y), "coupled fields");

  // Nodes of the velocities lie on a lattice of half the spacing, vertices at its even points.
  const std::int64_t nodes = (2 * nx + 1) * (2 * ny + 1);
  const std::int64_t vertices = (nx + 1) * (ny + 1);
  const auto couple = [&](std::int64_t square, const auto& add) {
    const bool falls = (stream(seed, Purpose::diagonal, square).bits() & 1) != 0;
    const std::int64_t first_x = 2 * (square % nx);
    const std::int64_t first_y = 2 * (square / nx);
    for (int half = 0; half < 2; ++half) {
      // The corner opposite to the diagonal, and the directions from it into the square.
      const std::int64_t sign_x = half == 0 ? 1 : -1;
      const std::int64_t sign_y = falls ? sign_x : -sign_x;
      const std::int64_t corner_x = first_x + (sign_x > 0 ? 0 : 2);
      const std::int64_t corner_y = first_y + (sign_y > 0 ? 0 : 2);
      std::array<std::int64_t, 6> node{};
      std::array<std::int64_t, 3> vertex{};
      std::size_t found = 0;
      std::size_t found_vertices = 0;
      for (std::int64_t step_y = 0; step_y <= 2; ++step_y) {
        for (std::int64_t step_x = 0; step_x + step_y <= 2; ++step_x) {
          const std::int64_t at_x = corner_x + sign_x * step_x;
          const std::int64_t at_y = corner_y + sign_y * step_y;
          node[found++] = at_y * (2 * nx + 1) + at_x;
          if (step_x % 2 == 0 && step_y % 2 == 0) {
            vertex[found_vertices++] = at_y / 2 * (nx + 1) + at_x / 2;
          }
        }
      }
      const std::int64_t pressure = 2 * nodes;
      const std::int64_t temperature = 2 * nodes + vertices;
      for (std::size_t i = 0; i < node.size(); ++i) {
        for (std::size_t j = 0; j < node.size(); ++j) {
          add(node[i], nodes + node[j]);
          if (j >= i) continue;
          add(node[i], node[j]);
          add(nodes + node[i], nodes + node[j]);
        }
        for (const std::int64_t at : vertex) {
          for (const std::int64_t velocity : {node[i], nodes + node[i]}) {
            add(velocity, pressure + at);
            add(velocity, temperature + at);
          }
        }
      }
      for (std::size_t i = 0; i < vertex.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) add(temperature + vertex[i], temperature + vertex[j]);
      }
    }
  };
  return coupled_matrix(rows, nx * ny, seed, couple, threads);
}

CsrMatrix<double> netlist(std::int64_t rows, double mean_row_length, int rails, double supplied,
                          std::uint64_t seed, int threads) {
  checked_rows(static_cast<double>(rows), "netlist");
  check_range(mean_row_length >= 2 && mean_row_length <= 1000, "mean row length", mean_row_length,
              "2 to 1000");
  check_range(rails >= 1 && rails <= rows && rails <= 1000, "rails", rails,
              "1 to the number of rows, at most 1000");
  check_range(supplied >= 1, "nets a supplied one", supplied, "at least 1");

  // An element of two terminals adds 2 entries, one of three, every third, 6.
  const double elements_a_row = (mean_row_length - 1) / (2. / 3 * 2 + 1. / 3 * 6);
  const auto couple = [&](std::int64_t net, const auto& add) {
    RandomStream random = stream(seed, Purpose::element, net);
    const auto partner = [&] {
      const std::int64_t distance = random_distance(random);
      const std::int64_t other = (random.bits() & 1) != 0 ? net + distance : net - distance;
      return other < 0 || other >= rows ? random.below(rows) : other;
    };
    for (std::int64_t left = rounded_at_random(elements_a_row, random); left > 0; --left) {
      const std::int64_t second = partner();
      add(net, second);
      if (random.below(3) > 0) continue;
      const std::int64_t third = partner();
      add(net, third);
      add(second, third);
    }
    RandomStream supply = stream(seed, Purpose::supply, net);
    if (supply.uniform() * supplied >= 1) return;
    const int rail = std::min(std::countr_one(supply.bits()), rails - 1);
    add(net, (2 * rail + 1) * rows / (2 * rails));
  };
  return coupled_matrix(rows, rows, seed, couple, threads);
}

CsrMatrix<double> scattered_band(std::int64_t rows, std::int64_t half_bandwidth, double density,
                                 double scattered, std::uint64_t seed, int threads) {
  checked_rows(static_cast<double>(rows), "scattered band");
  check_range(half_bandwidth >= 0 && half_bandwidth < rows, "half bandwidth",
              static_cast<double>(half_bandwidth), "0 to less than the rows");
  check_range(density >= 0 && density <= 1, "density of the band", density, "0 to 1");
  check_range(scattered >= 0 && scattered <= static_cast<double>(rows), "scattered entries a row",
              scattered, "0 to the number of rows");

  const auto couple = [&](std::int64_t row, const auto& add) {
    RandomStream random = stream(seed, Purpose::band, row);
    for (std::int64_t distance = 1; distance <= std::min(half_bandwidth, row); ++distance) {
      if (random.uniform() < density) add(row, row - distance);
    }
    for (std::int64_t left = rounded_at_random(scattered / 2, random); left > 0; --left) {
      add(row, random.below(rows));
    }
  };
  return coupled_matrix(rows, rows, seed, couple, threads);
}

}  // namespace sparsecast
