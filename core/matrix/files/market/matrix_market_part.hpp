#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/market/parsed_text.hpp"
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

}  // namespace sparsecast
