#include <pybind11/numpy.h>

#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/registry.hpp"
#include "predict/map/map_comparison.hpp"
#include "predict/map/map_comparison_json.hpp"
#include "predict/map/performance_map.hpp"
#include "predict/map/performance_map_json.hpp"
#include "predict/prediction_request.hpp"
#include "predict/profile_limits.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/matrix.hpp"
#include "python/bindings/predictions.hpp"
#include "python/bindings/requests.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/schedule.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

/// A map with what it is of.
struct Map {
  PerformanceMap map;
  DeviceProfile profile;
  std::vector<MapPoint> points;
};

struct Comparison {
  MapComparison map;
  std::vector<DeviceProfile> profiles;
  std::vector<ComparedPoint> points;
};

/// A matrix to draw: its name, and itself or its features.
struct NamedSubject {
  std::string name;
  Subject subject;
};

std::vector<NamedSubject> named_subjects(const py::dict& matrices) {
  std::vector<NamedSubject> subjects;
  for (const auto& [name, matrix] : matrices) {
    subjects.push_back({text_of("matrices", name), subject_of(matrix)});
  }
  return subjects;
}

/// Where they lie, counted in the layout.
std::vector<MapPoint> points_of(std::span<const NamedSubject> subjects, const Layout& layout) {
  std::vector<MapPoint> points;
  for (const auto& [name, subject] : subjects) {
    if (subject.features != nullptr && subject.features->find(layout) == nullptr) {
      refuse_argument("layout", "the features of " + name + " have no counts of " +
                                    to_string(layout) + "; choose another");
    }
    std::unique_lock<std::recursive_mutex> turn;
    if (subject.matrix != nullptr) turn = subject.matrix->turn();
    const MatrixFeatures& counts = subject.counts();
    const double elements = counts.shape(layout).elements;
    require_place("matrices: " + name, counts, elements);
    points.push_back({name, static_cast<double>(counts.rows), elements});
  }
  return points;
}

void read_sizes(const Arguments& arguments, MapSizes& sizes) {
  arguments.read("layout", sizes.layout);
  arguments.read("unknowns_min", sizes.unknowns_min);
  arguments.read("unknowns_max", sizes.unknowns_max);
  arguments.read("elements_min", sizes.elements_min);
  arguments.read("elements_max", sizes.elements_max);
  arguments.read("columns", sizes.columns);
  arguments.read("rows", sizes.rows);
}

void warn_of_limits(const DeviceProfile& profile, int devices, Precision precision,
                    const Layout& layout, CurveKind curve) {
  warn_in_python(machine_warning(profile, devices));
  warn_in_python(arithmetic_warning(profile, precision));
  if (curve == CurveKind::average) {
    warn_in_python(bias_warning(profile, precision, layout, devices));
  }
}

Map make_map(const DeviceProfile& profile, const py::dict& matrices, const py::dict& given,
             py::object progress) {
  const Arguments arguments(given);
  const std::span<const DeviceProfile> one(&profile, 1);
  MapRequest request;
  static_cast<MapSizes&>(request) = usual_sizes(one);
  read_sizes(arguments, request);
  request.devices = prices_several_devices(profile) ? 2 : 1;  // Figure 8
  read_devices(arguments, "devices", request.devices);
  require_devices(std::array{request.devices}, profile);
  request.quantity = request.devices > 1 ? MapQuantity::speedup : MapQuantity::raw;
  arguments.read("quantity", request.quantity, parse_map_quantity);
  if (request.quantity == MapQuantity::speedup && request.devices == 1) {
    refuse_argument("quantity",
                    "the speedup of one device is 1; give more devices, or leave it out");
  }
  request.precision = precision_for(arguments, one);
  request.curve = curve_of(arguments, one);
  if (arguments.has("block_density") && request.quantity != MapQuantity::effective) {
    refuse_argument("block_density", "is of quantity=\"effective\"; leave it out");
  }
  arguments.read("block_density", request.block_density);
  request.own = chosen_solver(arguments);
  const std::vector<NamedSubject> subjects = named_subjects(matrices);
  Map made = without_lock(std::move(progress), [&](Watch& watch) {
    std::vector<MapPoint> points = points_of(subjects, request.layout);
    for (const MapPoint& point : points) include_matrix(point.unknowns, point.elements, request);
    PerformanceMap map =
        compute_map(profile, request, [&watch](double done) { watch.update(done); });
    for (MapPoint& point : points) {
      point.value = map_value(profile, request, point.unknowns, point.elements);
    }
    return Map{std::move(map), profile, std::move(points)};
  });
  warn_of_limits(profile, request.devices, request.precision, request.layout, request.curve);
  return made;
}

Comparison make_comparison(const std::vector<const DeviceProfile*>& given_profiles,
                           const py::dict& matrices, const py::dict& given, py::object progress) {
  const Arguments arguments(given);
  for (const char* name : {"quantity", "block_density"}) {
    if (arguments.has(name)) {
      refuse_argument(name, "is of one profile; several are compared by their times");
    }
  }
  std::vector<DeviceProfile> profiles = copies_of(given_profiles);
  ComparisonRequest request;
  static_cast<MapSizes&>(request) = usual_sizes(profiles);
  read_sizes(arguments, request);
  read_devices(arguments, "devices", request.devices);
  for (const DeviceProfile& profile : profiles) {
    require_devices(std::array{request.devices}, profile);
  }
  request.precision = precision_for(arguments, profiles);
  request.curve = curve_of(arguments, profiles);
  request.own = chosen_solver(arguments);
  const std::vector<NamedSubject> subjects = named_subjects(matrices);
  Comparison made = without_lock(std::move(progress), [&](Watch& watch) {
    const std::vector<MapPoint> points = points_of(subjects, request.layout);
    for (const MapPoint& point : points) include_matrix(point.unknowns, point.elements, request);
    MapComparison map =
        compare_profiles(profiles, request, [&watch](double done) { watch.update(done); });
    std::vector<ComparedPoint> compared;
    for (const MapPoint& point : points) {
      compared.push_back({point.name, point.unknowns, point.elements,
                          compare_at(profiles, request, point.unknowns, point.elements)});
    }
    return Comparison{std::move(map), profiles, std::move(compared)};
  });
  for (const DeviceProfile& profile : profiles) {
    warn_of_limits(profile, request.devices, request.precision, request.layout, request.curve);
  }
  return made;
}

template <class Value>
py::array_t<Value> grid_of(const MapGrid& grid, const std::vector<Value>& values) {
  const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(grid.elements.size()),
                                       static_cast<py::ssize_t>(grid.unknowns.size())};
  return py::array_t<Value>(shape, values.data());
}

py::array_t<double> array_of(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

void bind_performance_map(py::module_& module) {
  py::class_<MapPoint>(module, "MapPoint", R"(
A matrix on a map.

>>> map = sparsecast.map("gtx280", {"grid": A}, layout="csr", columns=9, rows=9)
>>> map.points[0].unknowns
2500.0
)")
      .def_readonly("name", &MapPoint::name, "As given.")
      .def_readonly("unknowns", &MapPoint::unknowns, "Rows.")
      .def_readonly("elements", &MapPoint::elements, "Values that the map's layout stores.")
      .def_readonly("value", &MapPoint::value, "The map's quantity there.");

  py::class_<Map>(module, "PerformanceMap", R"(
Performance or speedup over all sizes of matrices, by one profile.

>>> map = sparsecast.map("gtx280", quantity="raw", devices=1, columns=9, rows=9)
>>> map.quantity, map.values.shape
('raw', (9, 9))
)")
      .def_property_readonly(
          "profile", [](const Map& self) { return self.profile.name; }, "The profile's name.")
      .def_property_readonly(
          "quantity", [](const Map& self) { return name_of(self.map.request.quantity); },
          "\"speedup\", \"raw\" or \"effective\" (GFlop/s).")
      .def_property_readonly(
          "devices", [](const Map& self) { return self.map.request.devices; }, "How many.")
      .def_property_readonly(
          "layout", [](const Map& self) { return name_of(self.map.request.layout); },
          "How matrices are stored.")
      .def_property_readonly(
          "precision", [](const Map& self) { return name_of(self.map.request.precision); },
          "\"f32\" or \"f64\".")
      .def_property_readonly(
          "unknowns", [](const Map& self) { return array_of(self.map.unknowns); },
          "Of the columns of `values`, rising.")
      .def_property_readonly(
          "elements", [](const Map& self) { return array_of(self.map.elements); },
          "Of the rows of `values`, rising.")
      .def_property_readonly(
          "values", [](const Map& self) { return grid_of(self.map, self.map.values); },
          "[elements, unknowns]; NaN where no matrix is.")
      .def_readonly("points", &Map::points, "The matrices that were given.")
      .def(
          "to_dict",
          [](const Map& self) { return from_json(to_json(self.map, self.profile, self.points)); },
          "The keys of `sparsecast map --json`.")
      .def("__repr__", [](const Map& self) {
        return "<sparsecast.PerformanceMap of " + self.profile.name + ">";
      });
  set_module<MapPoint, Map>();
}

void bind_map_comparison(py::module_& module) {
  py::class_<ComparedPoint>(module, "ComparedPoint", R"(
A matrix on a comparison.

>>> profiles = ["nvidia-h200", "nvidia-h100"]
>>> map = sparsecast.map(profiles, {"grid": A}, columns=9, rows=9)
>>> map.points[0].fastest in (0, 1)
True
)")
      .def_readonly("name", &ComparedPoint::name, "As given.")
      .def_readonly("unknowns", &ComparedPoint::unknowns, "Rows.")
      .def_readonly("elements", &ComparedPoint::elements, "Values that the map's layout stores.")
      .def_property_readonly(
          "seconds", [](const ComparedPoint& self) { return self.place.seconds; },
          "Of an iteration, one a profile; None where memory does not hold the matrix.")
      .def_property_readonly(
          "fastest", [](const ComparedPoint& self) { return self.place.fastest; },
          "The place of the fastest profile among the profiles; None where none holds the matrix.")
      .def_property_readonly(
          "margin", [](const ComparedPoint& self) { return self.place.margin; },
          "How much slower the second is (0.1: by 10 %).");

  py::class_<Comparison>(module, "MapComparison", R"(
Which of several profiles is the fastest over all sizes of matrices.

>>> map = sparsecast.map(["nvidia-h200", "nvidia-h100"], columns=9, rows=9)
>>> map.profiles
['nvidia-h200', 'nvidia-h100']
)")
      .def_property_readonly(
          "profiles", [](const Comparison& self) { return self.map.profiles; }, "Their names.")
      .def_property_readonly(
          "devices", [](const Comparison& self) { return self.map.request.devices; },
          "How many of each.")
      .def_property_readonly(
          "layout", [](const Comparison& self) { return name_of(self.map.request.layout); },
          "How matrices are stored.")
      .def_property_readonly(
          "precision", [](const Comparison& self) { return name_of(self.map.request.precision); },
          "\"f32\" or \"f64\".")
      .def_property_readonly(
          "unknowns", [](const Comparison& self) { return array_of(self.map.unknowns); },
          "Of the columns of `fastest`, rising.")
      .def_property_readonly(
          "elements", [](const Comparison& self) { return array_of(self.map.elements); },
          "Of the rows of `fastest`, rising.")
      .def_property_readonly(
          "fastest",
          [](const Comparison& self) {
            std::vector<std::int64_t> fastest;
            for (const PlaceComparison& place : self.map.compared) {
              fastest.push_back(place.fastest ? static_cast<std::int64_t>(*place.fastest) : -1);
            }
            return grid_of(self.map, fastest);
          },
          "[elements, unknowns]: the place of the fastest among the profiles; -1 where no matrix "
          "is, or none holds it.")
      .def_property_readonly(
          "margin",
          [](const Comparison& self) {
            std::vector<double> margins;
            for (const PlaceComparison& place : self.map.compared) {
              margins.push_back(place.margin.value_or(std::numeric_limits<double>::quiet_NaN()));
            }
            return grid_of(self.map, margins);
          },
          "[elements, unknowns]: how much slower the second is (0.1: by 10 %); NaN where there is "
          "none.")
      .def_readonly("points", &Comparison::points, "The matrices that were given.")
      .def(
          "to_dict",
          [](const Comparison& self) {
            return from_json(to_json(self.map, self.profiles, self.points));
          },
          "The keys of `sparsecast map --json` of several profiles.")
      .def("__repr__", [](const Comparison& self) {
        std::string names;
        for (const std::string& name : self.map.profiles) {
          names += (names.empty() ? "" : ", ") + name;
        }
        return "<sparsecast.MapComparison of " + names + ">";
      });
  set_module<ComparedPoint, Comparison>();
}

}  // namespace

void bind_maps(py::module_& module) {
  bind_performance_map(module);
  bind_map_comparison(module);
  module.def("map", &make_map);
  module.def("compare", &make_comparison);
}

}  // namespace sparsecast::python
