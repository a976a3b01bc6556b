#include "core/matrix/files/market/matrix_market_chunk.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/buffer.hpp"
#include "core/base/text/decimal.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"
#include "core/matrix/files/text_tokens.hpp"

namespace sparsecast {
namespace {

const char* skip_blanks(const char* at) {
  while (is_blank(*at)) ++at;
  return at;
}

/// Reads the lines that are written as nearly all are; leaves the others to `parse_entry_line`.
/// `has_indices`: coordinate format. `field`: known to the compiler, so that the loop is tight.
template <bool has_indices, MatrixMarketField field>
class ChunkParser {
 public:
  ChunkParser(std::string_view text, const MatrixMarketHeader& header)
      : header_(header), at_(text.data()), end_(text.data() + text.size()) {
    chunk_.lines = count_lines(text);
    if constexpr (has_indices) {
      chunk_.rows.resize(chunk_.lines);
      chunk_.columns.resize(chunk_.lines);
    }
    if constexpr (has_value) chunk_.values.resize(chunk_.lines);
    switch (header.symmetry) {
      case StoredSymmetry::general:
        smallest_distance_ = std::numeric_limits<std::int64_t>::min();
        break;
      case StoredSymmetry::symmetric:
        smallest_distance_ = 0;
        break;
      case StoredSymmetry::skew_symmetric:
        smallest_distance_ = 1;
        break;
    }
  }

  TextChunk parse() {
    while (at_ != end_) {
      if (const char* next = parse_plain_line()) {
        at_ = next;
      } else if (!parse_any_line()) {
        break;
      }
    }
    shrink(chunk_.rows);
    shrink(chunk_.columns);
    shrink(chunk_.values);
    return std::move(chunk_);
  }

 private:
  static constexpr bool has_value = field != MatrixMarketField::pattern;

  /// The beginning of the next line, or nullptr if this one is not plain.
  const char* parse_plain_line() {
    const char* at = at_;
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    if constexpr (has_indices) {
      at = read_index(at, row);
      if (at == nullptr || !is_blank(*at)) return nullptr;
      at = read_index(skip_blanks(at + 1), column);
      if (at == nullptr) return nullptr;
      // 0 becomes too large.
      if (--row >= static_cast<std::uint64_t>(header_.rows) ||
          --column >= static_cast<std::uint64_t>(header_.columns) ||
          static_cast<std::int64_t>(row) - static_cast<std::int64_t>(column) < smallest_distance_) {
        return nullptr;
      }
    }
    double value = 0;
    if constexpr (has_value) {
      if constexpr (has_indices) {
        if (!is_blank(*at)) return nullptr;
        at = skip_blanks(at + 1);
      }
      at = read_value(at, value);
      if (at == nullptr) return nullptr;
    }
    if (*at != '\n') {
      at = skip_blanks(at);
      if (*at != '\n') return nullptr;
    }
    add({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), value});
    return at + 1;
  }

  const char* read_value(const char* at, double& value) const {
    if constexpr (field == MatrixMarketField::integer) {
      const bool negative = *at == '-';
      std::uint64_t magnitude = 0;
      at = read_index(negative ? at + 1 : at, magnitude);
      value = static_cast<double>(magnitude);  // 15 digits: exact
      if (negative) value = 0 - value;
      return at;
    } else {
      return read_decimal(at, end_, value);
    }
  }

  /// False if the line is malformed.
  bool parse_any_line() {
    const auto* line_end =
        static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    const std::string_view line(at_, static_cast<std::size_t>(line_end - at_));
    MatrixMarketEntry entry;
    switch (parse_entry_line(line, header_, entry, chunk_.error)) {
      case LineKind::entry:
        add(entry);
        break;
      case LineKind::empty:
        ++empty_lines_;
        // Of blank lines a compressed file can hold billions.
        for (; line_end + 1 != end_ && line_end[1] == '\n'; ++line_end) ++empty_lines_;
        if (chunk_.empty_lines.empty() || chunk_.empty_lines.back().entry != chunk_.entries) {
          chunk_.empty_lines.push_back({chunk_.entries, empty_lines_});
        } else {
          chunk_.empty_lines.back().lines = empty_lines_;
        }
        break;
      case LineKind::malformed:
        chunk_.malformed_line = chunk_.entries + empty_lines_;
        return false;
    }
    at_ = line_end + 1;
    return true;
  }

  void add(const MatrixMarketEntry& entry) {
    if constexpr (has_indices) {
      chunk_.rows[chunk_.entries] = entry.row;
      chunk_.columns[chunk_.entries] = entry.column;
    }
    if constexpr (has_value) chunk_.values[chunk_.entries] = entry.value;
    ++chunk_.entries;
  }

  /// Gives back what comments and blank lines made too long.
  template <class T>
  void shrink(Buffer<T>& buffer) const {
    if (buffer.empty()) return;
    buffer.resize(chunk_.entries);
    if (buffer.capacity() / 2 > buffer.size()) buffer.shrink_to_fit();
  }

  const MatrixMarketHeader& header_;
  const char* at_;
  const char* end_;
  std::int64_t smallest_distance_ = 0;  ///< of row - column
  std::int64_t empty_lines_ = 0;
  TextChunk chunk_;
};

}  // namespace

// Counts in bytes first, which the compiler turns into vector code.
std::int64_t count_lines(std::string_view text) {
  constexpr std::size_t block = 240;  // fits a byte's range
  std::int64_t lines = 0;
  std::size_t at = 0;
  for (; at + block <= text.size(); at += block) {
    std::uint8_t in_block = 0;
    for (std::size_t k = 0; k < block; ++k) {
      in_block = static_cast<std::uint8_t>(in_block + (text[at + k] == '\n'));
    }
    lines += in_block;
  }
  return lines + std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n');
}

std::int64_t TextChunk::line_of(std::int64_t entry) const {
  const auto after =
      std::upper_bound(empty_lines.begin(), empty_lines.end(), entry,
                       [](std::int64_t value, const EmptyLines& run) { return value < run.entry; });
  return entry + (after == empty_lines.begin() ? 0 : std::prev(after)->lines);
}

TextChunk parse_chunk(std::string_view text, const MatrixMarketHeader& header) {
  using enum MatrixMarketField;
  const bool real_values = header.field == real;
  if (!header.coordinate) {
    return real_values ? ChunkParser<false, real>(text, header).parse()
                       : ChunkParser<false, integer>(text, header).parse();
  }
  if (header.field == pattern) return ChunkParser<true, pattern>(text, header).parse();
  return real_values ? ChunkParser<true, real>(text, header).parse()
                     : ChunkParser<true, integer>(text, header).parse();
}

}  // namespace sparsecast
