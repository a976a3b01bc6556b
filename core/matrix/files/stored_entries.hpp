#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "core/base/buffer.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

/// What a file says of its entries before they come.
struct StoredShape {
  bool coordinate = true;  ///< false: array (dense), by columns
  bool pattern = false;    ///< no values
  StoredSymmetry symmetry = StoredSymmetry::general;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stored_entries = 0;  ///< in the file, before expansion
};

/// Consecutive entries in the file's order. Arrays have values only, patterns none.
struct EntryChunk {
  std::int64_t entries = 0;
  Buffer<std::int32_t> rows;     ///< counted from 0
  Buffer<std::int32_t> columns;  ///< counted from 0
  Buffer<double> values;
};

/// What a part of a file holds, or several of them together.
struct PartCount {
  std::int64_t entries = 0;
  std::int64_t lines = 0;  ///< of a text
};

/// Where part `part` of `parts` equal ones begins, of so many rows, lines or bytes; it ends where
/// the next one begins.
std::int64_t begin_of_part(std::int64_t count, int part, int parts);

/// Most rows and columns: their indices have 32 bits.
inline constexpr std::int64_t largest_matrix_size = std::numeric_limits<std::int32_t>::max();

/// What is wrong with sizes of which more memory would be kept than the entries bring, and with
/// those beyond `largest_matrix_size`: "what; what was expected", or nothing. More than 2^20 rows,
/// or columns, need an entry for every 16 of them. `entries`: what the file stores.
std::string wrong_sizes(std::int64_t rows, std::int64_t columns, std::int64_t entries);

/// "entry (3, 7)", as people count: from 1. `row`, `column`: from 0.
std::string entry_text(std::int64_t row, std::int64_t column);

/// What is wrong with the place of an entry in symmetric storage: "what; what was expected", or
/// nothing.
std::string wrong_place(std::int64_t row, std::int64_t column, StoredSymmetry symmetry);

}  // namespace sparsecast
