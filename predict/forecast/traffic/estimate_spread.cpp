#include "predict/forecast/traffic/estimate_spread.hpp"

#include <array>
#include <cstddef>

#include "model/working_set.hpp"

namespace sparsecast {

EstimateSpread estimate_spread(KnownNumbers known, LaunchMode launch, double working_set_bytes) {
  using Spreads = std::array<std::array<EstimateSpread, 4>, 3>;
  // 5 % and 95 % quantiles, by `KnownNumbers` and `working_set_strata`, with the profile of an H200
  // and matrices of up to 3e7 nonzeros: of 687, 349, 245 and 107 cases.
  static constexpr Spreads steps{{
      {{{0.997, 1.146}, {0.974, 1.388}, {0.987, 1.742}, {0.993, 2.302}}},
      {{{0.983, 1.048}, {0.959, 1.292}, {0.968, 1.573}, {0.971, 1.954}}},
      {{{0.992, 1.033}, {0.971, 1.117}, {0.969, 1.100}, {0.978, 1.126}}},
  }};
  // Of 404, 197 and 126; above 150 MB 21 cases are too few, and the stratum below stands for them.
  static constexpr Spreads persistent{{
      {{{0.998, 1.316}, {0.982, 2.245}, {0.817, 2.808}, {0.817, 2.808}}},
      {{{0.993, 1.160}, {0.965, 1.923}, {0.740, 2.620}, {0.740, 2.620}}},
      {{{1.001, 1.044}, {0.981, 1.145}, {0.929, 1.197}, {0.929, 1.197}}},
  }};
  return (launch == LaunchMode::persistent ? persistent : steps)
      .at(static_cast<std::size_t>(known))
      .at(working_set_stratum(working_set_bytes));
}

}  // namespace sparsecast
