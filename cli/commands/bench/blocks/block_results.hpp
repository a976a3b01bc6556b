#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/bench/blocks/block_measurement.hpp"
#include "core/base/precision.hpp"

namespace sparsecast::cli {

/// The measurements of one device at the paper's sizes, f32, for rules to look into. It points into
/// what it was made of. Of several of one thing the last counts: a later file's.
class BlockResults {
 public:
  BlockResults() = default;
  BlockResults(std::span<const BlockMeasurement> all, const std::string& description);

  /// Nothing where it was not tried.
  const BlockMeasurement* product(std::string_view mesh, std::string_view problem,
                                  std::string_view order, std::string_view layout) const;
  /// In the order of vertices in which it was measured.
  const BlockMeasurement* iteration(std::string_view mesh, std::string_view problem,
                                    std::string_view solver) const;
  const BlockMeasurement* saxpy(std::int64_t values) const;
  const BlockMeasurement* dot(std::int64_t values, int values_per_block) const;
  /// By rising iterations; one without a measurement where it was tried in vain.
  std::vector<const BlockMeasurement*> history() const;

  bool empty() const { return measurements_.empty(); }

 private:
  const BlockMeasurement* last(const std::function<bool(const BlockMeasurement&)>& is_wanted) const;

  std::vector<const BlockMeasurement*> measurements_;
};

}  // namespace sparsecast::cli
