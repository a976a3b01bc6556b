#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/engine/kernel_table.hpp"
#include "core/schedule/carried_exchange.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast::cuda {

/// Whether the device has a kernel to run for the step.
inline bool is_kernel(const Step& step) {
  return step.kind == StepKind::kernel || step.kind == StepKind::reduce;
}

/// How a kernel or reduce step uses its vectors. Throws `Error` that lists the known kernels if
/// CUDA has none of this name.
inline const KernelSignature& kernel_signature(const Step& step) {
  return find_kernel(step, "CUDA");
}

/// Whether the step's scalar is a sum that is known when a run is over (LoadFixed, for example).
inline bool sums_at_end(const Step& step) {
  return step.kind == StepKind::kernel && kernel_signature(step).sums_at_end;
}

/// One list of steps (setup, iteration or finish).
struct CheckedSteps {
  std::span<const Step> steps;
  std::vector<std::vector<Access>> accesses;  ///< per step and vector
};

/// A schedule that CUDA can run on a matrix of this size, and what is the same on all its devices.
template <class T>
class CheckedSchedule {
 public:
  /// Looks every step up, so that a schedule that cannot run is refused (`Error`) before anything
  /// is done. `overlaps`: exchanges by NCCL overlap with products, so that no sums carry them.
  CheckedSchedule(const Schedule& schedule, const Layout& layout, const CudaPolicy& policy,
                  std::int64_t rows, std::int64_t columns, bool has_matrix, bool overlaps = false);
  // The lists of steps lie within.
  CheckedSchedule(const CheckedSchedule&) = delete;
  CheckedSchedule& operator=(const CheckedSchedule&) = delete;

  const Schedule& schedule() const { return schedule_; }
  const Layout& layout() const { return layout_; }
  const CudaPolicy& policy() const { return policy_; }
  const CheckedSteps& setup() const { return setup_; }
  const CheckedSteps& iteration() const { return iteration_; }
  const CheckedSteps& finish() const { return finish_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  bool uses_matrix() const { return uses_matrix_; }
  /// Whether exchanges of ranks overlap with products.
  bool overlaps() const { return overlaps_; }
  /// Whether passes of an iteration are compiled where NVRTC is there.
  bool compiles_passes() const;

  /// Exchanges of the iteration that NCCL makes with sums: their halos are made by the rank.
  std::span<const CarriedExchange> carried_exchanges() const { return carried_; }

  int vector_count() const { return static_cast<int>(schedule_.vectors.size()); }
  bool is_full(VectorSlot slot) const {
    return schedule_.vectors[static_cast<std::size_t>(slot)].scope == VectorScope::full;
  }
  /// Throws `Error` unless a whole vector has so many values.
  void require_size(VectorSlot slot, std::size_t size) const;

 private:
  void carry_exchanges();
  void require_sizes() const;
  CheckedSteps look_up(std::span<const Step> steps);
  void require_square_where_needed() const;
  void require_whole_schedule_kernel() const;

  Schedule schedule_;
  const Layout layout_;
  const CudaPolicy policy_;
  const std::int64_t rows_;
  const std::int64_t columns_;
  const bool overlaps_;
  std::vector<CarriedExchange> carried_;
  bool uses_matrix_ = false;
  CheckedSteps setup_;
  CheckedSteps iteration_;
  CheckedSteps finish_;
};

}  // namespace sparsecast::cuda
