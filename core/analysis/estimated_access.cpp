#include "core/analysis/estimated_access.hpp"

#include <algorithm>
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
  const auto& [rows, nonzeros, deviation, longest, bandwidth, densities] = numbers;
  constexpr double most_rows = 0x1p31;  // that column indices reach
  if (!(rows >= 1 && rows <= most_rows)) refuse("rows must be 1 to 2^31");
  if (!(nonzeros >= 0 && nonzeros <= rows * rows)) refuse("nonzeros must be 0 to rows^2");
  if (!(deviation >= 0 && deviation <= rows)) refuse("a row deviation must be 0 to rows");
  if (!(longest == 0 || (longest >= nonzeros / rows && longest <= rows))) {
    refuse("the longest row must have mean length to rows");
  }
  if (bandwidth && !(*bandwidth >= 0 && *bandwidth < rows))
    refuse("bandwidth must be 0 to rows - 1");
  for (const double density : densities) {
    if (!(density >= 0 && density <= 1)) refuse("block densities must be 0 to 1");
  }
}

std::size_t index_of(int block_size) {
  block_layout(block_size);  // throws unless there is such a block size
  return static_cast<std::size_t>(std::ranges::find(block_sizes, block_size) - block_sizes.begin());
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
  if (numbers.longest_row > 0) return numbers.longest_row;
  return std::min(numbers.rows, numbers.nonzeros / numbers.rows + 3 * numbers.row_deviation);
}

/// 0 up to `from`, 1 beyond `to`, smooth between them: what changes with a number that a user types
/// does so gradually.
double gradually(double value, double from, double to) {
  const double part = std::clamp((value - from) / (to - from), 0.0, 1.0);
  return part * part * (3 - 2 * part);
}

/// Where the neighbours of a node are in a mesh of so many dimensions, whose furthest lies so far.
struct Mesh {
  Mesh(int dimensions, double neighbours, double furthest) {
    if (dimensions == 2) offsets = {-furthest, 0, furthest};
    if (dimensions == 3) {
      const double near = std::sqrt(furthest);
      offsets = {-furthest, -near, 0, near, furthest};
      if (neighbours >= 9) {
        offsets = {-furthest - near, -furthest, -furthest + near, -near, 0, near,
                   furthest - near,  furthest,  furthest + near};
      }
    }
    run = neighbours / static_cast<double>(offsets.size());
  }

  /// How far columns lie from their row.
  double reach() const { return offsets.back() + run / 2; }

  /// In nodes, where runs of neighbours begin, rising.
  std::vector<double> offsets{0};
  double run = 0;  ///< neighbours in each run
};

/// Where the entries of a row are, relative to it.
class Columns {
 public:
  explicit Columns(const MatrixNumbers& numbers)
      : rows_(numbers.rows), mean_(numbers.nonzeros / numbers.rows) {
    for (std::size_t k = 0; k < block_sizes.size(); ++k) {
      if (numbers.block_density[k] >= 0.9) unknowns_ = block_sizes[k];
    }
    const double nodes = std::max(1.0, rows_ / unknowns_);
    const double neighbours = mean_ / unknowns_;
    // How far the neighbours in each further dimension lie.
    const double line = std::sqrt(nodes);
    const double plane = std::pow(nodes, 2.0 / 3);
    reach_ = rows_;
    const OtherRows others =
        without_longest(rows_, numbers.nonzeros, numbers.row_deviation, longest_row(numbers));
    // From half to twice the mean, on a logarithmic scale.
    if (others.deviation > 0) {
      scatter_ = gradually(std::log2(others.deviation / others.mean), -1, 1);
    }
    if (numbers.bandwidth) {
      reach_ = std::max(*numbers.bandwidth, 1.0);
      const double in_nodes = reach_ / unknowns_;
      if (in_nodes > 4 * plane) scatter_ = 1;
      const int dimensions = in_nodes * in_nodes <= neighbours * line ? 1
                             : in_nodes * in_nodes <= line * plane    ? 2
                                                                      : 3;
      meshes_.emplace_back(dimensions, neighbours, in_nodes);
    } else if (const double second = gradually(neighbours, 3, 4); second < 1) {
      meshes_ = {Mesh(1, neighbours, 0), Mesh(2, neighbours, line)};
      further_ = second;
    } else {
      meshes_ = {Mesh(2, neighbours, line), Mesh(3, neighbours, plane)};
      further_ = gradually(neighbours, 9, 11);
    }
    if (further_ == 1) meshes_.erase(meshes_.begin());
    if (further_ == 0) meshes_.resize(1, meshes_.front());
    for (std::size_t k = 1; k < block_sizes.size(); ++k) {
      const double density = numbers.block_density[k];
      if (density > 0) scatter_ = scatter_of(block_sizes[k], numbers.nonzeros / density);
    }
  }

  /// Distinct groups of `width` neighbouring columns, aligned, in windows of so many rows, summed
  /// over the windows.
  double distinct(double window, double width) const {
    const double scattered = distinct_if_scattered(window, width);
    const double in_mesh = distinct_in_mesh(window, width);
    return std::min(in_mesh * std::pow(scattered / in_mesh, scatter_), mean_ * rows_);
  }

  /// Distinct columns beyond so many neighbouring rows, of those that have others on so many sides.
  double beyond(double window, int sides) const {
    const double others = std::max(0.0, rows_ - window);
    double reach = meshes_.front().reach() * unknowns_;
    if (meshes_.size() > 1) {
      reach += further_ * (meshes_.back().reach() * unknowns_ - reach);
    }
    const double in_mesh = std::clamp(sides * reach, std::min(1.0, others), others);
    const double columns = std::min(others, sides * reach_);
    if (!(columns > 0)) return in_mesh;
    // Of entries spread evenly on both sides as far as the reach, so many lie beyond.
    const double share = reach_ < window ? sides * reach_ / (4 * window) : columns / rows_;
    const double scattered = columns * -std::expm1(-mean_ * window * share / columns);
    if (!(in_mesh > 0 && scattered > 0)) return std::max(in_mesh, scattered);
    return std::min(others, in_mesh * std::pow(scattered / in_mesh, scatter_));
  }

 private:
  /// With which there are so many values in blocks of this size.
  double scatter_of(double block_size, double block_elements) const {
    const double blocks = block_elements / (block_size * block_size);
    const double scattered = distinct_if_scattered(block_size, block_size);
    const double in_mesh = distinct_in_mesh(block_size, block_size);
    if (scattered <= in_mesh) return 0;
    return std::clamp(std::log(blocks / in_mesh) / std::log(scattered / in_mesh), 0.0, 1.0);
  }

  double distinct_if_scattered(double window, double width) const {
    const double windows = std::ceil(rows_ / window);
    const double groups = std::min(rows_, 2 * reach_ + window) / width;
    return windows * groups * -std::expm1(-rows_ / windows * mean_ / groups);
  }

  double distinct_in_mesh(double window, double width) const {
    const double nearer = distinct_in(meshes_.front(), window, width);
    if (meshes_.size() == 1) return nearer;
    return nearer * std::pow(distinct_in(meshes_.back(), window, width) / nearer, further_);
  }

  double distinct_in(const Mesh& mesh, double window, double width) const {
    const auto& offsets = mesh.offsets;
    // A window of a part of a node's rows looks up what the whole node does.
    const double windows = std::ceil(rows_ / window);
    const double nodes = std::max(1.0, rows_ / windows / unknowns_);
    // In nodes: the columns that a window looks up around each offset, and their union.
    const double length = nodes + mesh.run - 1;
    const bool aligned = std::fmod(unknowns_, width) == 0;
    double groups = 0;
    double begin = offsets.front();
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      const bool last = k + 1 == offsets.size();
      if (!last && offsets[k + 1] - offsets[k] <= length) continue;
      const double columns = (offsets[k] + length - begin) * unknowns_;
      groups += (columns + (aligned ? 0 : width - 1)) / width;
      if (!last) begin = offsets[k + 1];
    }
    return windows * std::min(groups, rows_ / width);
  }

  double rows_;
  double mean_;
  int unknowns_ = 1;  ///< of a node
  /// 0: as in a mesh, 1: scattered; between them geometric means.
  double scatter_ = 0;
  double reach_ = 0;  ///< of scattered columns on each side
  /// One, or two of neighbouring dimensions; between them geometric means.
  std::vector<Mesh> meshes_;
  double further_ = 0;  ///< how far towards the second
};

double estimated_blocks(const MatrixNumbers& numbers, int block_size) {
  const double density = numbers.block_density[index_of(block_size)];
  const double values = static_cast<double>(block_size) * block_size;
  if (block_size == 1) return numbers.nonzeros;
  if (density > 0) return numbers.nonzeros / density / values;
  const double least = numbers.nonzeros / values;
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

/// The length below which a share of the rows is: normally distributed, or where deviations would
/// make lengths negative log-normally.
double row_length(double mean, double deviation, double share) {
  if (deviation == 0 || mean == 0) return mean;
  const double z = normal_quantile(share);
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

MatrixNumbers matrix_numbers(const MatrixFeatures& features) {
  MatrixNumbers numbers;
  numbers.rows = static_cast<double>(features.rows);
  numbers.nonzeros = static_cast<double>(features.nonzeros);
  numbers.row_deviation = features.row_length.stddev;
  numbers.longest_row = static_cast<double>(features.row_length.max);
  numbers.bandwidth = static_cast<double>(features.bandwidth);
  for (std::size_t k = 0; k < block_sizes.size(); ++k) {
    numbers.block_density[k] = features.blocks[k].block_density;
  }
  return numbers;
}

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
  pattern.bandwidth =
      numbers.bandwidth.value_or(std::min(numbers.rows - 1, std::pow(numbers.rows, 2.0 / 3)));
  if (shape.blocks == 0) return pattern;

  const double blocks_of_entry = shape.blocks / shape.block_rows * numbers.rows / numbers.nonzeros;
  // Rows of 14.5 entries in the mean have some of 15; what is whole but for rounding stays.
  pattern.longest_row = std::max(1.0, std::ceil(longest_row(numbers) * blocks_of_entry - 1e-9));
  pattern.row_deviation = numbers.row_deviation * blocks_of_entry;
  const OtherRows others =
      without_longest(shape.block_rows, shape.blocks, pattern.row_deviation, pattern.longest_row);
  for (std::size_t k = 0; k < pattern.warp_steps.size(); ++k) {
    const double group = 32 >> k;
    const double lanes = 1 << k;
    // Sorted rows have neighbours of their own length; of others the longest counts.
    const double independent = layout.row_order == RowOrder::sorted ? 1 : group;
    constexpr int samples = 64;
    double steps = 0;
    for (int sample = 0; sample < samples; ++sample) {
      const double share = std::pow((sample + 0.5) / samples, 1 / independent);
      const double length = row_length(others.mean, others.deviation, share);
      steps += steps_of(std::min(length, pattern.longest_row), lanes) / samples;
    }
    const double groups = std::ceil(shape.block_rows / group);
    pattern.warp_steps[k] =
        std::round((groups - 1) * steps) + std::ceil(pattern.longest_row / lanes);
  }
  return pattern;
}

}  // namespace sparsecast
