#include "core/matrix/files/tar/tar_part.hpp"

#include "core/base/archives/compressed.hpp"
#include "core/base/archives/source_stream.hpp"
#include "core/base/archives/tar.hpp"
#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"
#include "core/matrix/files/tar/tar_matrix.hpp"

namespace sparsecast {

TarPart::TarPart(const ByteSource& archive, int part, int parts, int threads) {
  const auto open = [&]() -> std::unique_ptr<ByteStream> {
    if (is_compressed(archive)) return open_compressed(archive);
    return std::make_unique<SourceStream>(archive);
  };
  try {
    read_matrix_member(open, [&](TarReader& reader, const TarMember& member) {
      if (!member.name.ends_with(".mtx")) throw Error(unreadable_in_parts());
      member_ = brief(member.name);
      part_ = with_file_name(member_, [&] {
        return std::make_unique<StreamedMarketPart>(reader, member.size, part, parts, threads);
      });
      return part + 1 == parts;
    });
  } catch (const Error& error) {
    if (!part_) throw;
    wrong_behind_ = error.what();
  }
}

std::vector<EntryChunk> TarPart::take(const PartCount& before, const PartCount& all) {
  std::vector<EntryChunk> chunks =
      with_file_name(member_, [&] { return part_->take(before, all); });
  if (wrong_behind_) throw Error(*wrong_behind_);
  return chunks;
}

}  // namespace sparsecast
