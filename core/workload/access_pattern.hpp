#pragma once

#include <array>
#include <string>
#include <string_view>

/// @file
/// How a multiplication looks its vector up, as plain numbers that the model prices without the
/// matrix. They are counted from one in `core/analysis/matrix_access.hpp`.

namespace sparsecast {

/// Of a sector, the piece of the multiplied vector that a look-up moves.
inline constexpr double sector_bytes = 32;

/// How the rows of a matrix in a layout look the multiplied vector up, and how unequal they are.
struct AccessPattern {
  /// Look-ups of the vector's 32-byte sectors (8 values of f32, 4 of f64; the vector begins with
  /// one), one for every entry of the matrix, by how far back the row lies that looked the same
  /// sector up last: [k] counts those with bit_width(row ^ last_row) == k, so that [0] is the same
  /// row, and no aligned window of 2^(k-1) rows holds both; [33]: never before.
  std::array<double, 34> sector_lookups{};
  /// [k]: with 2^k lanes a block row, the sum over groups of 32 / 2^k block rows that are stored
  /// together (a warp) of the largest ceil(stored blocks / 2^k) among them.
  std::array<double, 6> warp_steps{};
  double longest_row = 0;    ///< stored blocks of the longest block row
  double row_deviation = 0;  ///< standard deviation of the stored blocks of block rows
  double bandwidth = 0;      ///< largest |column - row| of an entry

  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

/// Distinct sectors looked up within windows of so many neighbouring rows, summed over the windows:
/// what moves into a cache that holds a window. Windows begin at multiples of their rows; exact for
/// a power of two, between them interpolated linearly over the logarithm of `rows`. Less than one
/// row counts as one.
double distinct_sectors(const AccessPattern& pattern, double rows);

/// One pattern as text without commas, for a field of a CSV file:
/// "0:123;5:44|12;3;2;2;2;2|7|0.5|99" are the look-ups that are not 0 with their places, warp
/// steps, longest row, deviation and bandwidth.
std::string to_text(const AccessPattern& pattern);

/// The inverse of `to_text`, exact. Throws `Error` that quotes a text of another form.
AccessPattern parse_access_pattern(std::string_view text);

}  // namespace sparsecast
