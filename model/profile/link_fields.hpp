#pragma once

#include "model/links/link.hpp"
#include "model/profile/profile_fields.hpp"

/// @file
/// The fields of what a profile knows of several devices.

namespace sparsecast {

void list_fields(ProfileFields& fields, ExchangeCurve& curve);
void list_fields(ProfileFields& fields, ExchangeCosts& costs);
void list_fields(ProfileFields& fields, LinkCosts& costs);
void list_fields(ProfileFields& fields, Link& link);

}  // namespace sparsecast
