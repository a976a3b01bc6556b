#pragma once

#include <optional>
#include <span>

#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/sample.hpp"
#include "model/cache_effect.hpp"

namespace sparsecast {

/// The effective capacity of the cache, from the kernels on vectors alone: the one, between 256 KiB
/// and 4 GiB, with which their curves leave the smallest errors. Nothing if no cache makes them
/// smaller by at least a fifth: then the paper's curves will do.
std::optional<CacheEffect> find_cache(std::span<const Sample> samples,
                                      const CurveFitOptions& options = {});

}  // namespace sparsecast
