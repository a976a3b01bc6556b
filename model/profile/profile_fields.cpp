#include "model/profile/profile_fields.hpp"

#include <charconv>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {

void ProfileFields::refuse(const std::string& key, const std::string& message) const {
  throw Error(place_of(key) + message);
}

void ProfileFields::refuse_object(const std::string& message) const {
  throw Error(place() + message);
}

bool ProfileFields::optional_number(const std::string& key, double& value, NumberRange range) {
  if (!has(key, value > 0)) return false;
  number(key, value, range);
  return true;
}

void ProfileFields::optional_number(const std::string& key, std::optional<double>& value,
                                    NumberRange range) {
  if (!has(key, value.has_value())) return;
  if (!value) value.emplace();
  number(key, *value, range);
}

void ProfileFields::optional_text(const std::string& key, std::string& value) {
  if (has(key, !value.empty())) text(key, value);
}

void ProfileFields::optional_texts(const std::string& key,
                                   std::map<std::string, std::string>& values) {
  if (!has(key, !values.empty())) return;
  entries(key, values, TextKeys{},
          [this](const std::string& name, std::string& value) { text(name, value); });
}

void ProfileFields::schema(int version) {
  std::int64_t found = version;
  whole_number("schema", found);
  require(found == version,
          "version " + std::to_string(found) + " is unknown; expected " + std::to_string(version));
}

void ProfileFields::unit(const std::string& name) {
  std::string found = name;
  text("unit", found);
  if (found != name) refuse_object("expected the unit '" + name + "'");
}

void ProfileFields::refuse_nameless() {
  throw Error("a profile's value has no name");
}

void ProfileFields::refuse_name(const std::string& key, const std::string& name,
                                std::span<const std::string_view> known) const {
  std::string expected;
  for (const std::string_view each : known) {
    expected += (expected.empty() ? "" : " or ") + std::string(each);
  }
  refuse(key, "expected " + expected + ", found " + in_quotes(name));
}

int NumberKeys::key(const ProfileFields& fields, const std::string& name) const {
  int number = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (status != std::errc{} || end != name.data() + name.size() || number < least ||
      number > most) {
    fields.refuse(name, std::string("expected ") + meaning + " as the key");
  }
  return number;
}

}  // namespace sparsecast
