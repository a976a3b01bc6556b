#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What a multiplication takes more or less than the terms of the traffic model say, as products of
/// the calibration did that are like it (`docs/model.md`, "What the terms leave").

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
using ProductTraits = std::array<double, static_cast<std::size_t>(ProductTrait::count)>;

/// Gaussian process regression on the products of one precision, in CSR or in blocks.
struct ProductRemainder {
  struct Point {
    ProductTraits traits{};  ///< less their mean, in standard deviations
    double weight = 0;
  };
  ProductTraits mean{};       ///< of the calibration's products
  ProductTraits deviation{};  ///< of the same, above 0
  std::vector<Point> points;
};

/// So far apart, in standard deviations of all traits together, that what one product leaves says
/// little (exp(-1/2)) of the other.
inline constexpr double remainder_range = 1.73;

/// The most that is believed, a logarithm.
inline constexpr double most_remainder = 0.2;

/// `traits` less their mean, in standard deviations.
ProductTraits standardised(const ProductTraits& traits, const ProductRemainder& remainder);

/// From 0 to 1, of standardised traits.
double likeness(const ProductTraits& a, const ProductTraits& b);

/// log(measured / terms) as expected; 0 of a product that is like none of them.
double expected_remainder(const ProductRemainder& remainder, const ProductTraits& traits);

/// A remainder as texts of numbers, for profiles: of a point its traits and its weight.
struct RemainderText {
  std::string mean;
  std::string deviation;
  std::vector<std::string> points;
};
RemainderText to_text(const ProductRemainder& remainder);
/// The inverse. Throws `Error` that quotes a text of another form.
ProductRemainder parse_remainder(const RemainderText& text);

/// "csr" or "blocks": the layouts whose products share a remainder.
std::string_view remainder_group(int block_size);

}  // namespace sparsecast
