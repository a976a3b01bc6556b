#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/engine/iteration_count.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_work.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"
#include "model/traffic/library_time.hpp"
#include "model/traffic/traffic_case.hpp"
#include "model/traffic/traffic_price.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "predict/interval.hpp"
#include "predict/matrix_orders.hpp"

namespace sparsecast {

/// How the traffic model came to its forecast.
struct TrafficForecast {
  TrafficCase segment;  ///< of several GPUs the first's
  TrafficPrice price;
  /// Of several devices; shared by the forecasts of all solvers, for thousands of them are MBs.
  std::shared_ptr<const std::vector<SegmentWork>> segments{};
};

/// Of a solver that a library carries out: what it calls in an iteration.
struct LibraryForecast {
  std::string library;
  LibraryCalls calls;
  double host_call_seconds = 0;
  bool measured = false;  ///< forecasts of it have been held against it
};

/// The forecast for one layout, number of devices, schedule and launch mode.
struct Prediction {
  std::string profile;     ///< its name
  bool estimated = false;  ///< the profile is: nobody has measured the device
  Layout layout;
  int devices = 1;
  Renumbering renumbering = Renumbering::none;  ///< what made the order that is priced
  Precision precision = Precision::f64;
  std::string model = "paper";  ///< `DeviceProfile::model`
  std::string schedule = algorithm1().name();
  std::optional<LaunchMode> launch;  ///< of the traffic model's
  std::optional<LibraryForecast> library;
  /// Of the traffic model's for several GPUs: halo, or the first of peer and staged that the
  /// profile knows; over a network that of `transport_on`.
  std::optional<ExchangeMode> exchange;
  /// Shown beside our own (a vendor's library among them): never the best choice, nor a tie.
  bool only_compared = false;
  bool estimated_pattern = false;  ///< the matrix was not there to count gathers in
  double seconds_per_iteration = 0;
  std::optional<Interval> interval_seconds;  ///< 90 %; absent where the profile knows none
  /// Of the models of curves: what measured iterations took over what the model says, the median of
  /// calibration's own that it was not fitted to. `seconds_per_iteration` is without it. Absent
  /// where the profile does not know it.
  std::optional<double> measured_over_predicted;
  double raw_gflops = 0;
  std::optional<double> effective_gflops;  ///< absent where the block density is unknown
  /// How many times as fast as our fastest choice on one device in the same layout and
  /// precision, of one device too. That is Algorithm 1 by the paper's model, and by the traffic
  /// model the fused schedule in the launch mode that takes least. Absent where it is not known.
  std::optional<double> speedup;
  std::int64_t bytes_per_device = 0;  ///< of the fullest device: matrix and vectors
  std::optional<bool> fits;           ///< absent where the device's memory is unknown
  std::int64_t memory_bytes = 0;      ///< of one device; 0: unknown
  TimeParts parts;
  std::optional<TrafficForecast> traffic;  ///< of the traffic model's
  std::vector<std::string> warnings;

  /// Absent where the profile does not know what they need: bringing the matrix into the layout on
  /// the host, and sending it (and x and b) to all devices, one after the other.
  std::optional<double> conversion_seconds;
  std::optional<double> upload_seconds;
  /// From how many iterations on this layout is the better choice over CSR on the same devices,
  /// setup included; infinity: never. Absent for CSR itself, where it is not known, and for one
  /// iteration where CSR is not among the forecasts.
  std::optional<double> pays_after_iterations;
  /// K as requested, or expected by the count of this solver (`IterationCount::expected`); 0: one
  /// iteration is all that is asked for.
  std::int64_t iterations = 0;
  /// Of a time to solution: what was counted of the solver. Only what converged is forecast.
  std::optional<IterationCount> count;
  /// What the solver does before its first iteration, of a time to solution; one iteration where
  /// the profile does not know its kernels.
  std::optional<double> start_seconds;
  /// With K iterations: all of them, the last cycle by what it comes to, and the start.
  std::optional<double> iterations_seconds;
  /// The 90 % interval of the time, and how far counts lie apart.
  std::optional<Interval> iterations_interval;
  /// Conversion and upload too. Absent where they are not known.
  std::optional<double> total_seconds;
  /// The 90 % interval of that: of the iterations, and of what is done once before them.
  std::optional<Interval> total_interval;
};

}  // namespace sparsecast
