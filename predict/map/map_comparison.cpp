#include "predict/map/map_comparison.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "predict/advice/best_choice.hpp"
#include "predict/predict_numbers.hpp"

namespace sparsecast {

namespace {

PredictionRequest wanted_of(const ComparisonRequest& request) {
  PredictionRequest wanted;
  wanted.layouts = {request.layout};
  wanted.precision = request.precision;
  wanted.curve = request.curve;
  wanted.devices = {request.devices};
  if (request.own) {
    wanted.own = {*request.own};
    wanted.schedules = {request.own->name()};
  }
  return wanted;
}

/// Compares profiles at one place after the other, with what forecasts ask of the solver alone
/// worked out once.
class PlaceComparer {
 public:
  PlaceComparer(std::span<const DeviceProfile> profiles, const ComparisonRequest& request)
      : profiles_(profiles),
        layout_(request.layout),
        wanted_(wanted_of(request)),
        solvers_(wanted_) {}

  PlaceComparison operator()(double unknowns, double elements) const;

 private:
  /// The fastest forecast of a profile that fits.
  std::optional<double> fastest_seconds(const DeviceProfile& profile,
                                        const MapMatrix& matrix) const {
    std::optional<double> fastest;
    for (const Prediction& each :
         predict_numbers(matrix.unknowns, matrix.elements, layout_, profile, wanted_, solvers_)) {
      if (!each.fits.value_or(true)) continue;
      fastest = std::min(fastest.value_or(each.seconds_per_iteration), each.seconds_per_iteration);
    }
    return fastest;
  }

  std::span<const DeviceProfile> profiles_;
  Layout layout_;
  PredictionRequest wanted_;
  SolverList solvers_;
};

PlaceComparison PlaceComparer::operator()(double unknowns, double elements) const {
  const MapMatrix matrix = matrix_at(unknowns, elements, layout_);
  PlaceComparison place;
  for (const DeviceProfile& profile : profiles_) {
    place.seconds.push_back(fastest_seconds(profile, matrix));
  }
  const auto is_faster = [&](std::size_t index, const std::optional<std::size_t>& than) {
    return !than || *place.seconds[index] < *place.seconds[*than];
  };
  for (std::size_t i = 0; i < place.seconds.size(); ++i) {
    if (!place.seconds[i]) continue;
    if (is_faster(i, place.fastest)) {
      place.second = place.fastest;
      place.fastest = i;
    } else if (is_faster(i, place.second)) {
      place.second = i;
    }
  }
  if (place.second)
    place.margin = *place.seconds[*place.second] / *place.seconds[*place.fastest] - 1;
  return place;
}

}  // namespace

PlaceComparison compare_at(std::span<const DeviceProfile> profiles,
                           const ComparisonRequest& request, double unknowns, double elements) {
  return PlaceComparer(profiles, request)(unknowns, elements);
}

MapComparison compare_profiles(std::span<const DeviceProfile> profiles,
                               const ComparisonRequest& request,
                               const std::function<void(double done)>& progress) {
  if (profiles.size() < 2) throw Error("map: expected at least two profiles to compare");
  MapComparison comparison{map_grid(request), request, {}, {}};
  for (const DeviceProfile& profile : profiles) comparison.profiles.push_back(profile.name);
  // What a profile cannot price is refused before any work.
  const PlaceComparer compare(profiles, request);
  compare(1e4, 1e5 * request.layout.block_size);
  comparison.compared.resize(comparison.places());
  visit_places(
      comparison, request.layout,
      [&](std::size_t place, double unknowns, double elements) {
        comparison.compared[place] = compare(unknowns, elements);
      },
      progress);
  return comparison;
}

std::vector<ComparisonShare> shares_of(const MapComparison& comparison) {
  std::vector<ComparisonShare> shares(comparison.profiles.size());
  double matrices = 0;
  for (const PlaceComparison& place : comparison.compared) {
    if (place.seconds.empty()) continue;
    ++matrices;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!place.seconds[i]) ++shares[i].too_small;
    }
    if (!place.fastest) continue;
    ComparisonShare& share = shares[*place.fastest];
    ++share.fastest;
    if (!place.margin) continue;
    if (*place.margin <= tie_margin) ++share.close;
    share.largest_margin = std::max(share.largest_margin.value_or(0), *place.margin);
  }
  for (ComparisonShare& share : shares) {
    if (share.fastest > 0) share.close /= share.fastest;
    share.fastest /= std::max(matrices, 1.0);
    share.too_small /= std::max(matrices, 1.0);
  }
  return shares;
}

}  // namespace sparsecast
