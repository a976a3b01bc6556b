#include "cli/reports/json_output.hpp"

#include <utility>

namespace sparsecast::cli {

JsonObject json_head(std::string_view command) {
  return {{"schema", json_schema}, {"sparsecast", SPARSECAST_VERSION}, {"command", command}};
}

nlohmann::ordered_json with_json_head(std::string_view command, nlohmann::ordered_json members) {
  auto json = nlohmann::ordered_json::parse(json_head(command).text());
  for (auto& [key, value] : members.items()) json[key] = std::move(value);
  return json;
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return escape_controls(
      json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace sparsecast::cli
