#pragma once

#include <exception>
#include <map>
#include <string>
#include <tuple>

#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// What a GPU's kernels do with one matrix, counted once for all measurements that it is part of.
class CountedExecutions {
 public:
  /// What it depends on beside matrix and GPU.
  struct Case {
    Layout layout;
    Precision precision = Precision::f64;
    bool with_persistent = false;  ///< as `gpu_execution`
  };

  /// Counts this case unless it is counted already, on `threads` threads (0: all). Throws nothing:
  /// `at` does.
  template <class T>
  void count(const Case& one, const CsrView<T>& matrix, const MatrixFeatures& features,
             const MatrixAccess& access, const GpuShape& gpu, int threads);

  /// Of a case that was counted. Throws what its counting threw.
  const GpuExecution& at(const Case& one) const;

 private:
  using Key = std::tuple<std::string, Precision, bool>;
  static Key key_of(const Case& one);

  struct Counted {
    GpuExecution execution;
    std::exception_ptr failure;
  };
  std::map<Key, Counted> executions_;
};

}  // namespace sparsecast
