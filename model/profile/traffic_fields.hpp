#pragma once

#include "model/profile/profile_fields.hpp"
#include "model/traffic/traffic_parameters.hpp"

/// @file
/// The fields of the traffic model's part of a profile.

namespace sparsecast {

/// Precisions by name, which have a field each.
inline constexpr NamedKeys<Precision, 2> precision_keys{
    {{{"f32", Precision::f32}, {"f64", Precision::f64}}}};

void list_fields(ProfileFields& fields, GpuShape& gpu);
void list_fields(ProfileFields& fields, TrafficProfile& traffic);

}  // namespace sparsecast
