#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/base/text/json_text.hpp"
#include "core/workload/layout.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/predict_numbers.hpp"

/// @file
/// Options that forecasting commands share.

namespace sparsecast::cli {

/// A matrix of which only numbers are known: x unknowns, e elements of the layout's N x N blocks.
struct SystemNumbers {
  double unknowns = 0;
  double elements = 0;
  Layout layout;
  RowNumbers rows;
};

/// Those of --unknowns, --elements and the one --layout or --block, with `row_numbers_of`; nothing
/// where MATRIX is given instead. Throws `UsageError` for both, for one without the others, for
/// more or fewer layouts, and for numbers of rows beside MATRIX.
std::optional<SystemNumbers> numbers_of(const CommandLine& line, std::span<const Layout> layouts);

/// Adds --row-deviation, --longest-row, --mean-distance, --neighbours and --row-similarity.
void add_row_options(CommandLine& line);

/// The first of them that is given, with its dashes; empty where none is.
std::string first_row_option(const CommandLine& line);

/// What is given by them. Throws `UsageError` for a longest row without entries.
RowNumbers row_numbers_of(const CommandLine& line);

/// `check_layout_of_numbers` with what it refuses as a `UsageError`.
void require_layout_of_numbers(const Layout& layout);

/// `check_numbers` with what it refuses as a `UsageError`.
void require_numbers(const SystemNumbers& numbers, const DeviceProfile& profile);

/// "72 000 unknowns, 39 336 485 elements in layout bcsr4".
std::string to_string(const SystemNumbers& numbers);

/// Throws `UsageError` for a profile whose model knows no networks.
void require_network_model(const DeviceProfile& profile);

/// Adds --network and --gpus-per-node, of profiles' devices beyond one host.
void add_network_options(CommandLine& line);

/// The profiles of --profile, one or several, reduced to the model of --model, with the network of
/// --network where the command has it. Throws `UsageError` for one that is named twice, also by
/// another path to it, for two of one name, and for a network that a profile's model does not
/// price.
std::vector<DeviceProfile> read_profiles(const CommandLine& line);

/// That of --precision, or f64 if every profile has it, else one that all have. Throws `Error`
/// where there is none.
Precision precision_of(const CommandLine& line, const std::vector<DeviceProfile>& profiles);

/// What --json says of the network that joins their devices; null where there is none.
JsonValue network_to_json(std::span<const DeviceProfile> profiles);

/// What --json says of what a forecast is of: the matrix (null where there are numbers alone), the
/// numbers, the profiles with their devices, precision, curve and network (null without one).
JsonObject asked_to_json(const CommandLine& line, std::span<const DeviceProfile> profiles,
                         Precision precision, CurveKind curve);

/// --iterations; 0 where they are not given. Throws `UsageError` unless they are positive.
std::int64_t iterations_of(const CommandLine& line);

/// Refuses maximum curves of a profile that is priced by the traffic model, which has no curves:
/// throws `UsageError`.
void require_curves(CurveKind curve, const DeviceProfile& profile);

}  // namespace sparsecast::cli
