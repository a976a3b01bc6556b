#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/files/stored_entries.hpp"

/// @file
/// The entries of a piece of a Matrix Market file. Used by the reader.

namespace sparsecast {

/// Lines that end in a text.
std::int64_t count_lines(std::string_view text);

/// Entries of consecutive whole lines after the size line.
struct TextChunk : EntryChunk {
  std::int64_t lines = 0;  ///< of the text, those after a malformed one too
  /// Before entry `entry` there are `lines` lines without an entry in this chunk (comments, blank
  /// ones); one item for each run of them, the last one's `entry` may be one past the entries.
  struct EmptyLines {
    std::int64_t entry;
    std::int64_t lines;
  };
  std::vector<EmptyLines> empty_lines;

  std::int64_t malformed_line = -1;  ///< in the chunk, from 0; -1: none. Entries end before it.
  std::string error;                 ///< what is wrong with it

  /// The line in the chunk, from 0, that holds an entry.
  std::int64_t line_of(std::int64_t entry) const;
};

/// Parses whole lines; the last character is a line's end.
TextChunk parse_chunk(std::string_view text, const MatrixMarketHeader& header);

}  // namespace sparsecast
