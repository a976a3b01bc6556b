#include "core/cpu/instruction_sets.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/compiled_kernels.hpp"

namespace sparsecast {
namespace {

/// Kernels that this build has and this processor can run, best last.
template <class T>
std::vector<const CpuKernels<T>*> runnable_kernels() {
  const auto pick = [](const CpuKernels<float>* f32, const CpuKernels<double>* f64) {
    if constexpr (std::is_same_v<T, float>) {
      return f32;
    } else {
      return f64;
    }
  };
  std::vector<const CpuKernels<T>*> all{pick(baseline_kernels_f32, baseline_kernels_f64)};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const auto* avx2 = pick(avx2_kernels_f32, avx2_kernels_f64);
  if (avx2 != nullptr && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    all.push_back(avx2);
    const auto* avx512 = pick(avx512_kernels_f32, avx512_kernels_f64);
    if (avx512 != nullptr && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw")) {
      all.push_back(avx512);
    }
  }
#endif
  return all;
}

}  // namespace

std::span<const std::string_view> instruction_sets() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> found;
    for (const auto* kernels : runnable_kernels<double>()) {
      found.emplace_back(kernels->instruction_set);
    }
    return found;
  }();
  return names;
}

template <class T>
const CpuKernels<T>& cpu_kernels() {
  static const CpuKernels<T>& best = *runnable_kernels<T>().back();
  return best;
}

template <class T>
const CpuKernels<T>& cpu_kernels(std::string_view instruction_set) {
  for (const CpuKernels<T>* kernels : runnable_kernels<T>()) {
    if (instruction_set == kernels->instruction_set) return *kernels;
  }
  std::string known;
  for (const std::string_view name : instruction_sets()) {
    if (!known.empty()) known += ", ";
    known += name;
  }
  throw Error("no kernels for instruction set '" + std::string(instruction_set) +
              "' on this processor; expected " + known);
}

template const CpuKernels<float>& cpu_kernels();
template const CpuKernels<double>& cpu_kernels();
template const CpuKernels<float>& cpu_kernels(std::string_view);
template const CpuKernels<double>& cpu_kernels(std::string_view);

}  // namespace sparsecast
