#pragma once

#include <vector>

#include "core/analysis/counted/segment_counts.hpp"
#include "core/analysis/estimated_access.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/persistent_needs.hpp"
#include "core/workload/segment_work.hpp"
#include "model/traffic/traffic_case.hpp"
#include "predict/forecast/traffic/estimated_exchange.hpp"

/// @file
/// What the traffic model prices, of a matrix that is at hand, and of one that is not.

namespace sparsecast {

/// A matrix in a layout as the CUDA back end would keep and multiply it, with values of a
/// precision, without a kernel for all iterations. Throws `Error` for a layout without kernels.
TrafficCase traffic_case(const CsrView<double>& matrix, const MatrixFeatures& features,
                         const MatrixAccess& access, const Layout& layout, Precision precision,
                         const GpuShape& gpu);

/// The same of a matrix of which only these numbers are known. Throws `Error` for numbers that no
/// matrix has.
TrafficCase estimated_traffic_case(const MatrixNumbers& numbers, const Layout& layout,
                                   Precision precision, const GpuShape& gpu);

/// What a kernel for all iterations does with it, of a solver that keeps so much.
PersistentExecution estimated_persistent(const MatrixNumbers& numbers, const Layout& layout,
                                         Precision precision, const GpuShape& gpu,
                                         const PersistentNeeds& needs);

/// The same on a CPU of at most so many threads, of which the back end uses as many as the size is
/// worth.
TrafficCase cpu_traffic_case(const MatrixFeatures& features, const MatrixAccess& access,
                             const Layout& layout, Precision precision, int threads);
TrafficCase estimated_cpu_traffic_case(const MatrixNumbers& numbers, const Layout& layout,
                                       Precision precision, int threads);
/// Of a shape and pattern that were counted before.
TrafficCase cpu_traffic_case(const Layout& layout, const SegmentShape& shape,
                             const AccessPattern& pattern, int threads);

/// What each of several CPUs does with a square matrix, cut as for GPUs, whose halos ranks
/// exchange. Columns must rise within rows. O(nonzeros).
std::vector<SegmentWork> cpu_segments(const CsrView<double>& matrix, const Layout& layout,
                                      int devices, Precision precision);
/// The same of a segment that was counted before.
SegmentWork cpu_segment(const SegmentCounts& counts, const Layout& layout, Precision precision);

/// The same cut evenly into segments of several GPUs, of which all look up as much as the one that
/// looks up most; in neighbours on both sides, as far as there are such devices.
std::vector<SegmentWork> estimated_segments(const MatrixNumbers& numbers, const Layout& layout,
                                            int devices, Precision precision, const GpuShape& gpu,
                                            ExchangeMode mode, Parts parts = Parts::consecutive);
/// The same of several CPUs, which exchange halos.
std::vector<SegmentWork> estimated_cpu_segments(const MatrixNumbers& numbers, const Layout& layout,
                                                int devices, Precision precision,
                                                Parts parts = Parts::consecutive);

}  // namespace sparsecast
