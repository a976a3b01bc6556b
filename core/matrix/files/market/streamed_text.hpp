#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/buffer.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/files/market/parsed_text.hpp"
#include "core/matrix/files/market/streamed_lines.hpp"
#include "core/matrix/files/stored_entries.hpp"

/// @file
/// A Matrix Market file that comes compressed or in an archive, on its way to entries. Used by the
/// readers.

namespace sparsecast {

/// Lines `begin` to `end - 1` of those behind the size line, counted from 0.
struct LineRange {
  static constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();

  std::int64_t begin = 0;
  std::int64_t end = to_the_end;
};

/// Text that comes bit by bit, of which a few blocks at a time are in memory.
class StreamedText {
 public:
  /// Reads the header of a text of at most `most_bytes`. Throws `MalformedLine`. `stream` must live
  /// until the text is parsed.
  StreamedText(ByteStream& stream, std::uint64_t most_bytes);

  const MatrixMarketHeader& header() const { return header_; }
  /// Threads that the text is worth; `wanted` = 0: all.
  int threads(int wanted) const;

  /// Parses some lines, once, on the threads of a team: the first one decompresses. Lines before
  /// them are passed over, and what is behind them stays in the stream.
  void parse(const LineRange& lines, ThreadTeam& team);

  /// Reads what is left, and forgets it; nothing is parsed after that.
  void skip_rest();

  /// What the lines hold that were parsed; of a text that has failed, up to there.
  PartCount count() const { return parsed_.count(); }

  /// Their entries, once. `before`: what the lines between the size line and them hold; `to_end`:
  /// do they go to the end? Throws `MalformedLine` for the first thing that is wrong. Where the
  /// compressed data is damaged, before or behind a line that is wrong, the damage is named.
  std::vector<EntryChunk> take(const PartCount& before, bool to_end);

 private:
  void read_header_lines();
  bool next_block(const LineRange& wanted);

  StreamedLines lines_;
  std::uint64_t most_bytes_ = 0;
  MatrixMarketHeader header_;
  std::int64_t header_lines_ = 0;
  std::int64_t passed_ = 0;  ///< lines behind the header that were looked at
  Buffer<char> block_;       ///< the lines on which nobody works yet
  ParsedText parsed_;
};

}  // namespace sparsecast
