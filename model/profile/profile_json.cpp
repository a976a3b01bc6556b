#include "model/profile/profile_json.hpp"

#include "model/profile/curve_fields.hpp"
#include "model/profile/json_fields.hpp"
#include "model/profile/link_fields.hpp"
#include "model/profile/profile_fields.hpp"
#include "model/profile/traffic_fields.hpp"

namespace sparsecast {

constexpr NamedValues<DeviceProfile::Kind, 2> kinds{
    {{"cpu", DeviceProfile::Kind::cpu}, {"gpu", DeviceProfile::Kind::gpu}}};
constexpr NamedValues<DeviceProfile::Origin, 4> origins{
    {{"measured", DeviceProfile::Origin::measured},
     {"published", DeviceProfile::Origin::published},
     {"estimated", DeviceProfile::Origin::estimated},
     {"measured in part", DeviceProfile::Origin::measured_in_part}}};

static void list_fields(ProfileFields& fields, DataSheet& sheet) {
  const std::string expected = "expected at least 1, found 0";
  fields.optional_text("name", sheet.name);
  fields.optional_text("device", sheet.device);
  fields.whole_number("multiprocessors", sheet.multiprocessors);
  fields.require(sheet.multiprocessors > 0, expected);
  fields.number("clock_mhz", sheet.clock_mhz, positive);
  fields.number("bandwidth_gbps", sheet.bandwidth_gbps, gbps_range);
  fields.number("l2_mb", sheet.l2_mb, positive);
  fields.number("memory_gb", sheet.memory_gb, positive);
  fields.optional_number("link_gbps", sheet.link_gbps, gbps_range);
  fields.whole_number("link_devices", sheet.link_devices);
  fields.text("compute_capability", sheet.compute_capability);
  fields.whole_number("shared_bytes_per_block", sheet.shared_bytes_per_block);
  fields.require(sheet.shared_bytes_per_block > 0, expected);
  fields.whole_number("threads_per_multiprocessor", sheet.threads_per_multiprocessor);
  fields.whole_number("f64_per_clock", sheet.f64_per_clock);
  fields.require(sheet.f64_per_clock > 0, expected);
  fields.optional_text("source", sheet.source);
}

static void list_fields(ProfileFields& fields, EstimateSource& estimate) {
  fields.text("like", estimate.like);
  fields.object("from", estimate.from);
  fields.object("to", estimate.to);
}

static void list_fields(ProfileFields& fields, ConversionCost& cost) {
  fields.optional_number("seconds", cost.seconds, not_negative);
  fields.optional_number("seconds_per_nonzero", cost.seconds_per_nonzero, not_negative);
  fields.optional_number("seconds_per_element", cost.seconds_per_element, not_negative);
  fields.optional_number("seconds_per_row", cost.seconds_per_row, not_negative);
  fields.optional_number("seconds_per_halo", cost.seconds_per_halo, not_negative);
}

static void list_fields(ProfileFields& fields, PrecisionProfile& precision) {
  fields.objects("curves", precision.curves, TextKeys{});
  fields.optional_objects("intervals", precision.intervals, TextKeys{});
  fields.optional_objects("conversion", precision.conversion, TextKeys{});
}

static void list_fields(ProfileFields& fields, DeviceProfile& profile) {
  fields.schema(profile_schema_version);
  fields.text("device", profile.device);
  fields.named("kind", profile.kind, kinds);
  fields.named("origin", profile.origin, origins);
  fields.whole_number("memory_bytes", profile.memory_bytes);
  fields.whole_number("device_count_max", profile.device_count_max);
  fields.optional_texts("environment", profile.environment);
  fields.optional_text("notes", profile.notes);
  fields.optional_object("estimated", profile.estimated);
  const bool of_a_relative = profile.origin == DeviceProfile::Origin::estimated ||
                             profile.origin == DeviceProfile::Origin::measured_in_part;
  if (profile.estimated && !of_a_relative) {
    fields.refuse("estimated", "the profile's origin is another");
  }
  fields.objects("precisions", profile.precisions, precision_keys);
  fields.optional_objects(
      "links", profile.links,
      NumberKeys{2, std::numeric_limits<int>::max(), "a number of devices, 2 or more,"});
  fields.optional_object("cache", profile.cache);
  fields.optional_object("traffic", profile.traffic);
  fields.optional_number("upload_gbps", profile.upload_gbps, gbps_range);
  fields.optional_number("upload_small_gbps", profile.upload_small_gbps, gbps_range);
  fields.optional_number("upload_seconds", profile.upload_seconds, not_negative);
  fields.optional_number("upload_seconds_of_matrix", profile.upload_seconds_of_matrix,
                         not_negative);
  fields.optional_number("upload_seconds_per_start", profile.upload_seconds_per_start,
                         not_negative);
}

DeviceProfile parse_profile(std::string_view json_text, const std::string& name,
                            const std::string& source) {
  DeviceProfile profile;
  profile.name = name;
  read_json_fields(json_text, source.empty() ? name : source,
                   [&profile](ProfileFields& fields) { list_fields(fields, profile); });
  return profile;
}

std::string profile_to_json(const DeviceProfile& profile) {
  DeviceProfile listed = profile;
  std::string text =
      json_of_fields([&listed](ProfileFields& fields) { list_fields(fields, listed); });
  parse_profile(text, profile.name);  // what cannot be read is not written
  return text;
}

}  // namespace sparsecast
