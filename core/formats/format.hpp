#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/product_part.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What the house knows of a storage format. One folder a format, which has
/// - `Format`: its layouts, sizes from numbers alone, weights of rows; in its own `NAME.cpp`;
/// - `CpuFormat` (`core/cpu/cpu_matrix.hpp`): conversion and products on the CPU, in `cpu.cpp`;
/// - `CudaFormat` (`core/cuda/formats/device_matrix.cuh`): the same on a GPU, in `cuda.cu`.
/// A format without the second is one of GPUs only. The list of all is `core/formats/formats.def`:
/// a new format is a folder and a line there.

namespace sparsecast {

/// Numbers of a pattern, or of the rows of a segment, from which the sizes of all layouts follow.
struct PatternNumbers {
  double rows = 0;
  double columns = 0;
  double nonzeros = 0;
  /// Non-empty N x N blocks, in the order of `block_sizes`.
  std::array<double, block_sizes.size()> blocks{};
  /// What a format counts itself (`Format::count`), by name.
  std::map<std::string, double> counts;

  /// Those of N x N, nonzeros for N = 1. Throws like `block_layout`.
  double blocks_of(int block_size) const;
};

struct Format {
  std::string_view name;  ///< "csr", "dia"

  /// Its layouts that have kernels, in the order of tables.
  std::vector<Layout> (*layouts)() = nullptr;

  /// Those of its layouts that are looked at where nobody asks for one by name, if it may pay;
  /// null: all in natural order.
  std::vector<Layout> (*usual_layouts)() = nullptr;

  /// Counts of a segment's rows that the shape in a layout needs beside rows, nonzeros and blocks,
  /// by name; those of several layouts go into one map. In O(nonzeros), on `threads` threads (0:
  /// all). `policy` is that of the GPU which is to store it,
  /// the default one elsewhere. Null: none.
  std::map<std::string, double> (*count)(const PatternView& matrix, const Segment& segment,
                                         const Layout& layout, int threads,
                                         const CudaPolicy& policy) = nullptr;

  /// The size of a segment in a layout, padding included. Throws `Error` that says so where
  /// `numbers` lacks what the format counts.
  SegmentShape (*shape)(const PatternNumbers& numbers, const Layout& layout) = nullptr;

  /// Whether a layout could be the fastest for such a pattern, so that forecasts and validations
  /// look at it unasked. False where `numbers` lacks what the format counts. Null: none of the
  /// format's layouts, which are for comparisons, for whoever asks for them by name.
  bool (*may_pay)(const PatternNumbers& numbers, const Layout& layout) = nullptr;

  /// Why no back end stores a segment so, in a sentence that says what to use instead; empty where
  /// they do. Throws like `shape`. Null: they always do.
  std::string (*refusal)(const PatternNumbers& numbers, const Layout& layout) = nullptr;

  /// What is stored of a segment of this size as a pattern, where rows are not stored as they are
  /// in the matrix: their lengths in place of those of the matrix's rows. Null: they are.
  AccessPattern (*pattern)(const AccessPattern& of_matrix, const SegmentShape& shape) = nullptr;

  /// Stored elements before each group of `layout.block_size` rows, and before the end. Columns
  /// must rise within rows.
  Buffer<std::int64_t> (*weights)(const PatternView& matrix, const Layout& layout) = nullptr;

  /// Raised when features files of before no longer say what forecasts need: what the format counts
  /// itself, or what its kernels do with a pattern, has changed. They then leave the format out.
  int features_version = 1;

  /// Whether products give the same bits every time.
  bool repeats_bits = true;

  /// Whether GPUs keep columns in 16 bits where `may_narrow_columns` says so.
  bool narrows_columns = false;

  /// Whether there is a persistent kernel for its layouts, which stores their matrices in blocks of
  /// `persistent_block_size` (`core/analysis/persistent_cut.hpp`).
  bool has_persistent_kernel = false;

  /// How our GPU kernels multiply a segment of this size, without long rows. Null, as the
  /// two below: nobody forecasts the format's products.
  SpmvExecution (*execution)(const SegmentShape& shape, const Layout& layout, Precision precision,
                             const GpuShape& gpu, const CudaPolicy& policy) = nullptr;
  ProductGeometry (*geometry)(const Layout& layout, Precision precision,
                              const SpmvExecution& execution) = nullptr;
  /// What warps load of the multiplied vector, counted on the rows of a segment, if `warp_loads`
  /// is an estimate; on `threads` threads (0: all). Null: it is not.
  WarpLoads (*count_loads)(const PatternView& matrix, const Segment& segment, const Layout& layout,
                           Precision precision, const SpmvExecution& execution,
                           int threads) = nullptr;
  /// The same from numbers. Null, as for kernels that deal rows out as those of CSR and BCSR do:
  /// `core/analysis/warp_loads.hpp` counts and estimates them.
  WarpLoads (*warp_loads)(const SegmentShape& shape, const AccessPattern& pattern,
                          Precision precision, const SpmvExecution& execution) = nullptr;
  /// The kernels of a product that takes several, in their order, with loads that add up to those
  /// of `execution`. Null: one does it all.
  std::vector<ProductPart> (*parts)(const SegmentShape& shape, const AccessPattern& pattern,
                                    const Layout& layout, Precision precision,
                                    const SpmvExecution& execution) = nullptr;
};

}  // namespace sparsecast
