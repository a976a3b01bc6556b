#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/bench/fusion/fusion_measurement.hpp"

namespace sparsecast::cli {

/// The measurements of one device in one precision, for rules and tables to look into. It points
/// into what it was made of. Of several of one thing the last counts: a later file's.
class FusionResults {
 public:
  FusionResults(std::span<const FusionMeasurement> all, const std::string& description,
                Precision precision);

  /// Nothing where it was not tried.
  const FusionMeasurement* iteration(std::int64_t size, std::string_view solver,
                                     std::string_view launch) const;
  const FusionMeasurement* step(std::int64_t size, std::int64_t basis, std::string_view solver,
                                std::string_view launch) const;
  const FusionMeasurement* dots(std::int64_t size, std::int64_t basis, std::int64_t dots,
                                std::string_view launch) const;
  const FusionMeasurement* solve(const std::string& system, std::string_view solver) const;

  /// That iterations were tried in, rising.
  std::vector<std::int64_t> sizes() const;
  /// The ways to launch, in the order in which they were tried.
  std::vector<std::string> launches() const;
  /// Of solves, by their labels, in the order in which they were tried.
  std::vector<std::string> systems() const;

  std::span<const FusionMeasurement* const> all() const { return measurements_; }
  bool is_gpu() const;

 private:
  const FusionMeasurement* last(
      const std::function<bool(const FusionMeasurement&)>& is_wanted) const;

  std::vector<const FusionMeasurement*> measurements_;
};

/// "grid 10000", or the name of a file.
std::string system_label(const FusionMeasurement& solve);

/// How many times as fast an iteration is as that of the six kernels at a size.
struct Gain {
  std::int64_t size = 0;
  double gain = 0;
};

/// Of all sizes that both were measured in, launched so; the six kernels by graph where they cannot
/// be launched so.
std::vector<Gain> gains(const FusionResults& results, std::string_view solver,
                        std::string_view launch);

/// The gain that counts: 1.3 times.
inline constexpr double counted_gain = 1.3;

/// The unknowns from which on gains are less than `counted_gain`: between sizes that were measured
/// by the logarithm. The first size where no gain is as much; nothing where the last is.
std::optional<double> gain_ends(const std::vector<Gain>& gains);

}  // namespace sparsecast::cli
