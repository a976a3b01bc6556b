#include "core/cpu/instruction_sets.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {

namespace {

std::vector<std::string_view>& names_in_use() {
  static std::vector<std::string_view> names = [] {
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

}  // namespace

std::span<const std::string_view> instruction_sets() {
  return names_in_use();
}

void limit_instruction_sets(std::string_view best) {
  std::vector<std::string_view>& names = names_in_use();
  if (best == "baseline") {
    names.resize(1);
    return;
  }
  if (best != "avx2" && best != "avx512") {
    throw Error("instruction set '" + std::string(best) + "'; expected baseline, avx2 or avx512");
  }
  const auto found = std::ranges::find(names, best);
  if (found == names.end()) {
    throw Error("instruction set " + std::string(best) + ": this processor has at most " +
                std::string(names.back()));
  }
  names.erase(found + 1, names.end());
}

}  // namespace sparsecast
