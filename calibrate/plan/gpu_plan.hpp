#pragma once

#include "calibrate/plan/measurement_plan.hpp"

namespace sparsecast {

/// The GPU's default, two to two and a half minutes with the fit. Single kernels run as CUDA graphs
/// (a few also launch by launch, so that both costs are known): loads of 1, 2, 4 and 8 vectors with
/// fixed and variable grid (Figure 5), mixed reads and writes, every step of the three schedules,
/// over vectors of 100 values to about a gigabyte, half of them where the working set is around the
/// last-level cache; products in every layout (but for most matrices not where blocks are mostly
/// zeros) and the vendor's over generated matrices of 10^3 to 3e8 nonzeros; whole iterations of the
/// three schedules in every launch mode. Matrices come in an order in which an interrupted run has
/// some of every kind. Layouts beside CSR and blocks (`other_layouts`) where they hold few zeros.
/// Other matrices are held out for the intervals. From matrix to matrix precisions, schedules and
/// what else is much alike on one take turns. Measurements are short: their noise, about 1 %, is
/// well below the model's error. `options.threads` means nothing here.
MeasurementPlan gpu_default_plan(const PlanOptions& options);

/// The same from fewer samples, in about twenty seconds.
MeasurementPlan gpu_quick_plan(const PlanOptions& options);

/// For a GPU whose relative was calibrated (`calibrate/fit/relative_fit.hpp`), in about fifteen
/// seconds: kernels on vectors around the last-level cache and beyond, and 23 matrices that are
/// made quickly: products in CSR and blocks, iterations of the fused schedule by graph and as one
/// kernel, of the other schedules and launch modes in turn. Nothing is held out.
MeasurementPlan gpu_like_plan(const PlanOptions& options);

/// A handful of kernels for about ten seconds, to compare with a profile.
MeasurementPlan gpu_check_plan(const PlanOptions& options);

}  // namespace sparsecast
