#include "calibrate/measure/counted_executions.hpp"

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/cuda/cuda_backend.hpp"

namespace sparsecast {

CountedExecutions::Key CountedExecutions::key_of(const Case& one) {
  return {to_string(one.layout), one.precision, one.with_persistent};
}

template <class T>
void CountedExecutions::count(const Case& one, const CsrView<T>& matrix,
                              const MatrixFeatures& features, const MatrixAccess& access,
                              const GpuShape& gpu, int threads) {
  const auto [place, added] = executions_.try_emplace(key_of(one));
  if (!added) return;
  try {
    const CudaPolicy policy;
    std::optional<PersistentNeeds> needs;
    if (one.with_persistent) needs.emplace();
    place->second.execution =
        gpu_execution(matrix, access, cuda_shape(matrix, features, access, one.layout, policy),
                      one.layout, one.precision, gpu, policy, needs, threads);
  } catch (...) {
    place->second.failure = std::current_exception();
  }
}

template void CountedExecutions::count(const Case&, const CsrView<float>&, const MatrixFeatures&,
                                       const MatrixAccess&, const GpuShape&, int);
template void CountedExecutions::count(const Case&, const CsrView<double>&, const MatrixFeatures&,
                                       const MatrixAccess&, const GpuShape&, int);

const GpuExecution& CountedExecutions::at(const Case& one) const {
  const Counted& counted = executions_.at(key_of(one));
  if (counted.failure) std::rethrow_exception(counted.failure);
  return counted.execution;
}

}  // namespace sparsecast
