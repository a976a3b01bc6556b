#include "predict/performance_map.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "predict/predict_numbers.hpp"

namespace sparsecast {

namespace {

/// An iteration on the map's number of devices, and how much faster it is than one.
struct PlaceForecast {
  double seconds = 0;
  double speedup = 1;
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
    return {several, compared ? seconds(one_, 1) / several : 1};
  }

 private:
  const MapRequest& request_;
  IterationPricer one_;
  IterationPricer several_;
};

class TrafficPlaceForecaster final : public PlaceForecaster {
 public:
  TrafficPlaceForecaster(const DeviceProfile& profile, const MapRequest& request)
      : profile_(profile), layout_(request.layout) {
    wanted_.precision = request.precision;
    wanted_.devices = {request.devices};
    (*this)(1e4, 1e5 * layout_.block_size);  // refuses what the profile cannot price
  }

  PlaceForecast operator()(double unknowns, double elements) const override {
    // Numbers of a matrix are whole; a place on the map need not be.
    const double rows = std::max(1.0, std::round(unknowns));
    const int n = layout_.block_size;
    const double whole_rows = std::ceil(rows / n) * n;
    const std::vector<Prediction> predictions = predict_numbers(
        rows, std::clamp(elements, rows * n, whole_rows * whole_rows), layout_, profile_, wanted_);
    const Prediction& fastest =
        *std::ranges::min_element(predictions, {}, &Prediction::seconds_per_iteration);
    return {fastest.seconds_per_iteration,
            fastest.speedup.value_or(std::numeric_limits<double>::quiet_NaN())};
  }

 private:
  const DeviceProfile& profile_;
  Layout layout_;
  PredictionRequest wanted_;
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

std::vector<double> logarithmic_axis(double min, double max, int count) {
  std::vector<double> axis(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    axis[static_cast<std::size_t>(i)] = min * std::pow(max / min, i / (count - 1.0));
  }
  return axis;
}

void check_request(const MapRequest& request) {
  const auto check_axis = [](const char* name, double min, double max) {
    if (!(min >= 1 && max > min && max <= 1e15)) {
      throw Error(std::string("map: ") + name + " must rise from at least 1 to at most 1e15");
    }
  };
  check_axis("unknowns", request.unknowns_min, request.unknowns_max);
  check_axis("elements", request.elements_min, request.elements_max);
  if (request.columns < 2 || request.rows < 2 || request.columns > 10000 || request.rows > 10000) {
    throw Error("map: expected a grid from 2 x 2 to 10000 x 10000");
  }
  if (!(request.block_density > 0 && request.block_density <= 1)) {
    throw Error("map: the block density must be more than 0 and at most 1");
  }
  check_layout_of_numbers(request.layout);
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

double diagonal_limit(double unknowns, const Layout& layout) {
  return unknowns * layout.block_size;
}

double dense_limit(double unknowns) {
  return unknowns * unknowns;
}

double map_value(const DeviceProfile& profile, const MapRequest& request, double unknowns,
                 double elements) {
  check_request(request);
  return Quantity(profile, request)(unknowns, elements);
}

PerformanceMap compute_map(const DeviceProfile& profile, const MapRequest& request,
                           const std::function<void(double done)>& progress) {
  check_request(request);
  const Quantity quantity(profile, request);
  PerformanceMap map;
  map.request = request;
  map.unknowns = logarithmic_axis(request.unknowns_min, request.unknowns_max, request.columns);
  map.elements = logarithmic_axis(request.elements_min, request.elements_max, request.rows);
  map.values.assign(map.unknowns.size() * map.elements.size(),
                    std::numeric_limits<double>::quiet_NaN());
  const auto places = static_cast<std::int64_t>(map.values.size());
  const auto compute = [&](std::int64_t begin, std::int64_t end) {
    for (auto place = static_cast<std::size_t>(begin); place < static_cast<std::size_t>(end);
         ++place) {
      const double elements = map.elements[place / map.unknowns.size()];
      const double unknowns = map.unknowns[place % map.unknowns.size()];
      if (elements > dense_limit(unknowns) || elements < diagonal_limit(unknowns, request.layout)) {
        continue;
      }
      map.values[place] = quantity(unknowns, elements);
    }
  };
  constexpr std::int64_t parts = 100;
  const std::int64_t part = (places + parts - 1) / parts;
  for (std::int64_t begin = 0; begin < places; begin += part) {
    if (progress) progress(static_cast<double>(begin) / static_cast<double>(places));
    const std::int64_t count = std::min(part, places - begin);
    parallel_for(count, 1, [&](std::int64_t first, std::int64_t last) {
      compute(begin + first, begin + last);
    });
  }

  if (progress) progress(1);
  map.smallest = std::numeric_limits<double>::quiet_NaN();
  map.largest = map.smallest;
  for (const double value : map.values) {
    map.smallest = std::fmin(map.smallest, value);  // skips NaN
    map.largest = std::fmax(map.largest, value);
  }
  return map;
}

}  // namespace sparsecast
