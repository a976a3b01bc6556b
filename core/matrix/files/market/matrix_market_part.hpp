#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/market/parsed_text.hpp"
#include "core/matrix/files/market/streamed_text.hpp"
#include "core/matrix/files/stored_entries.hpp"

namespace sparsecast {

/// One of several parts of a plain Matrix Market file: the lines that begin in its share of the
/// bytes. As `MatrixFilePart` says, but for the file's name.
class MatrixMarketPart {
 public:
  /// Reads the header and the lines of the part. A malformed line shows in `take`. Throws
  /// `MalformedLine` for the header, and `Error` for an array, whose entries say nothing of their
  /// places.
  MatrixMarketPart(const ByteSource& text, int part, int parts, int threads);

  const StoredShape& shape() const { return shape_; }
  PartCount count() const { return parsed_->count(); }
  /// Throws `MalformedLine`.
  std::vector<EntryChunk> take(const PartCount& before, const PartCount& all);

 private:
  bool last_ = false;
  MarketBeginning beginning_;
  StoredShape shape_;
  std::unique_ptr<ParsedText> parsed_;
};

/// The same of text that comes bit by bit, whose length nobody knows: as many of the lines behind
/// the size line as the others, where there is one for each entry; what lines are beyond that
/// (comments, blank ones, too many entries) go to the last part.
class StreamedMarketPart {
 public:
  /// Reads the text, of at most `most_bytes`, up to the end of the part, as `MatrixMarketPart`
  /// does. Damaged data shows in `take`, if it comes behind the header.
  StreamedMarketPart(ByteStream& stream, std::uint64_t most_bytes, int part, int parts,
                     int threads);

  const StoredShape& shape() const { return shape_; }
  PartCount count() const { return text_.count(); }
  /// Throws `MalformedLine`.
  std::vector<EntryChunk> take(const PartCount& before, const PartCount& all);

 private:
  bool last_ = false;
  StreamedText text_;
  StoredShape shape_;
};

}  // namespace sparsecast
