#include "predict/counting/count_iterations.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/engine/iteration_counter.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast {
namespace {

using Clock = std::chrono::steady_clock;

/// All counts of a system, one after the other.
class Counting {
 public:
  Counting(IterationCounter& counter, std::size_t counts, const CountRules& rules,
           const CountMonitor& monitor)
      : counter_(counter),
        all_(static_cast<double>(counts)),
        rules_(rules),
        monitor_(monitor),
        left_(rules.seconds) {}

  /// Of a schedule, or without one of our conjugate gradients. Throws like `IterationCounter`.
  IterationCount count(const OwnSchedule* own, Precision precision) {
    const std::string name = own != nullptr ? own->method.name : fused_cg().name();
    CountedRun run;
    if (own != nullptr) run = {&own->method, own->settings};
    run.precision = precision;
    run.tolerance = rules_.tolerance;
    run.max_iterations = rules_.max_iterations;
    // Twice an equal share of what is left; of solvers that compete, none needs ten times the
    // fastest's time.
    run.most_seconds = left_ / std::max(1.0, (all_ - done_) / 2);
    if (rules_.compete) run.most_seconds = std::min(run.most_seconds, std::max(1.0, 10 * fastest_));
    run.keep_going = [&](const SolveProgress& so_far) {
      ended_ = ended_ || (monitor_.proceed && !monitor_.proceed({name, precision, so_far.iterations,
                                                                 (done_ + 0.5) / all_}));
      return !ended_;
    };
    const auto begin = Clock::now();
    const CountedSolve counted = counter_.count(run);
    left_ -= std::chrono::duration<double>(Clock::now() - begin).count();
    run.keep_going({counted.count.iterations});
    ++done_;
    if (counted.count.solves()) fastest_ = std::min(fastest_, counted.seconds);
    return counted.count;
  }

  /// One of several that could not run.
  void leave_out(const Error& error) {
    if (monitor_.left_out) monitor_.left_out(error.what());
    ++done_;
  }

  bool is_alone() const { return all_ == 1; }
  bool was_ended() const { return ended_; }

 private:
  IterationCounter& counter_;
  double all_;
  const CountRules& rules_;
  const CountMonitor& monitor_;
  double left_;
  double done_ = 0;
  double fastest_ = std::numeric_limits<double>::infinity();
  bool ended_ = false;
};

/// Gives what was counted of our conjugate gradients to each of ours that is asked for: all are the
/// same method.
void add_ours(IterationCount count, const SolversToCount& solvers,
              std::vector<IterationCount>& counts) {
  for (const std::string& name : solvers.ours) {
    count.solver = name;
    counts.push_back(count);
  }
}

}  // namespace

bool is_countable(double tolerance) {
  return tolerance > 0 && tolerance < 1;
}

const DeviceProfile* first_uncountable(std::span<const DeviceProfile> profiles) {
  const auto place =
      std::ranges::find_if(profiles, [](const DeviceProfile& profile) { return !profile.traffic; });
  return place != profiles.end() ? &*place : nullptr;
}

std::vector<Precision> countable_precisions(double tolerance) {
  std::vector<Precision> precisions{Precision::f64};
  // A residual below the rounding of x itself is reached by none.
  if (tolerance >= static_cast<double>(std::numeric_limits<float>::epsilon())) {
    precisions.push_back(Precision::f32);
  }
  return precisions;
}

std::vector<Precision> comparable_precisions(double tolerance,
                                             std::span<const DeviceProfile> profiles,
                                             const ForecastFeatures* features) {
  std::vector<Precision> precisions = countable_precisions(tolerance);
  std::erase_if(precisions, [&](Precision precision) {
    const bool is_known = std::ranges::all_of(profiles, [precision](const DeviceProfile& profile) {
      return profile.precisions.contains(precision);
    });
    if (!is_known || features == nullptr) return !is_known;
    return std::ranges::find(features->counts, precision, &IterationCount::precision) ==
           features->counts.end();
  });
  return precisions;
}

std::optional<std::vector<IterationCount>> count_iterations(
    Backend& backend, const CsrView<double>& matrix, std::vector<double> b,
    const SolversToCount& solvers, std::span<const Precision> precisions, const CountRules& rules,
    const CountMonitor& monitor) {
  const std::size_t ours = solvers.ours.empty() ? 0 : 1;
  IterationCounter counter(backend, matrix, std::move(b), rules.right_hand_side);
  Counting counting(counter, (solvers.own.size() + ours) * precisions.size(), rules, monitor);
  std::vector<IterationCount> counts;
  for (const Precision precision : precisions) {
    if (ours > 0) add_ours(counting.count(nullptr, precision), solvers, counts);
    for (const OwnSchedule& own : solvers.own) {
      if (counting.was_ended()) return std::nullopt;
      try {
        counts.push_back(counting.count(&own, precision));
      } catch (const Error& error) {
        // One of several that cannot run leaves the others.
        if (counting.is_alone()) throw;
        counting.leave_out(error);
      }
    }
    if (counting.was_ended()) return std::nullopt;
  }
  if (counts.empty()) throw Error("no solver could be run; name another one");
  return counts;
}

std::vector<IterationCount> find_counts(const ForecastFeatures& features,
                                        const SolversToCount& solvers,
                                        std::span<const Precision> precisions,
                                        const CountRules& rules, const CountWords& words,
                                        const std::string& to_count) {
  const auto found = [&](Precision precision, const std::string& solver,
                         const NamedNumbers& settings) -> const IterationCount& {
    const auto place = std::ranges::find_if(features.counts, [&](const IterationCount& count) {
      return count.solver == solver && count.settings == settings && count.precision == precision &&
             count.tolerance == rules.tolerance && count.right_hand_side == rules.right_hand_side;
    });
    if (place != features.counts.end()) return *place;
    throw Error(features.source + ": has no iterations of " + solver + " to " +
                short_number(rules.tolerance, 6) + " in " + std::string(to_string(precision)) +
                " for " + words.right_hand_side + ' ' + rules.right_hand_side +
                " with these settings; count them where the matrix is: " + to_count);
  };
  std::vector<IterationCount> counts;
  for (const Precision precision : precisions) {
    if (!solvers.ours.empty()) {
      add_ours(found(precision, fused_cg().name(), {}), solvers, counts);
    }
    for (const OwnSchedule& own : solvers.own) {
      counts.push_back(found(precision, own.method.name, own.settings));
    }
  }
  return counts;
}

}  // namespace sparsecast
