#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/workload/layout.hpp"

/// @file
/// What a multiplication, or an iteration, takes more or less than the terms of the traffic model
/// say, as those of the calibration did that are like it (`docs/model.md`, "What the terms leave").

namespace sparsecast {

/// By what products are alike: logarithms of counts, and shares.
enum class ProductTrait : std::size_t {
  turns,         ///< of thread blocks, log
  passes,        ///< of a warp in the mean, log
  lines,         ///< of the vector in a pass, log
  sectors,       ///< of the vector in a thread block, for each of its entries, log
  missed,        ///< share of what is streamed that comes from memory
  longest_row,   ///< its passes, log
  filling,       ///< of passes with stored blocks
  vector_bytes,  ///< of the multiplied vector, log
  bandwidth,     ///< of the matrix, by its rows, log
  count
};

/// By what iterations of several kernels are alike, one of them a multiplication.
enum class IterationTrait : std::size_t {
  launches,       ///< kernels, log
  unknowns,       ///< log
  product_share,  ///< of the time
  missed,         ///< bytes that memory moves, what is looked up again included, over all bytes
  count
};

/// In the order of one of these.
using Traits = std::vector<double>;

/// Gaussian process regression on the products of one precision, in CSR or in blocks, or on its
/// iterations.
struct Remainder {
  struct Point {
    Traits traits;  ///< less their mean, in standard deviations
    double weight = 0;
  };
  Traits mean;       ///< of the calibration's
  Traits deviation;  ///< of the same, above 0
  std::vector<Point> points;
};

/// By precision and group (`remainder_group`, `iterations_group`).
using Remainders = std::map<Precision, std::map<std::string, Remainder>>;

/// So far apart, in standard deviations of all traits together, that what one leaves says little
/// (exp(-1/2)) of the other: with many traits any two are further apart.
double remainder_range(std::size_t traits);

/// The most that is believed, a logarithm.
inline constexpr double most_remainder = 0.2;

// Traits that are compared are as many as the remainder's.

/// `traits` less their mean, in standard deviations.
Traits standardised(const Traits& traits, const Remainder& remainder);

/// From 0 to 1, of standardised traits.
double likeness(const Traits& a, const Traits& b);

/// log(measured / terms) as expected; 0 of what is like none of them.
double expected_remainder(const Remainder& remainder, const Traits& traits);

/// A remainder as texts of numbers, for profiles: of a point its traits and its weight.
struct RemainderText {
  std::string mean;
  std::string deviation;
  std::vector<std::string> points;
};
RemainderText to_text(const Remainder& remainder);
/// The inverse, of a group. Throws `Error` that quotes a text of another form.
Remainder parse_remainder(const RemainderText& text, std::string_view group);

/// The layouts whose products share a remainder: "blocks", or those of a format, by its name.
std::string_view remainder_group(const Layout& layout);
/// That of iterations of all schedules: "iterations" in CSR and blocks, "iterations-dia".
std::string iterations_group(const Layout& layout);
/// Whether it is one of those.
bool is_iterations_group(std::string_view group);

}  // namespace sparsecast
