#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast::cli {

/// Adds --generate.
void add_generate_option(CommandLine& line);

/// The matrix that a command is about: that of the file MATRIX or, without a file, the one that
/// `sparsecast generate` would write for the words of --generate.
class GivenMatrix {
 public:
  /// Throws `UsageError` unless there is one of them, and for words that generate nothing.
  explicit GivenMatrix(const CommandLine& line);

  /// How messages call it: the file, or the words.
  const std::string& label() const { return label_; }

  /// All of it, made on `threads` threads where it is read (0: all). Throws like `read_matrix`, and
  /// `UsageError` for values that make no matrix.
  MatrixFromFile whole(int threads) const;

  /// A rank's part; throws like `read_rank_matrix`, and `UsageError` for a kind of matrices that is
  /// not made by rows. All ranks call it.
  RankMatrixFile part(Communicator& ranks, const RankMatrixOptions& options,
                      bool asks_symmetry) const;

 private:
  std::string label_;
  std::string file_;                       ///< empty: generated
  std::optional<CommandLine> generation_;  ///< of the words
};

}  // namespace sparsecast::cli
