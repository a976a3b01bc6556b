#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/cuda_results.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A matrix as given, or renumbered.
template <class T>
struct OrderedMatrix {
  std::string order;  ///< "given", or of `Renumbering`
  CsrView<T> matrix;
};

/// Bytes per second at which a GPU reads vectors far larger than its caches: each way that was
/// tried.
template <class T>
void measure_streams(const GpuDevice& gpu, GpuResults& results);

/// Our product in every layout that may pay, against all of cuSPARSE's: CSR (ALG1, ALG2), COO (both
/// algorithms), sliced ELL, and BSR and bsrmv in blocks that move at most 1.1 times the bytes of
/// CSR; in each of these orders, the first as given. Those that cannot store the matrix are left
/// out with a word on standard error, wrong products with a line in `failures`. Throws `Error`
/// where one side has none.
template <class T>
SpmvResult race_products(const MeasuredCase& about, std::span<const OrderedMatrix<T>> orders,
                         const GpuDevice& gpu, std::vector<std::string>& failures);

}  // namespace sparsecast
