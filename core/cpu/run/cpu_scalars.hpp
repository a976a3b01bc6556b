#pragma once

#include <span>

#include "core/base/buffer.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The scalars of a schedule: a copy for each thread, all of which compute alike. Slots and threads
/// are not checked.
class CpuScalars {
 public:
  /// With their initial values.
  CpuScalars(std::span<const ScalarDeclaration> scalars, int threads);

  /// The values of all slots.
  std::span<double> of(int thread);
  std::span<const double> of(int thread) const;

  /// Sets a slot for all threads.
  void set(ScalarSlot slot, double value);

 private:
  std::size_t count_;
  std::size_t stride_;  ///< from one thread's to the next
  int threads_;
  Buffer<double> values_;
};

}  // namespace sparsecast
