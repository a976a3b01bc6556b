#include <optional>
#include <string>

#include "core/base/error.hpp"
#include "model/estimate/data_sheet.hpp"
#include "model/estimate/relative_profile.hpp"
#include "model/network/network_file.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"
#include "model/profile/profile_json.hpp"
#include "predict/profile_limits.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/requests.hpp"
#include "python/bindings/results.hpp"

namespace sparsecast::python {
namespace {

DeviceProfile for_model(const DeviceProfile& profile, py::handle model) {
  return Arguments::parsed("model", model,
                           [&](const std::string& name) { return profile.for_model(name); });
}

DeviceProfile on_network(const DeviceProfile& profile, py::handle network, py::handle per_host) {
  if (!profile.traffic) {
    throw Error("profile '" + profile.name + "' is priced by model " +
                std::string(profile.model()) + "; networks are of the traffic model");
  }
  DeviceProfile joined = profile;
  joined.network = read_network(path_of("network", network).string());
  if (!per_host.is_none()) {
    joined.network->ranks_per_host = device_count("devices_per_host", per_host);
  }
  return joined;
}

}  // namespace

void bind_profile(py::module_& module) {
  py::class_<DeviceProfile>(module, "Profile", R"(
The calibrated description of one kind of device and its links.

name_or_path: a profile that ships ("nvidia-h200", see `profile_names`), or the path of a .json
file. model: "hybrid", "traffic", "cache" or "paper", reduces it to what one model uses; None:
its best. Raises `Error` for one that there is not, and for damaged files.

>>> profile = sparsecast.Profile("nvidia-h200")
>>> profile.kind, profile.model, profile.device_count_max
('gpu', 'hybrid', 4)
)")
      .def(py::init([](py::handle name, py::handle model) {
             DeviceProfile profile = read_profile(path_of("profile", name).string());
             warn_in_python(profile_folder_warning());
             return model.is_none() ? profile : for_model(profile, model);
           }),
           py::arg("name_or_path"), py::arg("model") = py::none())
      .def_readonly("name", &DeviceProfile::name, "File name without .json.")
      .def_readonly("device", &DeviceProfile::device, "For people: \"NVIDIA H200\".")
      .def_property_readonly(
          "kind",
          [](const DeviceProfile& self) {
            return self.kind == DeviceProfile::Kind::cpu ? "cpu" : "gpu";
          },
          "\"cpu\" or \"gpu\".")
      .def_property_readonly(
          "origin", [](const DeviceProfile& self) { return origin_text(self); },
          "How it came about, for people: \"measured\".")
      .def_property_readonly(
          "model", [](const DeviceProfile& self) { return std::string(self.model()); },
          "The model that prices with it.")
      .def_property_readonly(
          "precisions",
          [](const DeviceProfile& self) {
            std::vector<std::string> names;
            for (const auto& [precision, unused] : self.precisions) {
              names.push_back(name_of(precision));
            }
            return names;
          },
          "Those that were calibrated.")
      .def_readonly("memory_bytes", &DeviceProfile::memory_bytes, "Of one device; 0: unknown.")
      .def_readonly("device_count_max", &DeviceProfile::device_count_max,
                    "Devices in one machine; 0: unknown.")
      .def_readonly("environment", &DeviceProfile::environment, "Driver, clocks, date, ...")
      .def_readonly("notes", &DeviceProfile::notes, "What else is to be said.")
      .def("for_model", &for_model, py::arg("model"),
           "The same, reduced to what one of the models uses.")
      .def("on_network", &on_network, py::arg("network"), py::arg("devices_per_host") = py::none(),
           R"(
The same, with what joins devices of several hosts, which are ranks then: of forecasts for more
devices than a host has.

network: a network that ships ("ndr400", see `network_names`), or the path of a .network.json file.
devices_per_host: how many of them a host has; None: as the network says. Raises `Error` for a
network that there is not, and for a profile without a traffic model.

>>> profile = sparsecast.Profile("nvidia-h200").on_network("ndr400", devices_per_host=8)
>>> profile.network
'ndr400'
)")
      .def_property_readonly(
          "network",
          [](const DeviceProfile& self) -> std::optional<std::string> {
            if (!self.network) return std::nullopt;
            return self.network->name;
          },
          "The name of the network that joins devices of several hosts; None: there is none.")
      .def(
          "to_dict", [](const DeviceProfile& self) { return from_json(profile_to_json(self)); },
          "The keys of its file.")
      .def(
          "write",
          [](const DeviceProfile& self, py::handle path) {
            write_profile(path_of("path", path), self);
          },
          py::arg("path"), "Writes the .json file, whole or not at all.")
      .def("__repr__", [](const DeviceProfile& self) {
        return "<sparsecast.Profile " + self.name + ": " + self.device + ">";
      });
  set_module<DeviceProfile>();

  module.def("profile_names", &profile_names);
  module.def("network_names", &network_names);
  module.def("data_sheet_names", [] {
    std::vector<std::string> names;
    for (const DataSheet& sheet : data_sheets()) names.push_back(sheet.name);
    return names;
  });
  module.def("relative_profile", [](const DeviceProfile& relative, py::handle gpu,
                                    py::handle name) {
    const DataSheet& sheet = Arguments::parsed(
        "gpu", gpu, [](const std::string& text) -> const DataSheet& { return data_sheet(text); });
    return relative_profile(relative, sheet, name.is_none() ? sheet.name : text_of("name", name));
  });
}

}  // namespace sparsecast::python
