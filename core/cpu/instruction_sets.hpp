#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

/// @file
/// Functions that are compiled once per instruction set and chosen at run time, so that a default
/// build is fast on the processor it meets and runs on any x86-64.

namespace sparsecast {

/// "x86-64", and the instruction sets beyond it that the processor has: "avx2", "avx512"; best
/// last. "baseline" on other processors.
std::span<const std::string_view> instruction_sets();

/// Leaves out of `instruction_sets` what is beyond this one: "baseline", "avx2" or "avx512".
/// Kernels are chosen once, so it comes before anything is prepared on the CPU. Throws `Error` for
/// one that the processor lacks, and for other names.
void limit_instruction_sets(std::string_view best);

/// Tables of functions in the order of `instruction_sets`, null where the build has none; the first
/// is always there. They are constants, so that asking for one runs no code of an instruction set
/// that the processor may lack.
template <class Functions>
using PerInstructionSet = std::array<const Functions*, 3>;

/// The best that processor and build have.
template <class Functions>
const Functions& best_of(const PerInstructionSet<Functions>& compiled) {
  std::size_t best = instruction_sets().size() - 1;
  while (compiled[best] == nullptr) --best;
  return *compiled[best];
}

}  // namespace sparsecast
