#pragma once

#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"
#include "core/workload/segment_work.hpp"
#include "predict/validation/data/validation_row.hpp"
#include "predict/validation/validation_request.hpp"
#include "predict/validation/validation_supply.hpp"

/// @file
/// What a case is, before and beside its measurement.

namespace sparsecast {

/// Of any layout, whose counts are made where features lack them.
SegmentShape stored_shape_of(const ValidationInput& input, const Layout& layout);

/// Its row, as far as it is known before it has run.
ValidationRow case_row(const ValidationInput& input, const ValidationRequest& request,
                       const ValidatedSolver& solver, Precision precision, const Layout& layout,
                       int devices);

/// For people: "bcsstk13, fused graph, csr, f64".
std::string describe_case(const ValidationRow& row);

/// What our kernels on one GPU do with a matrix, in a row's layout and precision; of the persistent
/// one only where it ran.
GpuExecution case_execution(const ValidationInput& input, const ValidationRow& row,
                            const ValidationRequest& request);

/// What several devices do with it, of which `ValidationRequest::has_work`.
std::vector<SegmentWork> case_segments(const ValidationInput& input, Precision precision,
                                       int devices, const Layout& layout,
                                       const ValidationRequest& request);

/// Writes down what the GPU does right after a measurement, where the monitor knows.
void note_state(const ValidationMonitor& monitor, ValidationRow& row);

}  // namespace sparsecast
