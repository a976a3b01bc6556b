#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "calibrate/measure/matrix_supply.hpp"
#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "calibrate/sample.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"

namespace sparsecast {

/// Runs the measurements of a plan one by one.
class MeasurementRunner {
 public:
  /// Keeps references to plan and device. `measured`: ids of what need not be measured any more.
  MeasurementRunner(const MeasurementPlan& plan, const MeasuredDevice& device,
                    const std::set<std::string>& measured);

  /// Appends the sample and what else is learned on the way; nothing for what the plan leaves out
  /// on this device. Throws `Error` for what the device refuses.
  void measure(const Measurement& measurement, std::vector<Sample>& samples);

 private:
  bool is_gpu() const { return device_.origin.kind == DeviceProfile::Kind::gpu; }
  Backend& backend(const Measurement& measurement);
  template <class T>
  void measure_as(const Measurement& measurement, std::vector<Sample>& samples);
  template <class T>
  Timing time_kernel(PreparedSchedule<T>& prepared, const Measurement& measurement,
                     const Schedule& schedule);
  template <class T>
  std::unique_ptr<PreparedSchedule<T>> prepare(const Measurement& measurement,
                                               const Schedule& schedule, const CsrView<T>& matrix);
  void take(Sample& sample, const Timing& timing, std::vector<Sample>& samples) const;

  /// A schedule that is kept for its copy of a matrix, which what is measured next uses too.
  struct Held {
    std::tuple<int, Precision, Layout> copy;  ///< of which matrix, and how
    std::unique_ptr<PreparedSchedule<float>> f32;
    std::unique_ptr<PreparedSchedule<double>> f64;

    template <class T>
    std::unique_ptr<PreparedSchedule<T>>& as() {
      if constexpr (std::is_same_v<T, float>) {
        return f32;
      } else {
        return f64;
      }
    }
  };

  const MeasurementPlan& plan_;
  const MeasuredDevice& device_;
  MatrixSupply supply_;
  std::unique_ptr<Backend> backend_;
  std::tuple<int, std::optional<LaunchMode>, bool, std::string> backend_kind_;
  Held held_;
};

}  // namespace sparsecast
