#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// How a GPU carries out a multiplication or a whole schedule, as plain numbers: what the CUDA back
/// end decides from a matrix before it launches anything, for prices and tests that have no GPU.
/// `core/analysis/cuda_execution.hpp` tells it for a matrix at hand.

namespace sparsecast {

/// A GPU, as far as launches depend on it.
struct GpuShape {
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;  ///< that a kernel may ask for

  friend bool operator==(const GpuShape&, const GpuShape&) = default;
};

/// What the warps of a multiplication load, in total (`core/analysis/warp_loads.hpp`).
struct WarpLoads {
  /// Each is all that a warp loads before it uses the first of it; as many as its longest row, or
  /// piece of a row, needs.
  double passes = 0;
  /// 128-byte lines of the multiplied vector (which begins with one) that a load instruction takes
  /// from the first-level cache one after the other: of 32, 16 or 8 lanes at a time, which load 4,
  /// 8 or 16 bytes each.
  double lines = 0;
  /// Of a product whose second kernel adds entries in COO to what the first has stored: lines that
  /// its warps load, which are none of `lines`, and rows that it adds to.
  double added_lines = 0;
  double added_rows = 0;
  /// Where long rows are cut into pieces: 32-byte sectors that thread blocks of pieces look up, and
  /// those that thread blocks of rows are spared so. Both 0 in counts by earlier versions.
  double piece_sectors = 0;
  double spared_sectors = 0;

  friend WarpLoads operator+(const WarpLoads& a, const WarpLoads& b) {
    return {a.passes + b.passes,
            a.lines + b.lines,
            a.added_lines + b.added_lines,
            a.added_rows + b.added_rows,
            a.piece_sectors + b.piece_sectors,
            a.spared_sectors + b.spared_sectors};
  }
  friend bool operator==(const WarpLoads&, const WarpLoads&) = default;
};

/// How SpMV is launched, but in the paper's mappings. Lengths are in stored blocks.
struct SpmvExecution {
  int lanes = 1;  ///< threads that share a block row
  /// A warp takes its block rows as one stream of blocks, 32 at a time, whatever their lengths.
  bool streams = false;
  int threads = 256;                  ///< of a thread block
  std::int64_t rows_per_block = 256;  ///< block rows that a thread block takes at a time
  std::int64_t blocks = 0;            ///< thread blocks for them; with sums fewer, in several turns
  std::int64_t longest_short_row = 0;  ///< longer rows are cut into pieces
  std::int64_t piece_length = 0;       ///< of all pieces but a row's last
  std::int64_t long_rows = 0;
  std::int64_t pieces = 0;  ///< of long rows, each taken by a warp of its own
  WarpLoads loads;          ///< 0 where nobody counted them

  /// Thread blocks at the front of the grid that take the pieces.
  std::int64_t piece_blocks() const {
    const std::int64_t warps = threads / 32;
    return (pieces + warps - 1) / warps;
  }

  friend bool operator==(const SpmvExecution&, const SpmvExecution&) = default;
};

/// What the kernels of a format load before they wait, and how many of their thread blocks run at a
/// time: what follows from a layout, a precision and an execution (`Format::geometry`).
struct ProductGeometry {
  /// Stored blocks of a row that its lanes load before they use the first, below 1 where several
  /// passes go to one block; and that a warp does which takes its rows as one stream.
  double blocks_in_pass = 1;
  double blocks_in_stream_pass = 1;
  /// A row's share of a pass begins anywhere in it where rows are loaded from aligned places: so
  /// many blocks more at most.
  double blocks_before_row = 0;
  /// Thread blocks that a multiprocessor has registers and threads for, of one with room for 65536
  /// and 2048: of a product, and of one that ends with sums.
  double resident_blocks = 1;
  double resident_blocks_with_sums = 1;
  /// Behind a layout's name, of kernels that cost other times than its usual one: "-stream"; a
  /// literal.
  std::string_view kind{};
  /// The format whose kernels cost as much, each with its own geometry, so that they share
  /// constants: "sell"; a literal. Empty: the layout's own.
  std::string_view priced_as{};
  /// Whether products can end with sums; where not, a kernel on vectors behind them does.
  bool sums = true;

  friend bool operator==(const ProductGeometry&, const ProductGeometry&) = default;
};

/// How the persistent kernel of a solver works on a matrix: each thread block on a segment of
/// neighbouring rows, all iterations long.
struct PersistentExecution {
  int blocks = 0;          ///< thread blocks
  int threads = 0;         ///< of a block
  int lanes = 1;           ///< that share a block row at least
  int block_size = 1;      ///< of the blocks that the matrix is kept in: 1 or 3
  bool clustered = false;  ///< one cluster, where the GPU has clusters
  /// Whether the part of the vector that a segment looks up fits in shared memory; if not there is
  /// no such kernel, and what follows is 0.
  bool fits = false;
  bool balanced = false;  ///< no segment has much more to do than the others
  bool chosen = false;    ///< by launch mode auto, where memory suffices
  double steps = 0;       ///< of 32 lanes, a block each, fill of short rows included, in total
  double most_steps = 0;  ///< of a segment
  /// The part of the matrix values that stays in shared memory; the rest moves every iteration.
  double resident_share = 0;
  double halo = 0;          ///< vector values that segments look up in others, in total
  double largest_halo = 0;  ///< of a segment
  /// Between shared memory and the rest of the GPU in an iteration, without what thread blocks tell
  /// each other (the halo and sums).
  double moved_bytes = 0;
  double window_bytes = 0;  ///< of shared memory that the largest segment needs for the vector
  /// Lines of 128 bytes that the halo of a segment comes in, at most. Here and below 0 in counts by
  /// earlier versions.
  double most_halo_lines = 0;
  double most_moved_bytes = 0;  ///< of `moved_bytes`, a segment's at most
};

/// What our kernels do with one matrix in one layout.
struct GpuExecution {
  SpmvExecution product;
  PersistentExecution persistent;
};

/// Text without commas, for a field of a CSV file, and its inverse, exact. The latter throws
/// `Error` that quotes a text of another form.
std::string to_text(const GpuExecution& execution);
GpuExecution parse_gpu_execution(std::string_view text);

}  // namespace sparsecast
