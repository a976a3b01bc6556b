// Feeds any bytes to the reader of profiles. Built by the preset `asan`.

#include "model/profile/profile_json.hpp"

#include "fuzz/text_promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sparsecast::require_promise(
      data, size, [](std::string_view text) { return sparsecast::parse_profile(text, "input"); },
      [](const auto& read) { return sparsecast::profile_to_json(read); });
  return 0;
}
