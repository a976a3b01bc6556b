#pragma once

#include <string>

#include "model/links/link.hpp"
#include "model/profile/profile_fields.hpp"

/// @file
/// The fields of what a profile knows of several devices.

namespace sparsecast {

/// The fields of a fitted number, in this unit.
void list_estimate(ProfileFields& fields, const std::string& key, Estimate& estimate,
                   const std::string& unit, NumberRange range);

void list_fields(ProfileFields& fields, ExchangeCurve& curve);
void list_fields(ProfileFields& fields, ExchangeCosts& costs);
void list_fields(ProfileFields& fields, LinkCosts& costs);
void list_fields(ProfileFields& fields, Link& link);

}  // namespace sparsecast
