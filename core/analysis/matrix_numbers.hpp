#pragma once

#include <optional>

#include "core/matrix/csr.hpp"

/// @file
/// Some numbers of a square matrix, for forecasts without its file: those that public data sets of
/// sparse matrix-vector products give (P. Mpakos et al., Feature-based SpMV performance analysis on
/// contemporary devices, IPDPS 2023, and the generator of artificial matrices that goes with it).

namespace sparsecast {

/// Unknowns, or elements, of any machines together, at most: byte counts stay exact.
inline constexpr double most_of_any_size = 1e15;

/// What may be known of the rows of a matrix beside their number.
struct RowNumbers {
  /// Standard deviation of row lengths, in entries, from 0 to the unknowns (`std_nnz_per_row`).
  double deviation = 0;
  /// Entries of the longest row, from the mean length to the unknowns; 0: three deviations above
  /// the mean (`max_nnz_per_row`; of a skew coefficient s it is (1 + s) times the mean).
  double longest = 0;
  /// Mean |column - row| over all entries, from 0 to the unknowns less 1.
  std::optional<double> mean_distance{};
  /// Mean over all entries of how many entries of the same row lie one column to the left or to
  /// the right, from 0 to 2 (`avg_num_neighbours`).
  std::optional<double> neighbours{};
  /// Mean over the rows that have entries of the share of a row's entries whose column, or one next
  /// to it, has an entry in the next such row, from 0 to 1; the last one's share is 0
  /// (`cross_row_similarity`).
  std::optional<double> similarity{};
};

/// How much `RowNumbers` say of a matrix, from little to much: nothing; deviation or longest row;
/// one of these, the mean distance and neighbours.
enum class KnownNumbers { sizes, row_lengths, columns };

KnownNumbers known_numbers(const RowNumbers& numbers);

/// Those of a matrix at hand, all of them, in O(nonzeros) on `threads` threads (0: all); the same
/// for any number of them. Columns must rise within rows.
RowNumbers count_row_numbers(const PatternView& matrix, int threads = 0);

/// The longest row, or what is taken for it where nobody knows, of rows of this mean length.
double longest_row(const RowNumbers& numbers, double rows, double mean);

/// Throws `Error` for numbers that no square matrix of so many rows and entries has, in a line that
/// names the number and its range.
void check_row_numbers(const RowNumbers& numbers, double rows, double nonzeros);

/// Some numbers of a square matrix.
struct MatrixNumbers {
  double rows = 0;
  double nonzeros = 0;  ///< with `block_size` N all values of the N x N blocks that are not empty
  int block_size = 1;
  RowNumbers of_rows;
};

}  // namespace sparsecast
