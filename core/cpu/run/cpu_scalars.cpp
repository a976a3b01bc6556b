#include "core/cpu/run/cpu_scalars.hpp"

#include "core/base/round_up.hpp"
#include "core/cpu/run/cache_line.hpp"

namespace sparsecast {

CpuScalars::CpuScalars(std::span<const ScalarDeclaration> scalars, int threads)
    : count_(scalars.size()),
      stride_(static_cast<std::size_t>(round_up(std::ssize(scalars) + 1, values_per_line<double>))),
      threads_(threads) {
  values_.assign(stride_ * static_cast<std::size_t>(threads), 0);
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    set(static_cast<ScalarSlot>(i), scalars[i].initial);
  }
}

std::span<double> CpuScalars::of(int thread) {
  return {values_.data() + stride_ * static_cast<std::size_t>(thread), count_};
}

std::span<const double> CpuScalars::of(int thread) const {
  return {values_.data() + stride_ * static_cast<std::size_t>(thread), count_};
}

void CpuScalars::set(ScalarSlot slot, double value) {
  for (int thread = 0; thread < threads_; ++thread) {
    of(thread)[static_cast<std::size_t>(slot)] = value;
  }
}

}  // namespace sparsecast
