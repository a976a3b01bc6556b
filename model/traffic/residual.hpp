#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/layout.hpp"

/// @file
/// The residual model: what a multiplication, an iteration, or an iteration of a kernel that stays
/// for all of them, takes more or less than the physical terms of the traffic model say, as those
/// of the calibration did that are like it
/// (`docs/model.md`, "The residual model").

namespace sparsecast {

/// By what products are alike: logarithms of counts, shares, and which kernel it is.
enum class ProductTrait : std::size_t {
  waves,         ///< of thread blocks, log
  passes,        ///< of a warp in the mean, log
  lines,         ///< of the vector in a pass, log
  sectors,       ///< of the vector in a thread block, for each of its entries, log
  missed,        ///< share of what is streamed that comes from memory
  longest_row,   ///< its passes, log
  filling,       ///< of passes with stored blocks
  vector_bytes,  ///< of the multiplied vector, log
  bandwidth,     ///< of the matrix, by its rows, log
  value_bytes,   ///< log
  sums,          ///< 1 where it ends with sums
  block_size,    ///< log
  lanes,         ///< that share a block row, log
  streams,       ///< 1 where a warp takes its rows as one stream
  count
};

/// By what iterations of several kernels are alike, one of them a multiplication.
enum class IterationTrait : std::size_t {
  launches,       ///< kernels, log
  unknowns,       ///< log
  product_share,  ///< of the time
  missed,         ///< bytes that memory moves, what is looked up again included, over all bytes
  value_bytes,    ///< log
  bytes,          ///< that an iteration touches, log
  sums,           ///< kernels that end with sums
  block_size,     ///< log
  lanes,          ///< of the product, log
  passes,         ///< 1 where its vector kernels are passes
  count
};

/// By what iterations of one kernel for all of them are alike. Shares are of the terms' time.
enum class PersistentTrait : std::size_t {
  seconds,         ///< by the terms, log
  blocks_share,    ///< of stored blocks
  unknowns_share,  ///< of rows
  halo_share,      ///< of what segments look up in others
  moved_share,     ///< of what does not stay in shared memory
  clustered,       ///< 1 where thread blocks are a cluster
  lanes,           ///< that share a block row at least, log
  doublings,       ///< log2 of the lanes that share the longest row
  steps,           ///< of a warp, log
  sectors,         ///< of a halo value, log
  value_bytes,     ///< log
  block_size,      ///< log
  count
};

/// In the order of one of these.
using Traits = std::vector<double>;

/// Gaussian process regression on products, on iterations of several kernels, or on those of one,
/// of both precisions.
struct Residual {
  struct Point {
    Traits traits;  ///< scaled
    double weight = 0;
  };
  Traits mean;   ///< of the calibration's
  Traits range;  ///< so far apart in one trait, one says little (exp(-1/2)) of the other; above 0
  std::vector<Point> points;
};

/// By group (`products_group`, `iterations_group`, `persistent_iterations_group`).
using Residuals = std::map<std::string, Residual>;

/// The most that is believed, a logarithm.
inline constexpr double most_residual = 0.2;

// Traits that are compared are as many as the residual's.

/// `traits` less their mean, in ranges.
Traits scaled(const Traits& traits, const Residual& residual);

/// From 0 to 1, of scaled traits.
double likeness(const Traits& a, const Traits& b);

/// What is known of a case.
struct KnownResidual {
  double expected = 0;  ///< log(measured / terms); 0 of what is like none of the points
  double likeness = 0;  ///< with the point that is most like it
};
KnownResidual known_residual(const Residual& residual, const Traits& traits);

/// What is known of cases that differ in one trait alone, the same as by `known_residual`: the
/// points that are like none of them are left out once.
class ResidualSection {
 public:
  /// `traits`: of one of the cases; `varied`: the trait's place in them.
  ResidualSection(const Residual& residual, const Traits& traits, std::size_t varied);

  /// Of the case whose trait has this value.
  KnownResidual at(double value) const;

 private:
  double mean_ = 0;   ///< of the trait
  double range_ = 1;  ///< of the trait
  std::size_t points_ = 0;
  std::size_t later_traits_ = 0;
  std::size_t room_ = 0;  ///< for points, of each row
  /// Rows of numbers of points, in the residual's order: the weight; the trait itself, scaled; the
  /// squared distance in the traits before it together, and in each of those behind it.
  std::vector<double> rows_;

  double* row(std::size_t index) { return rows_.data() + index * room_; }
  const double* row(std::size_t index) const { return rows_.data() + index * room_; }
};

/// A residual as texts of numbers, for profiles: of a point its traits and its weight.
struct ResidualText {
  std::string mean;
  std::string range;
  std::vector<std::string> points;
};
ResidualText to_text(const Residual& residual);
/// The inverse, of a group. Throws `Error` that quotes a text of another form.
Residual parse_residual(const ResidualText& text, std::string_view group);

/// The layouts whose products share a residual: "products" are CSR's and those of blocks,
/// "products-dia" those of another format.
std::string products_group(const Layout& layout);
/// That of iterations of all schedules: "iterations" in CSR and blocks, "iterations-dia".
std::string iterations_group(const Layout& layout);
/// That of iterations of one kernel for all of them.
inline constexpr std::string_view persistent_iterations_group = "persistent";
/// Whether it is one of `iterations_group`.
bool is_iterations_group(std::string_view group);

}  // namespace sparsecast
