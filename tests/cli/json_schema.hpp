#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparsecast::testing {

/// A JSON Schema (draft 2020-12), of which it knows the words that docs/schema uses; for others it
/// throws, as it would else pass what it cannot check.
class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : schema_(std::move(schema)) {}

  /// What is wrong with a value, a line each, with the place: "$.predictions[0].rank: ...".
  std::vector<std::string> violations(const nlohmann::json& value) const {
    std::vector<std::string> found;
    check(schema_, value, "$", found);
    return found;
  }

 private:
  using Json = nlohmann::json;
  using Found = std::vector<std::string>;

  void check(const Json& schema, const Json& value, const std::string& place, Found& found) const {
    static const std::set<std::string> known{
        "$schema", "$ref",   "$defs",      "title",    "description",          "type",
        "const",   "enum",   "properties", "required", "additionalProperties", "items",
        "anyOf",   "minimum"};
    for (const auto& [word, unused] : schema.items()) {
      if (!known.contains(word)) throw std::runtime_error("unknown word of a schema: " + word);
    }
    const auto wrong = [&](const std::string& what) { found.push_back(place + ": " + what); };
    if (schema.contains("$ref")) {
      const std::string path = schema["$ref"].get<std::string>().substr(1);
      check(schema_.at(Json::json_pointer(path)), value, place, found);
    }
    if (schema.contains("type") && !has_type(schema["type"], value)) {
      wrong("is no " + schema["type"].dump() + ": " + value.dump().substr(0, 60));
      return;
    }
    if (schema.contains("const") && value != schema["const"])
      wrong("is not " + schema["const"].dump());
    if (schema.contains("enum") && std::ranges::count(schema["enum"], value) == 0) {
      wrong("is none of " + schema["enum"].dump());
    }
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) {
      wrong("is less than " + schema["minimum"].dump());
    }
    if (schema.contains("anyOf") && std::ranges::none_of(schema["anyOf"], [&](const Json& each) {
          Found of_each;
          check(each, value, place, of_each);
          return of_each.empty();
        })) {
      wrong("fits none of anyOf");
    }
    if (value.is_object()) check_members(schema, value, place, found);
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        check(schema["items"], value[i], place + '[' + std::to_string(i) + ']', found);
      }
    }
  }

  void check_members(const Json& schema, const Json& value, const std::string& place,
                     Found& found) const {
    for (const Json& name : schema.value("required", Json::array())) {
      if (!value.contains(name)) found.push_back(place + ": lacks " + name.get<std::string>());
    }
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [name, member] : value.items()) {
      const std::string at = place + '.' + name;
      if (properties.contains(name)) {
        check(properties[name], member, at, found);
      } else if (schema.contains("additionalProperties")) {
        const Json& others = schema["additionalProperties"];
        if (others.is_object()) check(others, member, at, found);
        if (others == false) found.push_back(at + ": is not in the schema");
      }
    }
  }

  static bool has_type(const Json& type, const Json& value) {
    if (type.is_array()) {
      return std::ranges::any_of(type, [&](const Json& each) { return has_type(each, value); });
    }
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    throw std::runtime_error("unknown type of a schema: " + type.dump());
  }

  Json schema_;
};

}  // namespace sparsecast::testing
