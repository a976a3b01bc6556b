#pragma once

#include "core/cpu/cpu_devices.hpp"
#include "core/cpu/cpu_policy.hpp"
#include "core/engine/backend.hpp"

namespace sparsecast {

/// The CPU as one device with all its threads, or cut into groups of threads that act as several
/// devices (which share one memory bus: for tests of partition and exchange, never advised).
///
/// All threads of a run execute the schedule together, step by step, and wait for each other only
/// where one step needs what other threads wrote (`core/cpu/cpu_plan.hpp`). Scalars are computed
/// alike by every thread. A segment too small to be worth a second thread runs on fewer
/// (`CpuPolicy`).
///
/// Kernels it knows (operands in this order; `core/cpu/cpu_kernels.hpp` has the arithmetic):
///   SpMV         vectors {input (full), output}
///   SpMVDot      the same, sums {output.input over own rows}
///   CG1          {b, c, r, w, v_part, t1, t2, v (full)}
///   CG2          {r, t1}
///   CG3          {u, v_part, t1}
///   CG4          {v_part, u, c, x, r, w, t2}, scalars {t}
///   CG5          {c, w, v_part, t3, v (full)}, scalars {s}
///   CGStart      {b, c, u, z, v (full)}, sums {z.r, r.r} with r = z/c^2
///   CGResidual   {u, c, z}, scalars {t}, sums {z.r, r.r}
///   CGDirection  {z, v (full), x}, scalars {t, s}
///   Copy         {source, destination (segment or full)}
///   LoadFixed    n vectors, scalars {sum}: adds all values; a fixed part for each thread. The
///                scalar has its value when the run is over
///   LoadVariable the same, parts handed out dynamically (Figure 5's variable grid)
///   Mixed        {reads..., writes...}: every write = sum of the reads; how many are read is
///                `traffic.vector_reads_per_unknown`
///   Pass         what the step's `pass` says (`core/schedule/vector_pass.hpp`), sums {its dots}
///   BlockDiagonal     {inverse blocks' N vectors..., input, output}: output = blocks times input
///                (`core/schedule/diagonal_blocks.hpp`)
///   BlockDiagonalDot  the same, sums {output.input over own rows}
class CpuBackend final : public Backend {
 public:
  /// `devices` groups of at most `threads_per_device` threads. Throws `Error` unless both are
  /// positive.
  CpuBackend(int devices, int threads_per_device, const CpuPolicy& policy = {});
  /// The device of one rank among several, all of which prepare and run the same schedules: with
  /// matrices and vectors in the numbers of this part, which must outlive it. Each runs the part's
  /// own rows, sums over all ranks, and exchanges fetch the halo. Schedules have a matrix, which
  /// outlives what is prepared: in layout csr it is multiplied by where it lies. What one rank
  /// cannot prepare ends in the same `Error` on all.
  CpuBackend(const RankPart& part, int threads, const CpuPolicy& policy = {});
  ~CpuBackend() override;

  int device_count() const override;
  std::string description() const override;
  std::unique_ptr<PreparedSchedule<float>> prepare(const Schedule& schedule,
                                                   const CsrView<float>& matrix,
                                                   const Layout& layout) override;
  std::unique_ptr<PreparedSchedule<double>> prepare(const Schedule& schedule,
                                                    const CsrView<double>& matrix,
                                                    const Layout& layout) override;
  std::unique_ptr<PreparedSchedule<float>> prepare_vectors_f32(const Schedule& schedule,
                                                               std::int64_t unknowns) override;
  std::unique_ptr<PreparedSchedule<double>> prepare_vectors_f64(const Schedule& schedule,
                                                                std::int64_t unknowns) override;

 private:
  CpuDevices devices_;
};

}  // namespace sparsecast
