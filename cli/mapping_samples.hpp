#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"

/// @file
/// What a benchmark of the paper's SpMV mappings measured, and its file.

namespace sparsecast::cli {

/// A measured product of one kernel on one matrix.
struct MappingSample {
  std::string device;
  std::string matrix;
  std::int64_t unknowns = 0;
  std::int64_t nonzeros = 0;
  Precision precision = Precision::f32;
  /// "paper"; "default": ours in CSR and blocks; the layout of another format of ours; or a
  /// cuSPARSE algorithm.
  std::string kernel;
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

/// One line a sample under a header line, and back. `parse_mapping_csv` throws `Error` that names
/// `name` and the line.
std::string mappings_to_csv(std::span<const MappingSample> samples);
std::vector<MappingSample> parse_mapping_csv(std::string_view text, const std::string& name);

}  // namespace sparsecast::cli
