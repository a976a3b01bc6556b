#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/market/matrix_market_part.hpp"
#include "core/matrix/files/stored_entries.hpp"

namespace sparsecast {

/// One of several parts of the Matrix Market file in a tar archive, compressed or not. As
/// `MatrixFilePart` says, but for the file's name.
class TarPart {
 public:
  /// Reads the archive up to the end of the part, as `StreamedMarketPart` does; the last part reads
  /// all of it. What is wrong behind the matrix shows in that one's `take`. Throws `Error`, also
  /// for a matrix in Rutherford-Boeing format.
  TarPart(const ByteSource& archive, int part, int parts, int threads);

  const StoredShape& shape() const { return part_->shape(); }
  PartCount count() const { return part_->count(); }
  std::vector<EntryChunk> take(const PartCount& before, const PartCount& all);

 private:
  std::string member_;  ///< as messages call it
  std::unique_ptr<StreamedMarketPart> part_;
  std::optional<std::string> wrong_behind_;
};

}  // namespace sparsecast
