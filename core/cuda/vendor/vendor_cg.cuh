#pragma once

#include <memory>

#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/workload/cuda_policy.hpp"

namespace sparsecast::cuda {

/// Whether a schedule is made of the libraries' kernels, so that `prepare_vendor_cg` is to run it.
bool is_vendor_cg(const Schedule& schedule);

/// `vendor_cg_schedule()` on a GPU or a part of one, in CSR with 32-bit indices. The product is the
/// faster of cuSPARSE's two CSR algorithms, which is found out by a short measurement, prepared
/// with `cusparseSpMV_preprocess`.
///
/// `LaunchMode::host`: as most users write it. Scalars are on the host, which waits for each of the
/// three dot products; every check is made when its step comes.
///
/// `graph` (also `automatic`) and `plain`: as a good user writes it. Scalars are on the device (in
/// the precision of the vectors), tiny kernels compute with them between the libraries' own, and a
/// graph holds `CudaPolicy::iterations_per_graph` iterations. r.r is computed and looked at only
/// between batches of `iterations_between_polls` iterations, of which one is under way meanwhile,
/// so that a run that converges reports a multiple of the batch. Other checks make the step widths
/// 0 at once, and are reported at the end of the batch too.
///
/// Throws `Error` for other layouts, for `persistent`, for a matrix that is not square or has more
/// than 2^31 - 1 nonzeros, without cuSPARSE or cuBLAS, and when memory does not suffice.
template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vendor_cg(const GpuPart& device,
                                                       const CudaPolicy& policy,
                                                       const Schedule& schedule,
                                                       const CsrView<T>& matrix,
                                                       const Layout& layout);

/// The same for kernels of the libraries on vectors alone, of this many unknowns. Throws `Error`
/// for a schedule with a product.
template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vendor_vectors(const GpuPart& device,
                                                            const CudaPolicy& policy,
                                                            const Schedule& schedule,
                                                            std::int64_t unknowns);

}  // namespace sparsecast::cuda
