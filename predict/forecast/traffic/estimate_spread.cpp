#include "predict/forecast/traffic/estimate_spread.hpp"

#include <array>
#include <cstddef>

#include "model/working_set.hpp"

namespace sparsecast {

EstimateSpread estimate_spread(KnownNumbers known, LaunchMode launch, double working_set_bytes) {
  using Spreads = std::array<std::array<EstimateSpread, 4>, 3>;
  // 5 % and 95 % quantiles, by `KnownNumbers` and `working_set_strata`, with the profile of an H200
  // and matrices of up to 3e7 nonzeros: of 689, 354, 246 and 99 cases from sizes alone.
  static constexpr Spreads steps{{
      {{{0.997, 1.138}, {0.976, 1.448}, {0.986, 1.840}, {0.989, 2.207}}},
      {{{0.986, 1.046}, {0.974, 1.310}, {0.971, 1.679}, {0.974, 1.808}}},
      {{{0.992, 1.018}, {0.969, 1.103}, {0.967, 1.066}, {0.967, 1.089}}},
  }};
  // Of 406, 199 and 123; above 150 MB 20 cases are too few, and the stratum below stands for them.
  static constexpr Spreads persistent{{
      {{{0.998, 1.330}, {0.982, 2.292}, {0.817, 2.174}, {0.817, 2.174}}},
      {{{0.993, 1.167}, {0.969, 1.923}, {0.725, 2.620}, {0.725, 2.620}}},
      {{{1.001, 1.045}, {0.981, 1.145}, {0.929, 1.197}, {0.929, 1.197}}},
  }};
  return (launch == LaunchMode::persistent ? persistent : steps)
      .at(static_cast<std::size_t>(known))
      .at(working_set_stratum(working_set_bytes));
}

}  // namespace sparsecast
