#include "core/matrix/files/market/matrix_market_part.hpp"

#include <optional>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"

namespace sparsecast {
namespace {

/// That of a file in coordinate format; throws `Error` for an array.
StoredShape coordinate_shape(const MatrixMarketHeader& header) {
  if (!header.coordinate) {
    throw Error(
        "an array, whose entries say nothing of their places, is not read in parts, as several "
        "processes do; expected coordinate format");
  }
  return shape_of(header);
}

}  // namespace

MatrixMarketPart::MatrixMarketPart(const ByteSource& text, int part, int parts, int threads)
    : last_(part + 1 == parts),
      beginning_(read_beginning(text)),
      shape_(coordinate_shape(beginning_.header)),
      parsed_(std::make_unique<ParsedText>(beginning_.header)) {
  const auto bytes = static_cast<std::int64_t>(text.size() - beginning_.bytes);
  const auto begin_of = [&](int k) {
    return beginning_.bytes + static_cast<std::size_t>(begin_of_part(bytes, k, parts));
  };
  const std::size_t begin = begin_of(part);
  const std::size_t end = begin_of(part + 1);
  ThreadTeam team(market_threads(threads, end - begin));
  parse_lines(text, begin, end, *parsed_, team);
}

std::vector<EntryChunk> MatrixMarketPart::take(const PartCount& before, const PartCount& /*all*/) {
  return parsed_->take({before.entries, beginning_.lines + before.lines}, last_, std::nullopt);
}

StreamedMarketPart::StreamedMarketPart(ByteStream& stream, std::uint64_t most_bytes, int part,
                                       int parts, int threads)
    : last_(part + 1 == parts),
      text_(stream, most_bytes),
      shape_(coordinate_shape(text_.header())) {
  LineRange lines{begin_of_part(shape_.stored_entries, part, parts), LineRange::to_the_end};
  if (!last_) lines.end = begin_of_part(shape_.stored_entries, part + 1, parts);
  ThreadTeam team(text_.threads(threads));
  text_.parse(lines, team);
  // All parts decompress all of it: who has an early one else waits for whoever has the last.
  if (!last_) text_.skip_rest();
}

std::vector<EntryChunk> StreamedMarketPart::take(const PartCount& before,
                                                 const PartCount& /*all*/) {
  return text_.take(before, last_);
}

}  // namespace sparsecast
