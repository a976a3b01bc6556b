#include "calibrate/fit/upload_fit.hpp"

#include <utility>
#include <vector>

#include "calibrate/fit/median.hpp"

namespace sparsecast {

std::optional<double> fit_upload(std::span<const Sample> samples) {
  constexpr double least_bytes = 8e6;
  std::vector<double> rates;
  for (const Sample& sample : samples) {
    if (sample.kernel != "Upload" || sample.bytes.total() < least_bytes) continue;
    rates.push_back(sample.bytes.total() / sample.seconds * 1e-9);
  }
  if (rates.empty()) return std::nullopt;
  return median(std::move(rates));
}

}  // namespace sparsecast
