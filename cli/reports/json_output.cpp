#include "cli/reports/json_output.hpp"

#include "core/base/text/json_text.hpp"

namespace sparsecast::cli {

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return escape_controls(
      json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace sparsecast::cli
