#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/analysis/features_json.hpp"
#include "core/analysis/matrix_numbers.hpp"
#include "core/analysis/matrix_numbers_json.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/short_number.hpp"
#include "predict/advice/advice.hpp"
#include "predict/features/features_file.hpp"
#include "predict/features/forecast_features.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/counting.hpp"
#include "python/bindings/matrix.hpp"
#include "python/bindings/requests.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

/// Features with the numbers that `predict_numbers` takes; without these where only a file of
/// features is there.
struct CountedFeatures : MatrixFeatures {
  std::optional<RowNumbers> of_rows{};
};

/// The keys of `sparsecast inspect --json`.
py::object features_to_dict(const CountedFeatures& features) {
  JsonObject json = to_json(features);
  if (features.of_rows) json.add("row_numbers", to_json(*features.of_rows));
  return from_json(json);
}

/// One of the numbers of rows, as a property.
template <std::optional<double> RowNumbers::*number>
std::optional<double> number_of_rows(const CountedFeatures& features) {
  return features.of_rows ? *features.of_rows.*number : std::nullopt;
}

/// The profiles' GPUs and numbers of devices, as `sparsecast inspect --features --for` counts.
CountRequest count_request(const std::vector<const DeviceProfile*>& profiles,
                           const Arguments& arguments) {
  CountRequest request;
  std::vector<int> devices;
  for (const DeviceProfile* profile : profiles) {
    std::ranges::copy(advised_devices(*profile), std::back_inserter(devices));
    if (!profile->traffic || profile->traffic->cpu_threads > 0) continue;
    const GpuShape& gpu = profile->traffic->gpu;
    if (std::ranges::count(request.gpus, gpu) == 0) request.gpus.push_back(gpu);
  }
  read_devices(arguments, "devices", devices);
  std::ranges::sort(devices);
  const auto twice = std::ranges::unique(devices);
  devices.erase(twice.begin(), twice.end());
  std::erase(devices, 1);  // always there
  request.devices = std::move(devices);
  return request;
}

/// Refuses choices of solvers whose iterations are not to be counted.
void refuse_solvers(const Arguments& arguments) {
  for (const char* name : {"solver", "restart", "precondition", "settings", "precision"}) {
    if (arguments.has(name)) refuse_argument(name, "is for rtol, which is missing");
  }
}

ForecastFeatures count(Matrix& matrix, const std::vector<const DeviceProfile*>& profiles,
                       const py::dict& given, py::object progress) {
  const Arguments arguments(given);
  const Subject subject{&matrix, nullptr};
  CountRequest request = count_request(profiles, arguments);
  const Renumbering how = order_of(arguments, subject);
  std::string name = "matrix";
  arguments.read("name", name);
  std::optional<Counting> counting = counting_of(arguments, subject);
  SolversToCount solvers;
  std::vector<Precision> precisions;
  if (counting) {
    counting->rules.compete = false;  // nobody knows what they will be compared on
    solvers = solvers_to_count(chosen_solvers(arguments, true));
    precisions = countable_precisions(counting->rules.tolerance);
    if (arguments.has("precision")) {
      precisions.resize(1);
      arguments.read("precision", precisions.front());
    }
  } else {
    refuse_solvers(arguments);
  }
  Counted counted;
  ForecastFeatures features = without_lock(std::move(progress), [&](Watch& watch) {
    const auto turn = turn_of(subject);
    double share_before = 0;
    if (counting) {
      share_before = share_of_counting(subject);
      counted = counts_of(subject, *counting, solvers, precisions, watch, share_before);
    }
    request.progress = [&watch, share_before](double done) {
      watch.update(share_before + (1 - share_before) * done);
    };
    return count_features(matrix.orders(how), name, request);
  });
  features.counts = std::move(counted.counts);
  for (const std::string& warning : counted.warnings) warn_in_python(warning);
  return features;
}

}  // namespace

void bind_features(py::module_& module) {
  py::class_<RowLengths>(module, "RowLengths", R"(
Entries of a row, over all rows.

>>> sparsecast.features(A).row_length.max
5
)")
      .def_readonly("min", &RowLengths::min, "Of the shortest row.")
      .def_readonly("max", &RowLengths::max, "Of the longest row.")
      .def_readonly("mean", &RowLengths::mean, "The mean.")
      .def_readonly("stddev", &RowLengths::stddev, "Their standard deviation.")
      .def_readonly("histogram", &RowLengths::histogram,
                    "[k]: rows with length 0 (k = 0), or from 2^(k-1) to below 2^k.")
      .def("__repr__", [](const RowLengths& self) {
        return "<sparsecast.RowLengths: " + std::to_string(self.min) + " to " +
               std::to_string(self.max) + ", mean " + short_number(self.mean) + ">";
      });

  py::class_<BlockFeatures>(module, "BlockFeatures", R"(
A matrix seen in N x N blocks aligned at row and column 0.

>>> sparsecast.features(A).blocks[1].block_size
2
)")
      .def_readonly("block_size", &BlockFeatures::block_size, "N.")
      .def_readonly("block_rows", &BlockFeatures::block_rows, "Rows of blocks.")
      .def_readonly("blocks", &BlockFeatures::blocks, "Blocks that are not empty.")
      .def_readonly("block_elements", &BlockFeatures::block_elements,
                    "Values in these, zeros included: e.")
      .def_readonly("block_density", &BlockFeatures::block_density, "Nonzeros / e.")
      .def_readonly("max_blocks_per_row", &BlockFeatures::max_blocks_per_row,
                    "Blocks of the longest row of blocks.")
      .def_readonly("padded_elements_natural", &BlockFeatures::padded_elements_natural,
                    "Values with the padding of a thread block's rows to the longest.")
      .def_readonly("padded_elements_sorted", &BlockFeatures::padded_elements_sorted,
                    "The same of rows that are sorted by length.")
      .def("__repr__", [](const BlockFeatures& self) {
        return "<sparsecast.BlockFeatures: " + std::to_string(self.blocks) + " blocks of size " +
               std::to_string(self.block_size) + ", density " + short_number(self.block_density) +
               ">";
      });

  py::class_<CountedFeatures> features(module, "MatrixFeatures", R"(
What was counted of a matrix.

>>> sparsecast.features(A).bandwidth
50
)");
  features.def_readonly("rows", &MatrixFeatures::rows, "Rows: unknowns.")
      .def_readonly("columns", &MatrixFeatures::columns, "Columns.")
      .def_readonly("nonzeros", &MatrixFeatures::nonzeros, "Entries, explicit zeros included.")
      .def_readonly("explicit_zeros", &MatrixFeatures::explicit_zeros, "Entries of value 0.")
      .def_readonly("not_finite", &MatrixFeatures::not_finite, "Entries that are NaN or infinite.")
      .def_readonly("row_length", &MatrixFeatures::row_length, "Entries of a row.")
      .def_readonly("bandwidth", &MatrixFeatures::bandwidth, "Largest |column - row| of an entry.")
      .def_readonly("pattern_symmetric", &MatrixFeatures::pattern_symmetric,
                    "Whether the places of entries are symmetric.")
      .def_readonly("symmetric", &MatrixFeatures::symmetric,
                    "Whether the values are too, to the last bit.")
      .def_readonly("missing_diagonal", &MatrixFeatures::missing_diagonal,
                    "Rows without an entry on the diagonal.")
      .def_readonly("zero_diagonal", &MatrixFeatures::zero_diagonal, "Rows with 0 on the diagonal.")
      .def_readonly("negative_diagonal", &MatrixFeatures::negative_diagonal,
                    "Rows with a negative value there.")
      .def_property_readonly(
          "blocks",
          [](const CountedFeatures& self) {
            return std::vector<BlockFeatures>(self.blocks.begin(), self.blocks.end());
          },
          "Seen in blocks of each size, the smallest first.")
      .def_readonly("format_counts", &MatrixFeatures::format_counts,
                    "What formats count themselves, by the format's name.")
      .def_property_readonly("mean_distance", &number_of_rows<&RowNumbers::mean_distance>,
                             "Mean |column - row| of an entry, for `predict_numbers`; None of "
                             "features in a file, as the two below.")
      .def_property_readonly("neighbours", &number_of_rows<&RowNumbers::neighbours>,
                             "Entries beside an entry in its row, in the mean.")
      .def_property_readonly("similarity", &number_of_rows<&RowNumbers::similarity>,
                             "The share of a row's entries that have one in the next row.")
      .def("to_dict", &features_to_dict,
           "The keys of `sparsecast inspect --json`, but for how often vectors are used again.")
      .def("__repr__", [](const CountedFeatures& self) {
        return "<sparsecast.MatrixFeatures: " + std::to_string(self.rows) + " rows, " +
               std::to_string(self.columns) + " columns, " + std::to_string(self.nonzeros) +
               " nonzeros>";
      });

  py::class_<ForecastFeatures>(module, "ForecastFeatures", R"(
All that forecasts need of a matrix, in place of it.

>>> sparsecast.count_features(A, devices=1).features.rows
2500
)")
      .def_readonly("name", &ForecastFeatures::name, "Of the matrix.")
      .def_property_readonly(
          "features", [](const ForecastFeatures& self) { return CountedFeatures{self.features}; },
          "What was counted of all of it.")
      .def_readonly("devices", &ForecastFeatures::devices,
                    "Numbers of devices that it is cut for, beside one.")
      .def_readonly("counts", &ForecastFeatures::counts,
                    "Iterations that were counted of solvers, for times to solution.")
      .def_readonly("left_out", &ForecastFeatures::left_out,
                    "Formats that a file says nothing of, a sentence each.")
      .def_property_readonly(
          "renumbering",
          [](const ForecastFeatures& self) { return std::string(to_string(self.renumbering)); },
          "What made the order of the unknowns.")
      .def(
          "to_dict", [](const ForecastFeatures& self) { return from_json(features_to_json(self)); },
          "The keys of a features file.")
      .def(
          "write",
          [](const ForecastFeatures& self, py::handle path) {
            write_file(path_of("path", path), features_to_json(self));
          },
          py::arg("path"), "Writes the features file, whole or not at all.")
      .def("__repr__", [](const ForecastFeatures& self) {
        return "<sparsecast.ForecastFeatures of " + self.name + ">";
      });
  set_module<RowLengths, BlockFeatures, CountedFeatures, ForecastFeatures>();

  module.def("features", [](Matrix& self) {
    return without_lock(py::none(), [&](Watch&) {
      const auto turn = self.turn();
      return CountedFeatures{self.features(), count_row_numbers(self.view().pattern())};
    });
  });
  module.def("count_features", &count);
  module.def("read_features",
             [](py::handle path) { return read_features_file(path_of("path", path)); });
}

}  // namespace sparsecast::python
