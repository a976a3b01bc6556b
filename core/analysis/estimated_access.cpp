#include "core/analysis/estimated_access.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

void check(const MatrixNumbers& numbers) {
  const auto refuse = [](const std::string& what) {
    throw Error("no matrix has these numbers: " + what);
  };
  const auto& [rows, nonzeros, block_size, of_rows] = numbers;
  if (!(rows >= 1 && rows <= most_of_any_size)) refuse("rows must be 1 to 1e15");
  if (!(nonzeros >= 0 && nonzeros <= rows * rows)) refuse("nonzeros must be 0 to rows^2");
  check_row_numbers(of_rows, rows, nonzeros);
  block_layout(block_size);  // throws unless there is such a block size
}

/// Rows without the longest, which alone may make up most of the deviation.
struct OtherRows {
  double rows = 0;
  double mean = 0;
  double deviation = 0;
};
OtherRows without_longest(double rows, double total, double deviation, double longest) {
  OtherRows others;
  others.rows = std::max(1.0, rows - 1);
  others.mean = std::max(0.0, total - longest) / others.rows;
  const double above = longest - others.mean;
  const double variance = deviation * deviation - above * above * others.rows / (rows * rows);
  others.deviation = std::sqrt(std::max(0.0, variance * rows / others.rows));
  return others;
}

double longest_row(const MatrixNumbers& numbers) {
  return longest_row(numbers.of_rows, numbers.rows, numbers.nonzeros / numbers.rows);
}

/// 0 up to `from`, 1 beyond `to`, smooth between them: what changes with a number that a user types
/// does so gradually.
double gradually(double value, double from, double to) {
  const double part = std::clamp((value - from) / (to - from), 0.0, 1.0);
  return part * part * (3 - 2 * part);
}

/// What most matrices of solvers are like that have so many neighbours a node: meshes of one
/// dimension, of two, of three, between them something between.
struct UsualMesh {
  explicit UsualMesh(double neighbours)
      : second(gradually(neighbours, 3, 4)), third(gradually(neighbours, 9, 11)) {}

  /// In how many runs of neighbouring columns: 1, 3 or 9.
  double runs() const { return std::pow(3.0, second + third); }
  /// How far the furthest neighbour lies among so many nodes: the next, a line, or a plane away.
  double furthest(double nodes) const { return std::pow(nodes, second / 2 + third / 6); }

  double second;
  double third;
};

/// Where the entries of rows are: runs of neighbouring columns. An entry goes on in the next row,
/// straight down or a column further. Patterns of solvers are symmetric, so that as many go on
/// straight down as have a neighbour to the right; of the others a share goes on aslant: all in a
/// stencil, only the diagonal's among random columns. Columns lie between a mesh's and random ones.
class Columns {
 public:
  explicit Columns(const MatrixNumbers& numbers)
      : rows_(numbers.rows), mean_(numbers.nonzeros / numbers.rows), unknowns_(numbers.block_size) {
    const RowNumbers& known = numbers.of_rows;
    const OtherRows others =
        without_longest(rows_, numbers.nonzeros, known.deviation, longest_row(numbers));
    const double variation = others.mean > 0 ? others.deviation / others.mean : 0;
    spread_ = variation * variation;
    const double nodes = std::max(1.0, rows_ / unknowns_);
    const UsualMesh usual(mean_ / unknowns_);
    runs_ = known.neighbours ? mean_ * (1 - *known.neighbours / 2) : usual.runs();
    runs_ = std::max(std::min({1.0, mean_}), std::min(runs_, mean_ / unknowns_));
    run_ = mean_ > 0 ? mean_ / runs_ : 1;
    furthest_ = usual.furthest(nodes) * unknowns_;
    reach_ = rows_;
    if (known.mean_distance) {
      furthest_ = *known.mean_distance / share_far();
      reach_ = std::min(rows_, 2 * *known.mean_distance * mean_ / std::max(mean_ - 1, 0.25) + 1);
    }
    in_order_ = order(variation, known);
    stays_ = 1 - (1 - (known.similarity ? aslant_of(*known.similarity) : in_order_)) / run_;
  }

  /// Distinct groups of `width` neighbouring columns, aligned, in windows of so many rows, summed
  /// over the windows.
  double distinct(double window, double width) const {
    // The last is as far as it goes.
    const double windows = std::max(1.0, rows_ / window);
    const double rows = rows_ / windows;
    // A run moves on by a column a row, whether aslant or by steps.
    const double begun = runs_ * (1 + (rows - 1) * (1 - stays_));
    const double apart = begun * (1 - 1 / width) + runs_ * (run_ + rows - 1) / width;
    const auto groups_of = [&](double count, double columns) {
      return count * (1 + (columns - 1) / width);
    };
    const double in_planes = groups_of(3, rows + 2 * std::sqrt(furthest_));
    const double in_mesh = std::min({apart, in_planes, groups_of(1, rows + 2 * furthest_)});
    const double groups = std::min(rows_, 2 * reach_ + rows) / width;
    const double scattered = groups * met(apart / groups, spread_ / width);
    return windows * std::min({blend(in_mesh, scattered), rows_ / width + 1, mean_ * rows});
  }

  /// Distinct columns beyond so many neighbouring rows, of those that have others on so many sides.
  double beyond(double window, int sides) const {
    const double others = std::max(0.0, rows_ - window);
    const double in_mesh = std::clamp(sides * furthest_, std::min(1.0, others), others);
    return blend_beyond(in_mesh, window, sides);
  }

  /// The same of one of so many parts that are as compact as the mesh allows.
  double beyond_compact(int parts) const {
    const double window = rows_ / parts;
    const int sides = parts == 2 ? 1 : 2;
    const double others = std::max(0.0, rows_ - window);
    const double side = rows_ / std::max(1.0, furthest_);  // of the mesh
    const double in_mesh = window * CompactParts(dimension(), parts).around(side);
    return blend_beyond(std::clamp(in_mesh, std::min(1.0, others), others), window, sides);
  }

  /// Parts that one of so many such parts has columns in.
  double neighbours_compact(int parts) const {
    const double others = parts - 1;
    const CompactParts cut(dimension(), parts);
    return std::min(others, blend(std::min(others, cut.neighbours()), others));
  }

  /// That of a mesh, from 1 to 3, whose furthest neighbours lie so far away.
  double dimension() const {
    const double nodes = rows_ / unknowns_;
    const double away = furthest_ / unknowns_;
    if (!(nodes > 1 && away > 1)) return 1;
    constexpr double of_a_plane = 2.0 / 3;  // 1 - 1 / d of three dimensions
    return 1 / (1 - std::min(of_a_plane, std::log(away) / std::log(nodes)));
  }

  double bandwidth() const {
    return std::min(rows_ - 1, blend(std::max(1.0, furthest_), std::max(1.0, reach_)));
  }

 private:
  /// A box of 1 to 3 dimensions, cut into parts that are alike: into two along each dimension as
  /// long as there are as many parts, then into more along all of them.
  class CompactParts {
   public:
    CompactParts(double dimension, int parts)
        : parts_(parts),
          cuts_(std::min(dimension, std::log2(parts))),
          beside_(std::min(2.0, std::pow(parts, 1 / cuts_) - 1)) {}

    /// The nodes next to a part's own over these, of a box with so many nodes along a side: those
    /// beside its faces, edges and corners.
    double around(double side) const {
      return std::pow(1 + beside_ * std::pow(parts_, 1 / cuts_) / side, cuts_) - 1;
    }
    double neighbours() const { return std::pow(1 + beside_, cuts_) - 1; }

   private:
    double parts_;
    double cuts_;    ///< dimensions that are cut
    double beside_;  ///< parts that lie beside one along each of these
  };

  /// Distinct columns beyond so many neighbouring rows, of which a mesh has so many.
  double blend_beyond(double in_mesh, double window, int sides) const {
    const double others = std::max(0.0, rows_ - window);
    const double columns = std::min(others, sides * reach_);
    if (!(columns > 0)) return in_mesh;
    // Of entries spread evenly on both sides as far as the reach, so many lie beyond.
    const double share = reach_ < window ? sides * reach_ / (4 * window) : columns / rows_;
    const double scattered = columns * met(mean_ * window * share / columns, spread_);
    return std::min(others, blend(in_mesh, scattered));
  }

  double blend(double in_mesh, double scattered) const {
    if (!(in_mesh > 0 && scattered > 0)) return std::max(in_mesh, scattered);
    return in_mesh * std::pow(scattered / in_mesh, 1 - in_order_);
  }

  /// The share of groups of columns that random entries meet, so many for each in the mean: where
  /// columns are as unequal as rows, by a gamma distribution of this squared coefficient of
  /// variation.
  static double met(double entries, double spread) {
    if (spread < 1e-6) return -std::expm1(-entries);
    return -std::expm1(-std::log1p(entries * spread) / spread);
  }

  /// Mean distance over that of the furthest neighbours.
  double share_far() const {
    const double pairs = mean_ - runs_;
    const double central = std::min(1 + pairs, std::max(run_, 3.0));
    // In three dimensions half of five runs lie a plane away, three quarters of nine.
    const double planes =
        runs_ < 5 ? 1 - std::max(0.0, runs_ - 3) / 4 : 0.5 + (std::min(runs_, 9.0) - 5) / 16;
    return std::max(0.25, planes * (mean_ - central) / std::max(mean_, 1e-9));
  }

  /// The share of entries that go on aslant, of those that do not go on straight down.
  double aslant_of(double similarity) const {
    // Of random columns so many have an entry beside them in the next row by chance.
    const double span = std::min(rows_, 2 * reach_);
    const double none = std::exp(-runs_ * (run_ + 2) / span);
    return std::clamp(1 - (1 - similarity) * run_ / std::max(1e-9, none), 0.0, 1.0);
  }

  /// How much of the pattern is a mesh in order, and with it the share of entries that go on
  /// aslant.
  double order(double variation, const RowNumbers& known) const {
    // From an eighth of the mean to the mean, on a logarithmic scale.
    double in_mesh = variation > 0 ? 1 - gradually(std::log2(variation), -3, 0) : 1;
    if (known.mean_distance && *known.mean_distance > 0) {
      // From half a plane of a cube to two.
      const double plane = std::pow(rows_, 2.0 / 3);
      in_mesh *= 1 - gradually(std::log2(*known.mean_distance / plane), -1, 1);
    }
    // Neighbours are in a mesh's rows, and rare among random columns.
    if (known.neighbours) {
      const double by_neighbours = gradually(*known.neighbours, 0, 0.4);
      const double by_similarity =
          known.similarity ? gradually(aslant_of(*known.similarity), 0.25, 0.75) : 0;
      in_mesh *= std::max(by_neighbours, by_similarity);
    }
    const double diagonal = 1 / std::max(1.0, mean_);
    return diagonal + (1 - diagonal) * in_mesh;
  }

  double rows_;
  double mean_;
  double unknowns_;      ///< of a node
  double runs_ = 1;      ///< of neighbouring columns, in a row
  double run_ = 1;       ///< their length
  double in_order_ = 1;  ///< 0: columns are scattered, 1: as in a mesh
  double stays_ = 1;     ///< share of entries that go on in the next row
  double spread_ = 0;    ///< squared coefficient of variation of row lengths but the longest
  double furthest_ = 0;  ///< neighbour in a mesh
  double reach_ = 0;     ///< of scattered columns on each side
};

double estimated_blocks(const MatrixNumbers& numbers, int block_size) {
  const double values = static_cast<double>(block_size) * block_size;
  const double least = numbers.nonzeros / values;
  block_layout(block_size);  // throws unless there is such a block size
  if (block_size == 1 || block_size == numbers.block_size) return least;
  return std::max(Columns(numbers).distinct(block_size, block_size), least);
}

/// The z for which a share of the standard normal distribution lies below.
double normal_quantile(double share) {
  double low = -9;
  double high = 9;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < share ? low : high) = middle;
  }
  return low;
}

/// Samples of the longest of 2^k independent standard normal numbers, spread evenly.
constexpr int sample_count = 64;
using Samples = std::array<double, sample_count>;
const Samples& longest_of(std::size_t k) {
  static const auto all = [] {
    std::array<Samples, 6> samples{};
    for (std::size_t of = 0; of < samples.size(); ++of) {
      for (std::size_t i = 0; i < samples[of].size(); ++i) {
        const double share = (static_cast<double>(i) + 0.5) / sample_count;
        samples[of][i] = normal_quantile(std::pow(share, std::ldexp(1.0, -static_cast<int>(of))));
      }
    }
    return samples;
  }();
  return all.at(k);
}

/// The length of a row that lies so many deviations above the mean: normally distributed, or where
/// deviations would make lengths negative log-normally.
double row_length(double mean, double deviation, double z) {
  if (deviation == 0 || mean == 0) return mean;
  const double ratio = deviation / mean;
  const double spread = std::log1p(ratio * ratio);
  const double by_logarithm = mean * std::exp(std::sqrt(spread) * z - spread / 2);
  const double plainly = std::max(0.0, mean + deviation * z);
  return plainly + gradually(ratio, 0.25, 0.45) * (by_logarithm - plainly);
}

/// Steps of so many lanes that rows of this length take in the mean, some of which are an entry
/// longer than others where it is no whole number.
double steps_of(double length, double lanes) {
  const double whole = std::floor(length);
  const double longer = length - whole;
  return (1 - longer) * std::ceil(whole / lanes) + longer * std::ceil((whole + 1) / lanes);
}

}  // namespace

SegmentShape estimate_shape(const MatrixNumbers& numbers, const Layout& layout) {
  check(numbers);
  SegmentShape shape;
  shape.unknowns = numbers.rows;
  shape.total_unknowns = numbers.rows;
  shape.blocks = std::round(estimated_blocks(numbers, layout.block_size));
  shape.elements = shape.blocks * layout.block_size * layout.block_size;
  shape.block_rows = std::ceil(numbers.rows / layout.block_size);
  return shape;
}

double estimate_halo(const MatrixNumbers& numbers, int devices) {
  check(numbers);
  if (devices < 2) return 0;
  return Columns(numbers).beyond(numbers.rows / devices, devices == 2 ? 1 : 2);
}

double estimate_compact_halo(const MatrixNumbers& numbers, int devices) {
  check(numbers);
  if (devices < 2) return 0;
  return Columns(numbers).beyond_compact(devices);
}

double estimate_dimension(const MatrixNumbers& numbers) {
  check(numbers);
  return Columns(numbers).dimension();
}

double estimate_compact_neighbours(const MatrixNumbers& numbers, int devices) {
  check(numbers);
  if (devices < 2) return 0;
  return Columns(numbers).neighbours_compact(devices);
}

double estimate_columns(const MatrixNumbers& numbers, double window) {
  check(numbers);
  return Columns(numbers).distinct(window, 1);
}

AccessPattern estimate_access(const MatrixNumbers& numbers, const Layout& layout,
                              Precision precision) {
  const SegmentShape shape = estimate_shape(numbers, layout);
  const double width = 32.0 / static_cast<double>(bytes_per_value(precision));
  const Columns columns(numbers);
  AccessPattern pattern;
  double rest = numbers.nonzeros;  // look-ups that smaller windows do not save
  const double once = std::min(std::ceil(numbers.rows / width), numbers.nonzeros);
  for (std::size_t k = 0; k + 1 < pattern.sector_lookups.size(); ++k) {
    const double window = std::ldexp(1.0, static_cast<int>(k));
    const double distinct =
        window >= numbers.rows ? once : std::clamp(columns.distinct(window, width), once, rest);
    pattern.sector_lookups[k] = rest - distinct;
    rest = distinct;
  }
  pattern.sector_lookups.back() = rest;
  pattern.bandwidth = columns.bandwidth();
  if (shape.blocks == 0) return pattern;

  const double blocks_of_entry = shape.blocks / shape.block_rows * numbers.rows / numbers.nonzeros;
  // Rows of 14.5 entries in the mean have some of 15; what is whole but for rounding stays.
  pattern.longest_row = std::max(1.0, std::ceil(longest_row(numbers) * blocks_of_entry - 1e-6));
  pattern.row_deviation = numbers.of_rows.deviation * blocks_of_entry;
  const OtherRows others =
      without_longest(shape.block_rows, shape.blocks, pattern.row_deviation, pattern.longest_row);
  for (std::size_t k = 0; k < pattern.warp_steps.size(); ++k) {
    const double group = 32 >> k;
    const double lanes = 1 << k;
    // Sorted rows have neighbours of their own length; of others the longest counts.
    const auto steps_at = [&](double z) {
      const double length = row_length(others.mean, others.deviation, z);
      return steps_of(std::min(length, pattern.longest_row), lanes);
    };
    double steps = 0;
    if (others.deviation == 0) {
      steps = steps_at(0);
    } else {
      for (const double z : longest_of(layout.row_order == RowOrder::sorted ? 0 : 5 - k)) {
        steps += steps_at(z) / sample_count;
      }
    }
    const double groups = std::ceil(shape.block_rows / group);
    pattern.warp_steps[k] =
        std::round((groups - 1) * steps) + std::ceil(pattern.longest_row / lanes);
  }
  return pattern;
}

}  // namespace sparsecast
