#pragma once

#include <string_view>

/// @file
/// How the paper's own multiplication on GPUs shares block rows among threads (sections 3.1 to 3.7,
/// Table 1), as plain numbers. `core/formats/paper/paper_spmv.hpp` arranges a matrix for it.

namespace sparsecast {

/// How block rows are mapped to threads.
enum class PaperMapping {
  block_row,            ///< a thread block a block row (section 3.1)
  warp,                 ///< a warp a block row (section 3.2)
  multiple_block_rows,  ///< Bx blocks of each of By block rows at a time (section 3.3)
};

/// How the matrix blocks lie in memory.
enum class PaperStorage {
  plain,      ///< row by row; every thread asks for the length of its block row
  padded,     ///< row by row, with empty blocks up to the length that a thread block's rows share
  reordered,  ///< padded, and what a thread block works on in one step lies together (section 3.4)
};

/// How many threads work on how much, beside the choice of a mapping.
struct PaperThreads {
  int threads_per_block = 256;  ///< T: a power of two from 32 to 1024
  /// Bx, matrix blocks of a block row worked on at a time, of multiple block-row mapping (section
  /// 3.6): a power of two. Table 1 fixes it for the other two.
  int blocks_at_once = 1;
};

/// A choice of mapping and optimisations. Sorting of block rows (section 3.5) is the layout's
/// `RowOrder`.
struct PaperSpmv {
  PaperMapping mapping = PaperMapping::multiple_block_rows;
  PaperStorage storage = PaperStorage::reordered;
  int threads_per_block = PaperThreads{}.threads_per_block;
  int blocks_at_once = PaperThreads{}.blocks_at_once;
};

/// "block-row", "warp", "multiple-block-rows".
std::string_view to_string(PaperMapping mapping);
/// "plain", "padded", "reordered".
std::string_view to_string(PaperStorage storage);

/// Table 1 for one block size.
struct PaperGeometry {
  int threads_per_block = 0;      ///< T
  int threads_per_block_row = 0;  ///< Bx * N * N
  /// Bx; a warp takes two steps for an 8 x 8 block: this is 1 there, and `steps_per_block` 2.
  int blocks_at_once = 1;
  int steps_per_block = 1;
  int block_rows = 1;  ///< By
};

/// Throws `Error` for a block size that is no power of two up to 8 (3 and 6: the paper's mappings
/// need powers of two), for T or Bx out of range, and for Bx * N * N > T.
PaperGeometry paper_geometry(const PaperSpmv& choice, int block_size);

/// Whether `paper_geometry` does not throw.
bool has_paper_geometry(const PaperSpmv& choice, int block_size);

}  // namespace sparsecast
