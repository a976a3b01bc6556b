#include "predict/forecast/traffic/estimate_spread.hpp"

#include <array>

#include "model/working_set.hpp"

namespace sparsecast {

EstimateSpread estimate_spread(LaunchMode launch, double working_set_bytes) {
  using Spreads = std::array<EstimateSpread, 4>;
  // 5 % and 95 % quantiles, by `working_set_strata`, with the profile of an H200 and matrices of up
  // to 3e7 nonzeros: of 689, 354, 246 and 99 cases.
  static constexpr Spreads steps{{{0.995, 1.137}, {0.981, 1.411}, {0.970, 1.835}, {0.974, 2.173}}};
  // Of 406, 199 and 123; above 150 MB 20 cases are too few, and the stratum below stands for them.
  static constexpr Spreads persistent{
      {{0.999, 1.325}, {0.989, 2.311}, {0.812, 2.112}, {0.812, 2.112}}};
  return (launch == LaunchMode::persistent ? persistent : steps)
      .at(working_set_stratum(working_set_bytes));
}

}  // namespace sparsecast
