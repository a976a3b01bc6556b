#pragma once

#include "model/cache_effect.hpp"
#include "model/interval_ratios.hpp"
#include "model/paper/kernel_curve.hpp"
#include "model/paper/throughput_curve.hpp"
#include "model/profile/profile_fields.hpp"

/// @file
/// The fields of what equations 3 to 11 take from a profile, and of intervals.

namespace sparsecast {

void list_fields(ProfileFields& fields, ThroughputCurve& curve);
void list_fields(ProfileFields& fields, FitQuality& quality);
void list_fields(ProfileFields& fields, KernelCurve& curve);
void list_fields(ProfileFields& fields, CacheEffect& cache);
void list_fields(ProfileFields& fields, IntervalRatios& ratios);

}  // namespace sparsecast
