#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/curves/fit_point.hpp"
#include "calibrate/sample.hpp"
#include "core/base/precision.hpp"
#include "model/cache_effect.hpp"

/// @file
/// Which samples belong to which throughput curve, and what of them a fit needs.

namespace sparsecast {

/// "SpMV/csr" for products, else the kernel's name.
std::string curve_key(const Sample& sample);

/// Whether its launch mode is the one that models know kernels and iterations by. A CPU has none;
/// a GPU has several, and there it is that of graphs.
bool has_launch_of_models(const Sample& sample);

/// Whether the sample belongs to a curve of its precision, and may be fitted.
bool is_on_curve(const Sample& sample);

/// Bytes that the sample's kernel touched again in every run.
double working_set_of(const Sample& sample);

/// The sample as a point of a curve, with the share that misses the cache, if there is one.
FitPoint fit_point(const Sample& sample, const std::optional<CacheEffect>& cache = std::nullopt);

/// The points of one curve: all trusted samples of this precision with this `curve_key`, with the
/// share that misses the cache, if there is one.
std::vector<FitPoint> fit_points(std::span<const Sample> samples, Precision precision,
                                 const std::string& key,
                                 const std::optional<CacheEffect>& cache = std::nullopt);

}  // namespace sparsecast
