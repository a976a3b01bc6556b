#include "cli/reports/json_output.hpp"

#include <array>
#include <cstdio>

namespace sparsecast::cli {

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  const std::string text =
      json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const bool c1 = byte(i) == 0xc2 && i + 1 < text.size() && byte(i + 1) < 0xa0;
    if (byte(i) != 0x7f && !c1) {
      escaped += text[i];
      continue;
    }
    if (c1) ++i;
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "\\u%04x", byte(i));
    escaped += code.data();
  }
  return escaped;
}

}  // namespace sparsecast::cli
