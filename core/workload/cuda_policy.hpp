#pragma once

#include <cstdint>
#include <limits>

#include "core/workload/exchange_mode.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/paper_mapping.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// Sizes and choices of the CUDA back end, as plain numbers: it decides by the same functions as
/// predictions do.

namespace sparsecast {

/// Sizes that the CUDA kernels work with, as data that launches, prices and tests share.
struct CudaPolicy {
  LaunchMode launch_mode = LaunchMode::graph;

  /// Iterations in one graph. The rest of a run that is no multiple is launched one by one.
  int iterations_per_graph = 8;

  /// The host looks after so many iterations whether the run has ended on the device, or after so
  /// many launches where an iteration has many; it keeps two such batches under way. What they have
  /// left at the end runs for nothing: of GMRES(30) 16 iterations are 3000 launches. The vendor's
  /// conjugate gradients go by iterations alone.
  int iterations_between_polls = 16;
  int launches_between_polls = 128;

  /// Looks after so many iterations, whatever they launch.
  void poll_every(int iterations) {
    iterations_between_polls = iterations;
    launches_between_polls = std::numeric_limits<int>::max();
  }

  int threads_per_block = 256;

  /// Thread blocks of a reduction per multiprocessor, at most; their sums are added by one block.
  int reduction_blocks_per_multiprocessor = 4;

  /// Thread blocks per multiprocessor, at most, of a kernel that ends with sums or checks, which
  /// takes no more than there is room for at a time: a block's end costs more than its beginning.
  int finishing_blocks_per_multiprocessor = 8;

  /// Groups of rows that a thread block of a product takes which ends with sums, at most. Without a
  /// bound thread blocks drift apart over hundreds of groups: on an H100 an iteration on a 27-point
  /// grid with 5e8 nonzeros took 1.26 times as long, with 1e8 1.05 times
  /// (bench/large_matrix_benchmark.cpp).
  int groups_per_finishing_block = 16;

  /// Vector kernels take two 16-byte packs of each operand a thread when there are at least so many
  /// packs a multiprocessor (that is, when one a thread would give more than two full waves).
  std::int64_t packs_per_multiprocessor_for_two = 2 * 2048;

  /// Passes of an iteration are compiled for what they do, with the operations behind them, where
  /// NVRTC is installed; else kernels read what they are to do.
  bool compile_passes = true;

  /// Lanes (threads) that share a stored row of CSR, a block row of BCSR; 0: `spmv_lanes`.
  int lanes_per_row = 0;

  /// A row is long, and worked on by warps of its own, when its lanes would take more than so many
  /// passes over it.
  int long_row_passes = 4;

  /// Positions of values in the matrix are 32 bits wide when there are at most so many values.
  std::int64_t most_values_with_32_bit_offsets = (std::int64_t{1} << 31) - 4096;

  /// Columns of CSR and small blocks are kept as 16-bit differences from their row where all fit.
  /// On an H200 products of CSR that stream from memory are 1.06 to 1.2 times as fast so, and none
  /// was slower by more than 2 %.
  bool narrow_columns = true;

  /// Matrix values of a long row that one warp takes, at most; longer rows are shared by several.
  int values_per_long_piece = 2048;

  /// Pieces are shorter where the whole matrix would not make so many for each multiprocessor, down
  /// to what a warp takes in one pass.
  int long_pieces_per_multiprocessor = 32;

  /// A persistent kernel has as many thread blocks as there are multiprocessors, less where a block
  /// would get fewer unknowns and fewer stored elements than these; each of as many threads as it
  /// has work for, at most 512.
  int persistent_unknowns_per_block = 150;
  int persistent_elements_per_block = 4000;

  /// No more thread blocks than this are one cluster, whose blocks reach each other's shared memory
  /// sooner than what all blocks share; at most 16, 0: never.
  int persistent_cluster_blocks = 16;

  /// Of the matrix values that do not fit in shared memory, a persistent kernel keeps as many in
  /// the L2 cache as this part of it can hold.
  double persistent_l2_share = 0.4;

  /// Iterations of one launch of a persistent kernel, at most.
  std::int64_t iterations_per_persistent_launch = std::int64_t{1} << 16;

  /// A persistent kernel is chosen automatically for matrices of at most so many bytes of values
  /// for each multiprocessor, if `persistent_is_faster`.
  std::int64_t persistent_bytes_per_multiprocessor = 1'400'000;

  /// How many times the L2 cache's size an iteration of a persistent kernel may move for each cube
  /// root of a byte that a lane reads of a row at a time: longer runs have more on the way.
  double persistent_l2_turnover = 0.33;

  /// Of layouts that are the paper's mappings, for which lanes and long rows do not matter.
  PaperThreads paper;

  /// How several GPUs exchange vectors. Those that do not reach each other's memory stage them.
  ExchangeMode exchange = ExchangeMode::automatic;

  /// Ranks by NCCL multiply what is theirs while a halo is on its way, and then what the halo is
  /// multiplied by, where a rank sends or receives so many bytes of a vector at least. Smaller
  /// halos are waited for: the second kernel takes longer, and a search direction's halo costs less
  /// with a sum.
  std::int64_t fewest_overlapped_bytes = std::int64_t{2} << 20;

  /// A run ends with an error when a GPU has waited so long for another one.
  double device_patience_seconds = 20;
  /// By NCCL, when a few iterations that are under way have taken so long.
  double nccl_patience_seconds = 120;
};

/// Lanes that share a stored row: about enough to take a row of mean length in one pass. In CSR a
/// lane loads two groups of four neighbouring elements at a time, from aligned positions, and uses
/// those that are the row's; in BCSR two blocks (N <= 3), one (N = 4), half of one (N = 6) or a
/// quarter (N = 8). For blocks of N = 2 and 3, 32 lanes mean that a warp takes up to 32 block rows
/// as one stream of blocks: so it is where the matrix is larger than the L2 cache of `l2_bytes`.
int spmv_lanes(const SegmentShape& segment, int block_size, int value_bytes, std::int64_t l2_bytes,
               const CudaPolicy& policy);

/// The launch of a persistent kernel.
struct PersistentLaunch {
  int blocks = 1;    ///< thread blocks, all resident at once
  int threads = 64;  ///< of a block
  int lanes = 1;     ///< that share a block row
};
/// At most 512 threads: that leaves each of them 128 registers.
PersistentLaunch persistent_launch(const SegmentShape& segment, int multiprocessors,
                                   const CudaPolicy& policy);

/// Whether a persistent kernel may take less time than a graph of single steps, by the size of the
/// matrix alone.
bool persistent_may_be_faster(const SegmentShape& segment, int value_bytes, int multiprocessors,
                              const CudaPolicy& policy);

/// Whether it is expected to, for a system of which an iteration moves so many bytes between shared
/// memory and the rest of the GPU. The persistent kernel has fewer loads on the way than a graph's,
/// so that it loses where most of what it moves comes from device memory. Fitted to grids, finite
/// elements and random matrices on an H200.
bool persistent_is_faster(const SegmentShape& segment, int value_bytes, int lanes,
                          double moved_bytes, std::int64_t l2_bytes, const CudaPolicy& policy);

/// Whether positions of so many stored values are kept in 32 bits.
bool has_short_offsets(std::int64_t values, const CudaPolicy& policy);

/// Whether there are kernels for columns in 16 bits: where an index is a large part of a block.
constexpr bool has_narrow_kernels(int block_size) {
  return block_size <= 3;
}

/// Whether block columns are kept in 16 bits if all lie near enough (`column_base`).
bool may_narrow_columns(const Layout& layout, const CudaPolicy& policy);

}  // namespace sparsecast
