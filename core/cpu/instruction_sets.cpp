#include "core/cpu/instruction_sets.hpp"

#include <vector>

namespace sparsecast {

std::span<const std::string_view> instruction_sets() {
  static const std::vector<std::string_view> names = [] {
#if defined(__x86_64__)
    std::vector<std::string_view> found{"x86-64"};
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      found.emplace_back("avx2");
      if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        found.emplace_back("avx512");
      }
    }
    return found;
#else
    return std::vector<std::string_view>{"baseline"};
#endif
  }();
  return names;
}

}  // namespace sparsecast
