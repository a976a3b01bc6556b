// Feeds any bytes to the reader of features files. Built by the preset `asan`.

#include "predict/features/features_file.hpp"

#include "fuzz/text_promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sparsecast::require_promise(
      data, size, [](std::string_view text) { return sparsecast::parse_features(text, "input"); },
      [](const auto& read) { return sparsecast::features_to_json(read); });
  return 0;
}
