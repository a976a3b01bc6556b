#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/workload/cuda_policy.hpp"

namespace sparsecast {

namespace cuda {
class NcclGroup;
}

/// One GPU, or several of one host that run schedules together. Knows the kernels that the CPU
/// knows (`core/cpu/cpu_backend.hpp`), by the same names and with the same operands.
///
/// Scalars live on the device. A reduction sums in double in a fixed order, so that the same input
/// gives the same bits in every run and launch mode; its last block carries out the scalar
/// arithmetic and the checks that follow it. A check that ends the run closes a gate in front of
/// every later kernel: vectors and scalars stay as they were at that step, however late the host
/// looks.
///
/// `LoadFixed` uses a grid of fixed size, `LoadVariable` one that grows with the vectors (Figure
/// 5).
///
/// Values of blocks are stored interleaved: part k of 32 neighbouring blocks lies together, so that
/// neighbouring lanes load neighbouring memory (the block reordering of section 3.4).
///
/// Several GPUs own a segment each, which begins at a multiple of `gpu_row_alignment` rows,
/// and have a host thread each. Their kernels add up sums over all of them, always in the same
/// order, and store each other's parts of vectors, without the host (`ExchangeMode`). What goes
/// wrong on one ends the run on all: `Error` names the GPU, and a prepared schedule that has been
/// stopped so runs no more. Launch modes plain and graph; automatic is graph there. In launch mode
/// host, as in the paper, sums and vectors go through host memory, where the host threads meet.
class CudaBackend final : public Backend {
 public:
  /// Throws `Error` that says what there is when there is no such GPU or part of one.
  explicit CudaBackend(const GpuPart& device, const CudaPolicy& policy = {});
  /// At least one and at most 8, in the order of their segments. One that is named twice is two
  /// devices: for tests of small systems, as what one waits for must have room beside it.
  explicit CudaBackend(const std::vector<GpuPart>& devices, const CudaPolicy& policy = {});
  /// This rank's GPU, for its part of a system, whose own rows begin at a multiple of
  /// `gpu_row_alignment` (`RankMatrixOptions`). Where the ranks are at most 8 on one host whose
  /// GPUs reach each other's memory, kernels exchange halos and sums as those of one process do
  /// (`ExchangeMode::halo`); elsewhere NCCL does (`nccl`), where it is installed and each rank has
  /// a GPU of its own. Else the hosts do, where the launch mode is automatic or host, through their
  /// memory (`staged`) or, only where it is asked for, by GPU-aware MPI (`gpu_aware`). Graph, the
  /// policy's own, and plain need one of the others. Schedules are prepared and run by all ranks
  /// together. Not persistent, and of ours only. Throws `Error`, the same on all ranks.
  /// `part` stays where it is.
  CudaBackend(const RankPart& part, const GpuPart& device, const CudaPolicy& policy = {});
  ~CudaBackend() override;

  int device_count() const override;
  std::string description() const override;
  std::unique_ptr<PreparedSchedule<float>> prepare(const Schedule& schedule,
                                                   const CsrView<float>& matrix,
                                                   const Layout& layout) override;
  std::unique_ptr<PreparedSchedule<double>> prepare(const Schedule& schedule,
                                                    const CsrView<double>& matrix,
                                                    const Layout& layout) override;
  /// One GPU shares with a schedule of our kernels.
  std::unique_ptr<PreparedSchedule<float>> prepare_beside(const PreparedSchedule<float>& other,
                                                          const Schedule& schedule,
                                                          const CsrView<float>& matrix,
                                                          const Layout& layout) override;
  std::unique_ptr<PreparedSchedule<double>> prepare_beside(const PreparedSchedule<double>& other,
                                                           const Schedule& schedule,
                                                           const CsrView<double>& matrix,
                                                           const Layout& layout) override;
  std::unique_ptr<PreparedSchedule<float>> prepare_vectors_f32(const Schedule& schedule,
                                                               std::int64_t unknowns) override;
  std::unique_ptr<PreparedSchedule<double>> prepare_vectors_f64(const Schedule& schedule,
                                                                std::int64_t unknowns) override;

 private:
  /// That of the libraries' schedules, which know one device.
  const GpuPart& only_device(const Schedule& schedule) const;
  template <class T>
  std::unique_ptr<PreparedSchedule<T>> prepare_matrix(const Schedule& schedule,
                                                      const CsrView<T>& matrix,
                                                      const Layout& layout,
                                                      const PreparedSchedule<T>* other = nullptr);
  template <class T>
  std::unique_ptr<PreparedSchedule<T>> prepare_vectors(const Schedule& schedule,
                                                       std::int64_t unknowns);

  std::vector<GpuPart> devices_;
  CudaPolicy policy_;
  const RankPart* part_ = nullptr;         ///< of several ranks
  std::shared_ptr<cuda::NcclGroup> nccl_;  ///< where it joins them
  std::string why_not_;                    ///< a faster way to exchange
  std::string names_;                      ///< of all ranks' GPUs
};

}  // namespace sparsecast
