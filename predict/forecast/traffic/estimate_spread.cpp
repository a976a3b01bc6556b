#include "predict/forecast/traffic/estimate_spread.hpp"

#include <array>

#include "model/working_set.hpp"

namespace sparsecast {

EstimateSpread estimate_spread(LaunchMode launch, double working_set_bytes) {
  using Spreads = std::array<EstimateSpread, 4>;
  // 5 % and 95 % quantiles, by `working_set_strata`, with the profile of an H200 and matrices of up
  // to 3e7 nonzeros: of 689, 354, 246 and 99 cases.
  static constexpr Spreads steps{{{0.995, 1.137}, {0.983, 1.411}, {0.969, 1.834}, {0.975, 2.172}}};
  // Of 406, 199 and 123; above 150 MB 20 cases are too few, and the stratum below stands for them.
  static constexpr Spreads persistent{
      {{0.999, 1.330}, {0.987, 2.281}, {0.817, 2.176}, {0.817, 2.176}}};
  return (launch == LaunchMode::persistent ? persistent : steps)
      .at(working_set_stratum(working_set_bytes));
}

}  // namespace sparsecast
