#include "model/profile/link_fields.hpp"

#include "model/profile/curve_fields.hpp"

namespace sparsecast {
namespace {

constexpr NamedValues<ExchangeLaw, 3> laws{{{"staged", ExchangeLaw::staged},
                                            {"peer", ExchangeLaw::peer},
                                            {"ingress", ExchangeLaw::ingress}}};
constexpr NamedKeys<ExchangeMode, 3> modes{{{{"staged", ExchangeMode::staged},
                                             {"peer", ExchangeMode::peer},
                                             {"halo", ExchangeMode::halo}}}};

}  // namespace

void list_estimate(ProfileFields& fields, const std::string& key, Estimate& estimate,
                   const std::string& unit, NumberRange range) {
  fields.begin(key);
  fields.number("value", estimate.value, range);
  fields.unit(unit);
  fields.number("error", estimate.error, not_negative);
  fields.end();
}

void list_fields(ProfileFields& fields, ExchangeCurve& curve) {
  fields.object("curve", curve.curve);
  fields.named("law", curve.law, laws);
}

void list_fields(ProfileFields& fields, ExchangeCosts& costs) {
  list_estimate(fields, "fixed", costs.fixed_seconds, "s", not_negative);
  list_estimate(fields, "rate", costs.gbps, "GB/s", gbps_range);
  list_estimate(fields, "hidden", costs.hidden, "", share);
}

void list_fields(ProfileFields& fields, LinkCosts& costs) {
  list_estimate(fields, "sum", costs.sum_seconds, "s", not_negative);
  fields.objects("exchanges", costs.exchanges, modes);
  fields.whole_number("samples", costs.samples);
  fields.number("median_error", costs.median_error, not_negative);
  fields.objects("intervals", costs.intervals, TextKeys{});
}

void list_fields(ProfileFields& fields, Link& link) {
  fields.object("exchange", link.exchange);
  fields.named("law", link.law, laws);
  fields.number("sync_seconds", link.sync_seconds, not_negative);
  fields.flag("shared_bus", link.shared_bus);
  fields.optional_objects("curves", link.curves, TextKeys{});
  fields.optional_object("costs", link.costs);
}

}  // namespace sparsecast
