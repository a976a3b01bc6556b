#pragma once

#include <span>
#include <string_view>

#include "core/cpu/cpu_kernels.hpp"

namespace sparsecast {

/// The best kernels that this processor can run.
template <class T>
const CpuKernels<T>& cpu_kernels();

/// "x86-64", and the instruction sets beyond it that build and processor have; best last.
std::span<const std::string_view> instruction_sets();

/// The kernels of a named instruction set. Throws `Error` if the processor or the build has none.
template <class T>
const CpuKernels<T>& cpu_kernels(std::string_view instruction_set);

}  // namespace sparsecast
