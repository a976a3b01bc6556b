#include "predict/performance_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/cg_schedule.hpp"
#include "core/error.hpp"
#include "core/layout.hpp"
#include "core/thread_team.hpp"

namespace sparsecast {

namespace {

/// The quantity as a function of (x, e), with the profile's curves looked up once.
class Quantity {
 public:
  Quantity(const DeviceProfile& profile, const MapRequest& request)
      : request_(request),
        one_(algorithm1_schedule(), 1, profile, request.precision,
             to_string(block_layout(request.block)), request.curve),
        several_(algorithm1_schedule(), request.devices, profile, request.precision,
                 to_string(block_layout(request.block)), request.curve) {}

  double operator()(double unknowns, double elements) const {
    const double seconds = price(several_, unknowns, elements, request_.devices);
    switch (request_.quantity) {
      case MapQuantity::speedup:
        return price(one_, unknowns, elements, 1) / seconds;
      case MapQuantity::raw:
        return iteration_flops(unknowns, elements) / seconds / 1e9;
      case MapQuantity::effective:
        return iteration_flops(unknowns, elements, request_.block_density) / seconds / 1e9;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double price(const IterationPricer& pricer, double unknowns, double elements, int devices) const {
    return pricer.parts(equal_segments(unknowns, elements, request_.block, devices)).total();
  }

  const MapRequest& request_;
  IterationPricer one_;
  IterationPricer several_;
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
}

}  // namespace

double diagonal_limit(double unknowns, int block) {
  return unknowns * block;
}

double dense_limit(double unknowns) {
  return unknowns * unknowns;
}

double map_value(const DeviceProfile& profile, const MapRequest& request, double unknowns,
                 double elements) {
  check_request(request);
  return Quantity(profile, request)(unknowns, elements);
}

PerformanceMap compute_map(const DeviceProfile& profile, const MapRequest& request) {
  check_request(request);
  const Quantity quantity(profile, request);
  PerformanceMap map;
  map.request = request;
  map.unknowns = logarithmic_axis(request.unknowns_min, request.unknowns_max, request.columns);
  map.elements = logarithmic_axis(request.elements_min, request.elements_max, request.rows);
  map.values.assign(map.unknowns.size() * map.elements.size(),
                    std::numeric_limits<double>::quiet_NaN());
  parallel_for(request.rows, 4, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      const double elements = map.elements[row];
      for (std::size_t column = 0; column < map.unknowns.size(); ++column) {
        const double unknowns = map.unknowns[column];
        if (elements > dense_limit(unknowns) ||
            elements < diagonal_limit(unknowns, request.block)) {
          continue;
        }
        map.values[row * map.unknowns.size() + column] = quantity(unknowns, elements);
      }
    }
  });

  map.smallest = std::numeric_limits<double>::quiet_NaN();
  map.largest = map.smallest;
  for (const double value : map.values) {
    map.smallest = std::fmin(map.smallest, value);  // skips NaN
    map.largest = std::fmax(map.largest, value);
  }
  return map;
}

}  // namespace sparsecast
