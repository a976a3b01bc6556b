#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files/byte_source.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/files/market/matrix_market_chunk.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"
#include "core/matrix/files/stored_entries.hpp"

/// @file
/// The text of a Matrix Market file, or of a part of one, on its way to entries. Used by the
/// readers.

namespace sparsecast {

/// Text parsed at once: its lines and entries stay in a core's second cache.
inline constexpr std::size_t market_chunk_bytes = std::size_t{256} << 10;

/// What a header says of the entries.
StoredShape shape_of(const MatrixMarketHeader& header);

/// Threads that so many bytes of text are worth; `wanted` = 0: all.
int market_threads(int wanted, std::size_t bytes);

/// Takes lines off the front of the text until the header is complete; false if the text ends
/// first. Throws `MalformedLine`.
bool read_header(std::string_view& text, MatrixMarketHeaderReader& reader);

/// Throws `MalformedLine` for a text that ends before the header does.
[[noreturn]] void fail_without_size_line(MatrixMarketHeaderReader& reader);

/// Banner, comments and size line of a plain file.
struct MarketBeginning {
  MatrixMarketHeader header;
  std::int64_t lines = 0;
  std::size_t bytes = 0;
};

/// Reads it, and compares the sizes with what follows. Throws `MalformedLine`.
MarketBeginning read_beginning(const ByteSource& text);

/// The entries of a text as they are parsed, piece by piece and in any order.
class ParsedText {
 public:
  /// Of a file with this header, which must outlive it.
  explicit ParsedText(const MatrixMarketHeader& header) : header_(header) {}

  /// Parses a piece of whole lines and keeps what it holds. Pieces are numbered in the text's order
  /// and begun in that order.
  void parse(std::size_t number, std::string_view text);

  /// No further piece is needed: there is an error in one of those that are begun.
  bool failed() const { return failed_; }

  /// What all pieces hold; of a text that has failed, up to there.
  PartCount count() const;

  /// The chunks, once all are there. `before`: what the file has before the text; `to_end`: does
  /// the file end with the text? `end`: why that came early. Throws `MalformedLine` for the first
  /// thing that is wrong.
  std::vector<EntryChunk> take(const PartCount& before, bool to_end,
                               const std::optional<std::string>& end);

 private:
  const MatrixMarketHeader& header_;
  std::atomic<std::int64_t> entries_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::vector<TextChunk> chunks_;
};

/// Parses the lines that begin at bytes `begin` to `end - 1` of a text, on the threads of a team.
void parse_lines(const ByteSource& text, std::size_t begin, std::size_t end, ParsedText& parsed,
                 ThreadTeam& team);

}  // namespace sparsecast
