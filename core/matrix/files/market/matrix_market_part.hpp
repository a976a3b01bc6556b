#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/files/input_file.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/files/market/parsed_text.hpp"
#include "core/matrix/files/stored_entries.hpp"

namespace sparsecast {

/// One of several parts of a plain Matrix Market file, each of which another process reads: the
/// lines that begin in its share of the bytes. What is refused and what memory it takes is as for
/// `read_matrix_market`.
class MatrixMarketPart {
 public:
  /// Opens the file, reads its header and the lines of part `part` of `parts`, on `threads` threads
  /// (0: all). A malformed line shows in `take`. Throws `Error` like `read_matrix_market` for the
  /// header, and for what is not read in parts: other kinds of files, compressed ones, arrays.
  MatrixMarketPart(const std::filesystem::path& path, int part, int parts, int threads);

  const MatrixMarketHeader& header() const { return beginning_.header; }
  /// What the part holds.
  MarketCount count() const { return parsed_->count(); }
  /// The same for two files only if they are of one size, begin alike and end alike.
  std::uint64_t identity() const { return identity_; }

  /// The entries, once. `before`: what all parts before this one hold together. Throws `Error` with
  /// the line of the file for the first thing in this part that is wrong; parts before it may hold
  /// an earlier one.
  std::vector<EntryChunk> take(const MarketCount& before);

 private:
  std::string name_;
  bool last_ = false;
  std::unique_ptr<InputFile> file_;
  MarketBeginning beginning_;
  std::unique_ptr<ParsedText> parsed_;
  std::uint64_t identity_ = 0;
};

}  // namespace sparsecast
