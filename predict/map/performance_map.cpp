#include "predict/map/performance_map.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "predict/predict_numbers.hpp"

namespace sparsecast {

namespace {

/// An iteration on the map's number of devices, and how much faster it is than one.
struct PlaceForecast {
  double seconds = 0;
  double speedup = 1;
  double raw_gflops = 0;  ///< of the traffic model
};

/// A forecast as a function of (x, e).
class PlaceForecaster {
 public:
  virtual ~PlaceForecaster() = default;
  virtual PlaceForecast operator()(double unknowns, double elements) const = 0;
};

/// By equations 3 to 11, with the profile's curves looked up once.
class PaperPlaceForecaster final : public PlaceForecaster {
 public:
  PaperPlaceForecaster(const DeviceProfile& profile, const MapRequest& request)
      : request_(request),
        one_(algorithm1_schedule(), 1, profile, request.precision, to_string(request.layout),
             request.curve),
        several_(algorithm1_schedule(), request.devices, profile, request.precision,
                 to_string(request.layout), request.curve) {}

  PlaceForecast operator()(double unknowns, double elements) const override {
    const auto seconds = [&](const IterationPricer& pricer, int devices) {
      return pricer.parts(equal_segments(unknowns, elements, request_.layout, devices)).total();
    };
    const double several = seconds(several_, request_.devices);
    const bool compared = request_.quantity == MapQuantity::speedup;
    return {several, compared ? seconds(one_, 1) / several : 1, 0};
  }

 private:
  const MapRequest& request_;
  IterationPricer one_;
  IterationPricer several_;
};

/// By the traffic model, with what it asks of the solver alone worked out once.
class TrafficPlaceForecaster final : public PlaceForecaster {
 public:
  TrafficPlaceForecaster(const DeviceProfile& profile, const MapRequest& request)
      : profile_(profile), layout_(request.layout), wanted_(wanted_of(request)), solvers_(wanted_) {
    (*this)(1e4, 1e5 * layout_.block_size);  // refuses what the profile cannot price
  }

  PlaceForecast operator()(double unknowns, double elements) const override {
    const MapMatrix matrix = matrix_at(unknowns, elements, layout_);
    const std::vector<Prediction> predictions =
        predict_numbers(matrix.unknowns, matrix.elements, layout_, profile_, wanted_, solvers_);
    const Prediction& fastest =
        *std::ranges::min_element(predictions, {}, &Prediction::seconds_per_iteration);
    return {fastest.seconds_per_iteration,
            fastest.speedup.value_or(std::numeric_limits<double>::quiet_NaN()), fastest.raw_gflops};
  }

 private:
  static PredictionRequest wanted_of(const MapRequest& request) {
    PredictionRequest wanted;
    wanted.layouts = {request.layout};
    wanted.precision = request.precision;
    wanted.devices = {request.devices};
    if (request.own) {
      wanted.own = {*request.own};
      wanted.schedules = {request.own->name()};
    }
    return wanted;
  }

  const DeviceProfile& profile_;
  Layout layout_;
  PredictionRequest wanted_;
  SolverList solvers_;
};

/// The quantity as a function of (x, e).
class Quantity {
 public:
  Quantity(const DeviceProfile& profile, const MapRequest& request) : request_(request) {
    if (profile.traffic) {
      forecaster_ = std::make_unique<TrafficPlaceForecaster>(profile, request);
    } else {
      forecaster_ = std::make_unique<PaperPlaceForecaster>(profile, request);
    }
  }

  double operator()(double unknowns, double elements) const {
    const PlaceForecast forecast = (*forecaster_)(unknowns, elements);
    switch (request_.quantity) {
      case MapQuantity::speedup:
        return forecast.speedup;
      case MapQuantity::raw:
        if (request_.own) return forecast.raw_gflops;
        return iteration_flops(unknowns, elements) / forecast.seconds / 1e9;
      case MapQuantity::effective:
        return iteration_flops(unknowns, elements, request_.block_density) / forecast.seconds / 1e9;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  const MapRequest& request_;
  std::unique_ptr<PlaceForecaster> forecaster_;
};

void check_request(const DeviceProfile& profile, const MapRequest& request) {
  check_sizes(request);
  if (request.own && (!profile.traffic || request.quantity == MapQuantity::effective)) {
    throw Error("map: solver " + request.own->name() +
                " is priced by the traffic model, in speedup and raw performance");
  }
  if (!(request.block_density > 0 && request.block_density <= 1)) {
    throw Error("map: the block density must be more than 0 and at most 1");
  }
}

}  // namespace

std::string_view to_string(MapQuantity quantity) {
  switch (quantity) {
    case MapQuantity::speedup:
      return "speedup";
    case MapQuantity::raw:
      return "raw";
    case MapQuantity::effective:
      return "effective";
  }
  return "";
}

MapQuantity parse_map_quantity(std::string_view name) {
  for (const MapQuantity known : {MapQuantity::speedup, MapQuantity::raw, MapQuantity::effective}) {
    if (name == to_string(known)) return known;
  }
  throw Error(std::string(name) + ": expected speedup, raw or effective");
}

double map_value(const DeviceProfile& profile, const MapRequest& request, double unknowns,
                 double elements) {
  check_request(profile, request);
  return Quantity(profile, request)(unknowns, elements);
}

PerformanceMap compute_map(const DeviceProfile& profile, const MapRequest& request,
                           const std::function<void(double done)>& progress) {
  check_request(profile, request);
  const Quantity quantity(profile, request);
  PerformanceMap map{map_grid(request), request, {}};
  map.values.assign(map.places(), std::numeric_limits<double>::quiet_NaN());
  visit_places(
      map, request.layout,
      [&](std::size_t place, double unknowns, double elements) {
        map.values[place] = quantity(unknowns, elements);
      },
      progress);

  map.smallest = std::numeric_limits<double>::quiet_NaN();
  map.largest = map.smallest;
  for (const double value : map.values) {
    map.smallest = std::fmin(map.smallest, value);  // skips NaN
    map.largest = std::fmax(map.largest, value);
  }
  return map;
}

}  // namespace sparsecast
