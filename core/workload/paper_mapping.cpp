#include "core/workload/paper_mapping.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

constexpr int warp_threads = 32;

bool is_power_of_two(int number) {
  return number > 0 && std::has_single_bit(static_cast<unsigned>(number));
}

}  // namespace

std::string_view to_string(PaperMapping mapping) {
  switch (mapping) {
    case PaperMapping::block_row:
      return "block-row";
    case PaperMapping::warp:
      return "warp";
    default:
      return "multiple-block-rows";
  }
}

std::string_view to_string(PaperStorage storage) {
  switch (storage) {
    case PaperStorage::plain:
      return "plain";
    case PaperStorage::padded:
      return "padded";
    default:
      return "reordered";
  }
}

PaperGeometry paper_geometry(const PaperSpmv& choice, int block_size) {
  if (!is_power_of_two(block_size) || block_size > 8) {
    throw Error("the paper's SpMV has no " + std::to_string(block_size) + " x " +
                std::to_string(block_size) + " blocks; use block size 1, 2, 4 or 8");
  }
  const int threads = choice.threads_per_block;
  if (!is_power_of_two(threads) || threads < warp_threads || threads > 1024) {
    throw Error("the paper's SpMV with " + std::to_string(threads) +
                " threads per block; expected a power of two from 32 to 1024");
  }
  const int values = block_size * block_size;
  PaperGeometry geometry;
  geometry.threads_per_block = threads;
  switch (choice.mapping) {
    case PaperMapping::block_row:
      geometry.threads_per_block_row = threads;
      break;
    case PaperMapping::warp:
      geometry.threads_per_block_row = warp_threads;
      break;
    case PaperMapping::multiple_block_rows:
      if (!is_power_of_two(choice.blocks_at_once) || choice.blocks_at_once > threads / values) {
        throw Error("the paper's SpMV with Bx = " + std::to_string(choice.blocks_at_once) +
                    "; expected a power of two, at most " + std::to_string(threads / values) +
                    " for block size " + std::to_string(block_size) + " and " +
                    std::to_string(threads) + " threads per block");
      }
      geometry.threads_per_block_row = choice.blocks_at_once * values;
      break;
  }
  geometry.blocks_at_once = std::max(1, geometry.threads_per_block_row / values);
  geometry.steps_per_block = std::max(1, values / geometry.threads_per_block_row);
  geometry.block_rows = threads / geometry.threads_per_block_row;
  return geometry;
}

bool has_paper_geometry(const PaperSpmv& choice, int block_size) {
  try {
    paper_geometry(choice, block_size);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace sparsecast
