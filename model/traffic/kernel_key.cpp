#include "model/traffic/kernel_key.hpp"

#include <algorithm>
#include <vector>

#include "core/schedule/diagonal_blocks.hpp"
#include "core/workload/streamed_vectors.hpp"
#include "model/step_kinds.hpp"
#include "model/traffic/traffic_parameters.hpp"

namespace sparsecast {
namespace {

/// Steps of the libraries, and the one of its solver that is a kernel of ours whose threads take
/// one row each.
constexpr std::string_view library_prefix = "cublas";
constexpr std::string_view row_by_row_step = "VendorMultiply";

/// The step of fused CG that sums nothing.
constexpr std::string_view direction_step = "CGDirection";

}  // namespace

std::string_view kernel_key(const Step& step) {
  if (step.name == row_by_row_step) return library_row_kind;
  if (step.name.starts_with(library_prefix)) return library_kind;
  if (multiplies_by_blocks(step)) return pass_kind;
  if (!step.pass) return vector_kind;
  const std::vector<PassBlock> blocks = blocks_of(step);
  if (blocks.empty()) return pass_kind;
  return std::ranges::any_of(blocks, &PassBlock::of_dots) ? dots_kind : terms_kind;
}

bool takes_grid_strides(const Step& step, double rows, Precision precision, const GpuShape& gpu) {
  const std::string_view key = kernel_key(step);
  if (key == library_kind || key == library_row_kind) return false;
  if (sums(step)) return true;
  const bool by_blocks = multiplies_by_blocks(step);
  if (!step.pass && !by_blocks && step.name != direction_step) return false;
  const double values = rows * (by_blocks ? block_rows_of(step) : 1);
  return !comes_from_memory(values * static_cast<double>(bytes_per_value(precision)), gpu.l2_bytes);
}

}  // namespace sparsecast
