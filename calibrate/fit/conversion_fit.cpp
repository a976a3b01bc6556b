#include "calibrate/fit/conversion_fit.hpp"

#include <utility>
#include <vector>

#include "calibrate/fit/median.hpp"

namespace sparsecast {

std::optional<ConversionCost> fit_conversion(std::span<const Sample> samples) {
  constexpr double least_seconds = 1e-3;
  double nn = 0;
  double ne = 0;
  double ee = 0;
  double n1 = 0;
  double e1 = 0;
  for (const Sample& sample : samples) {
    if (sample.seconds < least_seconds) continue;
    const double n = sample.nonzeros / sample.seconds;
    const double e = sample.shape.elements / sample.seconds;
    nn += n * n;
    ne += n * e;
    ee += e * e;
    n1 += n;
    e1 += e;
  }
  if (!(nn > 0 && ee > 0)) return std::nullopt;
  const double determinant = nn * ee - ne * ne;
  // CSR stores what is given: one number then, and it belongs to the nonzeros.
  constexpr double singular = 1e-9;
  if (determinant > singular * nn * ee) {
    const ConversionCost both{(n1 * ee - e1 * ne) / determinant, (e1 * nn - n1 * ne) / determinant};
    if (both.seconds_per_nonzero >= 0 && both.seconds_per_element >= 0) return both;
    if (both.seconds_per_nonzero < 0) return ConversionCost{0, e1 / ee};
  }
  return ConversionCost{n1 / nn, 0};
}

std::optional<ConversionCost> typical_conversion(std::span<const Sample> samples) {
  constexpr double least_nonzeros = 2e6;
  std::vector<double> rates;
  for (const Sample& sample : samples) {
    if (sample.nonzeros < least_nonzeros || !(sample.shape.elements > 0)) continue;
    rates.push_back(sample.seconds / sample.shape.elements);
  }
  if (rates.empty()) return std::nullopt;
  return ConversionCost{0, median(std::move(rates))};
}

std::map<std::string, ConversionCost> fit_conversions(std::span<const Sample> samples,
                                                      Precision precision,
                                                      DeviceProfile::Kind kind) {
  std::map<std::string, std::vector<Sample>> by_layout;
  for (const Sample& sample : samples) {
    if (sample.precision == precision && sample.kernel == "Convert") {
      by_layout[sample.layout].push_back(sample);
    }
  }
  std::map<std::string, ConversionCost> costs;
  for (const auto& [layout, of_layout] : by_layout) {
    const auto cost = kind == DeviceProfile::Kind::gpu ? typical_conversion(of_layout)
                                                       : fit_conversion(of_layout);
    if (cost) costs[layout] = *cost;
  }
  return costs;
}

}  // namespace sparsecast
