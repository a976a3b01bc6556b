#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/cuda/compile/program_text.cuh"
#include "core/schedule/schedule.hpp"

namespace sparsecast::cuda {

/// The kernel of a pass and what follows it, as text, and in which order it gets what the text does
/// not say. Of a step without a pass: of the operations alone.
struct PassText {
  /// A vector that is multiplied by factor * scalar (-1: none).
  struct Coefficient {
    double factor = 1;
    ScalarSlot scalar = -1;
  };
  struct Block {
    std::vector<int> operands;              ///< places in `Step::vectors`
    std::vector<Coefficient> coefficients;  ///< of terms; of dot products none
  };
  std::string text;  ///< whole source, with a kernel named `pass_entry`
  std::vector<int> operands;
  std::vector<Coefficient> coefficients;
  std::vector<Block> blocks;
  std::vector<std::size_t> sums;  ///< places in `Step::sums`: those of blocks last
  ProgramText program;
};

inline constexpr const char* pass_entry = "sparsecast_pass";

/// Where a pass runs.
struct PassSetting {
  bool several = false;  ///< sums go over several devices
  int sent = -1;         ///< place in `Step::vectors` of what it sends to others; -1: nothing
  bool streams = false;  ///< its vectors come from memory each time
};

PassText pass_text(const Step& step, Precision precision,
                   std::span<const ControlOperation> operations, const PassSetting& setting);

}  // namespace sparsecast::cuda
