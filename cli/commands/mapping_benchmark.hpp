#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/matrix_source.hpp"
#include "core/base/precision.hpp"
#include "core/formats/paper/paper_spmv.hpp"

/// @file
/// The paper's SpMV mappings with each optimisation alone, beside our default kernels, on one GPU:
/// what its Figures 2 and 9 show.

namespace sparsecast::cli {

/// A measured product of one kernel on one matrix.
struct MappingSample {
  std::string device;
  std::string matrix;
  std::int64_t unknowns = 0;
  std::int64_t nonzeros = 0;
  Precision precision = Precision::f32;
  std::string kernel;  ///< "paper", "default" (ours), or a cuSPARSE algorithm
  int block_size = 1;
  std::string mapping;         ///< of the paper's; empty for others, as the next
  std::string storage;         ///< "plain", "padded", "reordered"
  std::string row_order;       ///< "natural", "sorted"
  int threads_per_block = 0;   ///< T; 0 for others than the paper's
  int blocks_at_once = 0;      ///< Bx; likewise
  double block_elements = 0;   ///< e: nonzeros and zeros in blocks
  double stored_elements = 0;  ///< and padding
  double bytes = 0;            ///< that a product reads and writes, each array once
  std::string cache;           ///< "hot", "mixed", "cold": `cache_state`
  double seconds = 0;          ///< median
  double relative_spread = 0;  ///< interquartile range over median

  /// Counts all block elements, but no padding.
  double raw_flops() const { return 2 * block_elements / seconds; }
  /// Counts nonzeros only.
  double effective_flops() const { return 2 * static_cast<double>(nonzeros) / seconds; }
};

/// Products run back to back over the same memory: "hot" when it takes less than 0.8 of the
/// last-level cache, "cold" when more than twice of it, "mixed" between.
std::string_view cache_state(double bytes, double cache_bytes);

/// Generated matrices in the place of Table 4's: dense, dense blocks, finite elements, grids, a
/// band, random and power-law rows; and one that no cache holds.
std::vector<MatrixSource> mapping_matrices();

/// Measures all mappings and optimisations for N = 1, 2, 4 and 8, our default kernels in every
/// layout, and cuSPARSE's CSR where it is installed, on GPU `device`. `progress(fraction, what)`
/// hears of every measurement and says whether to go on. A case that does not fit in the GPU's
/// memory is left out with a call of `left_out`. Throws `Error` without such a GPU.
std::vector<MappingSample> measure_mappings(
    int device, Precision precision, std::span<const MatrixSource> sources,
    const std::function<bool(double, const std::string&)>& progress,
    const std::function<void(const std::string&)>& left_out);

/// One line a sample under a header line, and back. `parse_mapping_csv` throws `Error` that names
/// `name` and the line.
std::string mappings_to_csv(std::span<const MappingSample> samples);
std::vector<MappingSample> parse_mapping_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast::cli
