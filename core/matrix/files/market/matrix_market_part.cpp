#include "core/matrix/files/market/matrix_market_part.hpp"

#include <optional>

#include "core/base/error.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"

namespace sparsecast {

MatrixMarketPart::MatrixMarketPart(const ByteSource& text, int part, int parts, int threads)
    : last_(part + 1 == parts), beginning_(read_beginning(text)) {
  const MatrixMarketHeader& header = beginning_.header;
  if (!header.coordinate) {
    throw Error(
        "an array, whose entries say nothing of their places, is not read in parts, as several "
        "processes do; expected coordinate format");
  }
  shape_ = {true,
            header.field == MatrixMarketField::pattern,
            header.symmetry,
            header.rows,
            header.columns,
            header.stored_entries};
  parsed_ = std::make_unique<ParsedText>(header);
  const std::size_t bytes = text.size() - beginning_.bytes;
  const auto begin_of = [&](int k) {
    const auto share = static_cast<std::size_t>(k);
    const auto count = static_cast<std::size_t>(parts);
    return beginning_.bytes + bytes / count * share + bytes % count * share / count;
  };
  const std::size_t begin = begin_of(part);
  const std::size_t end = begin_of(part + 1);
  ThreadTeam team(market_threads(threads, end - begin));
  parse_lines(text, begin, end, *parsed_, team);
}

std::vector<EntryChunk> MatrixMarketPart::take(const PartCount& before, const PartCount& /*all*/) {
  return parsed_->take({before.entries, beginning_.lines + before.lines}, last_, std::nullopt);
}

}  // namespace sparsecast
