#pragma once

#include "bench/cuda_results.hpp"
#include "core/cuda/device/gpu_devices.hpp"

namespace sparsecast {

/// Bytes per second at which a GPU reads vectors far larger than its caches: each way that was
/// tried, and the best.
template <class T>
void measure_streams(const GpuDevice& gpu, GpuResults& results);

/// Our product in every layout that does not move many more bytes than CSR against cuSPARSE's in
/// CSR (ALG1, ALG2) and in the same blocks (BSR, bsrmv). Throws `Error` when a product is wrong.
template <class T>
SpmvResult race_products(const MeasuredCase& about, const CsrView<T>& matrix, const GpuDevice& gpu);

}  // namespace sparsecast
