#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/cpu/run/cpu_placement.hpp"
#include "core/cpu/run/cpu_program.hpp"
#include "core/cpu/run/cpu_run.hpp"
#include "core/cpu/run/cpu_team.hpp"
#include "core/engine/backend.hpp"

namespace sparsecast {

/// A schedule on the threads of a CPU.
template <class T>
class CpuPreparedSchedule final : public PreparedSchedule<T> {
 public:
  /// `matrix` is null for a schedule of vectors only, which has `unknowns`: with a matrix its rows.
  /// Throws `Error` like `make_cpu_programs`, `place` and `CpuTeam`.
  CpuPreparedSchedule(const Schedule& schedule, const CsrView<T>* matrix, const Layout& layout,
                      std::int64_t unknowns, const CpuDevices& devices);

  void set_vector(std::string_view name, std::span<const T> values) override;
  void get_vector(std::string_view name, std::span<T> values) const override;
  void repeat_in_vector(std::string_view name, std::span<const T> pattern) override;
  void set_scalar(std::string_view name, double value) override;
  double scalar(std::string_view name) const override;
  RunReport run_setup() override;
  RunReport run(std::int64_t iterations) override;
  void run_finish() override;
  RunCounters counters() const override;
  std::vector<SegmentShape> segments() const override;
  std::vector<std::int64_t> bytes_per_device() const override;
  double conversion_seconds() const override;
  double upload_seconds() const override;

 private:
  void require_size(VectorSlot slot, std::size_t size) const;

  const Schedule schedule_;
  const std::int64_t rows_;
  const std::int64_t columns_;
  const CpuPrograms programs_;
  CpuPlacement<T> placement_;  ///< its devices go to the team
  CpuTeam<T> team_;
  CpuRun<T> setup_;
  CpuRun<T> iteration_;
  CpuRun<T> finish_;
  std::int64_t iterations_ = 0;
};

}  // namespace sparsecast
