#include "core/matrix/files/market/matrix_market_part.hpp"

#include <algorithm>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text/hash.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"

namespace sparsecast {
namespace {

constexpr std::size_t identifying_bytes = 65536;

void require_readable_in_parts(const ByteSource& text) {
  Buffer<char> scratch;
  const std::string_view beginning = text.view(0, std::min(text.size(), kind_bytes), scratch);
  if (kind_of(beginning) == FileKind::matrix_market) return;
  throw Error(
      "this file is not read in parts, as several processes do; expected plain Matrix Market "
      "('%%MatrixMarket matrix coordinate ...', not compressed)");
}

std::uint64_t identity_of(const ByteSource& text) {
  Buffer<char> scratch;
  const std::size_t size = text.size();
  const std::size_t some = std::min(size, identifying_bytes);
  const std::uint64_t beginning = hash_of(text.view(0, some, scratch), size);
  return hash_of(text.view(size - some, size, scratch), beginning);
}

}  // namespace

MatrixMarketPart::MatrixMarketPart(const std::filesystem::path& path, int part, int parts,
                                   int threads)
    : name_(file_label(path)), last_(part + 1 == parts) {
  with_file_name(name_, [&] {
    file_ = std::make_unique<InputFile>(path, "a Matrix Market file");
    const FileBytes text(*file_);
    require_readable_in_parts(text);
    beginning_ = read_beginning(text);
    if (!beginning_.header.coordinate) {
      throw Error(
          "an array, whose entries say nothing of their places, is not read in parts, as several "
          "processes do; expected coordinate format");
    }
    identity_ = identity_of(text);
    parsed_ = std::make_unique<ParsedText>(beginning_.header);
    const std::size_t bytes = text.size() - beginning_.bytes;
    const auto begin_of = [&](int k) {
      const auto share = static_cast<std::size_t>(k);
      const auto all = static_cast<std::size_t>(parts);
      return beginning_.bytes + bytes / all * share + bytes % all * share / all;
    };
    const std::size_t begin = begin_of(part);
    const std::size_t end = begin_of(part + 1);
    ThreadTeam team(market_threads(threads, end - begin));
    parse_lines(text, begin, end, *parsed_, team);
  });
}

std::vector<EntryChunk> MatrixMarketPart::take(const MarketCount& before) {
  return with_file_name(name_, [&] {
    const MarketCount all{before.entries, beginning_.lines + before.lines};
    try {
      std::vector<EntryChunk> chunks = parsed_->take(all, last_, std::nullopt);
      file_->check_unchanged();
      return chunks;
    } catch (const MalformedLine&) {
      file_->check_unchanged();  // else who changed it is to blame
      throw;
    }
  });
}

}  // namespace sparsecast
