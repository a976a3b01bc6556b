#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/precision.hpp"
#include "core/engine/own_solver.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_work.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/validation/data/validation_data.hpp"
#include "predict/validation/data/validation_row.hpp"

/// @file
/// The price of one measured case: the one place where validation asks a model.

namespace sparsecast {

/// What ran, in which storage. Refers to what belongs to others.
struct PricedCase {
  std::string_view schedule;  ///< as of `case_solver`
  std::string_view launch;    ///< as in `core/workload/launch_mode.hpp`; empty on a CPU
  Layout layout;
  Precision precision = Precision::f64;
  std::span<const SegmentShape> segments;   ///< one a device
  const AccessPattern* access = nullptr;    ///< of the whole matrix; null where it is not known
  const GpuExecution* execution = nullptr;  ///< on a GPU; null where it is not known
  /// On several GPUs, and CPUs of ranks; empty where it is not known.
  std::span<const SegmentWork> work{};
  std::string_view exchange{};  ///< of several GPUs
};

struct CasePrice {
  double seconds = 0;
  std::optional<Interval> interval;  ///< 90 %; absent where the profile knows none
};

/// Solvers of the user's own, by their names.
using OwnSolvers = std::map<std::string, OwnSolver, std::less<>>;

/// What ran in a case, as it is priced: `built_in`, the product alone, or one of these.
/// Throws `Error` for other names.
Solver case_solver(std::string_view name, const OwnSolvers& own);

/// Prices cases with a profile by one of its models.
class CasePricer {
 public:
  /// `model`: "traffic" (`model/traffic/traffic_pricer.hpp`), "paper" (equations 3 to 11), "cache"
  /// (the same with `CacheEffect`), or empty for the best that the profile has. Throws `Error` for
  /// another name, and for a model that the profile does not have.
  CasePricer(const DeviceProfile& profile, std::string_view model, CurveKind curve,
             OwnSolvers own = {});

  std::string_view model() const { return model_; }

  /// Nothing where the profile lacks what the case needs (a curve, the precision, a link, for what
  /// ranks send each other a network and its transport), is of a CPU and the case of a GPU or the
  /// other way round (curves do not tell them apart), and where the model does not describe it:
  /// curves no persistent kernel and no halos, equations 3 to 11 no schedule but Algorithm 1 and no
  /// kernel but SpMV by itself.
  std::optional<CasePrice> price(const PricedCase& one) const;

  /// The same of a part of the case's solver, such as its setup.
  std::optional<CasePrice> price_part(const PricedCase& one, const Schedule& part) const;

 private:
  std::optional<CasePrice> price_by_traffic(const PricedCase& one, const Schedule& schedule) const;
  std::optional<CasePrice> price_several(const PricedCase& one, const Schedule& schedule) const;
  bool has_equations(const PricedCase& one) const;

  DeviceProfile profile_;
  std::map<Transport, DeviceProfile> joined_;  ///< of ranks, by what carries their messages
  std::string model_;
  CurveKind curve_;
  OwnSolvers own_;
};

/// Fills in what a profile says of measured rows: working set, prediction with its interval, the
/// paper's model (of what it describes), the baseline and on one GPU the roofline, and by the
/// traffic model times to solution; forecasts of a regression are taken away. Throws `Error` for
/// rows without `segments`, and for a solver that was counted with other settings than its own.
void price_rows(std::span<ValidationRow> rows, const DeviceProfile& profile, std::string_view model,
                CurveKind curve, const OwnSolvers& own = {});

/// The same of all rows; `about` says by what they are priced. Throws `Error` for what was read
/// from a file and has a forecast in no row: a baseline alone says nothing.
void price_data(ValidationData& data, const DeviceProfile& profile, std::string_view model,
                CurveKind curve, const OwnSolvers& own = {});

}  // namespace sparsecast
