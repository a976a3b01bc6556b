#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/traffic/priced_schedule.hpp"
#include "model/traffic/pricer.hpp"
#include "model/traffic/traffic_case.hpp"
#include "model/traffic/traffic_parameters.hpp"
#include "model/traffic/traffic_price.hpp"

/// @file
/// The traffic model: the time of an iteration on one GPU, or on a CPU, from what its steps really
/// move and wait for. Equations: docs/model.md, "The traffic model"; all parameters:
/// traffic_parameters.hpp.

namespace sparsecast {

/// The `Pricer` of a case, whose functions these are. The schedule must outlive it.
class TrafficPricer {
 public:
  /// `launch` is not `automatic`; on a CPU it and the GPU are not read. A `PricedSchedule` is for
  /// several pricers of one schedule.
  TrafficPricer(const PricedSchedule& schedule, LaunchMode launch, const TrafficCase& segment,
                const GpuShape& gpu, Precision precision);
  TrafficPricer(const Schedule& schedule, LaunchMode launch, const TrafficCase& segment,
                const GpuShape& gpu, Precision precision);

  TrafficPricer(PricedSchedule&&, LaunchMode, const TrafficCase&, const GpuShape&,
                Precision) = delete;
  TrafficPricer(Schedule&&, LaunchMode, const TrafficCase&, const GpuShape&, Precision) = delete;

  TrafficPrice price(const TrafficParameters& parameters) const {
    return pricer_->price(parameters);
  }

  std::size_t part_count() const { return pricer_->part_count(); }
  double part_seconds(std::size_t part, const TrafficParameters& parameters) const {
    return pricer_->part_seconds(part, parameters);
  }
  bool part_depends_on(std::size_t part, std::string_view parameter) const {
    return pricer_->part_depends_on(part, parameter);
  }

  std::vector<std::string> parameter_groups() const { return pricer_->parameter_groups(); }

  std::optional<Traits> product_traits(const TrafficParameters& parameters) const {
    return pricer_->product_traits(parameters);
  }
  std::optional<Traits> iteration_traits(const TrafficParameters& parameters) const {
    return pricer_->iteration_traits(parameters);
  }
  std::optional<Traits> persistent_traits(const TrafficParameters& parameters) const {
    return pricer_->persistent_traits(parameters);
  }

 private:
  std::unique_ptr<const PricedSchedule> own_;  ///< unless the caller has it
  std::unique_ptr<const Pricer> pricer_;
};

}  // namespace sparsecast
