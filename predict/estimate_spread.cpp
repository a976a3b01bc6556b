#include "predict/estimate_spread.hpp"

#include <array>

#include "model/working_set.hpp"

namespace sparsecast {

EstimateSpread estimate_spread(LaunchMode launch, double working_set_bytes) {
  using Spreads = std::array<EstimateSpread, 4>;
  // 5 % and 95 % quantiles, by `working_set_strata`, with the profile of an H200 and matrices of up
  // to 3e7 nonzeros: of 460, 237, 164 and 81 cases.
  static constexpr Spreads steps{{{1.000, 1.277}, {0.998, 1.583}, {0.999, 2.180}, {0.999, 2.019}}};
  // Of 313, 153 and 88; above 150 MB 13 cases are too few, and the stratum below stands for them.
  static constexpr Spreads persistent{
      {{0.983, 1.338}, {0.978, 2.388}, {0.901, 1.940}, {0.901, 1.940}}};
  return (launch == LaunchMode::persistent ? persistent : steps)
      .at(working_set_stratum(working_set_bytes));
}

}  // namespace sparsecast
