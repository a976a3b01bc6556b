#pragma once

#include <optional>
#include <vector>

#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "cli/command.hpp"
#include "cli/commands/calibrate/calibration_files.hpp"
#include "core/base/precision.hpp"

namespace sparsecast::cli {

/// The precisions of --precision: one, or both.
std::vector<Precision> precisions_of(const CommandLine& line);

/// What --precision, --threads and --seed ask of a plan.
PlanOptions plan_options(const CommandLine& line);

/// The GPUs of --device ("cuda:0,cuda:1"), or a part of one ("cuda:0/32"); none for a CPU. Throws
/// `UsageError` for what is neither.
std::vector<GpuPart> gpus_of(const CommandLine& line);

/// For what is measured of one GPU alone. Throws `UsageError` where --device names anything else.
void require_one_gpu(const CommandLine& line);

/// The device of --device. Throws for devices that are not there.
MeasuredDevice device_of(const CommandLine& line);

/// The files that --out names, or those named after the device.
CalibrationFiles files_of(const CommandLine& line, const MeasuredDevice& device);

/// What --layout and --launch name; nothing where neither is there. Throws `UsageError`.
std::optional<PlanPart> plan_part(const CommandLine& line);

/// Before a calibration is measured: what it will write can be written.
/// Throws `UsageError` or `Error` where not.
void check_files(const CommandLine& line, const CalibrationFiles& files);

}  // namespace sparsecast::cli
