// Feeds any bytes to the reader of raw data of a validation. Built by the preset `asan`.

#include "predict/validation/data/validation_csv.hpp"

#include "fuzz/text_promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sparsecast::require_promise(
      data, size,
      [](std::string_view text) { return sparsecast::parse_validation_csv(text, "input"); },
      [](const auto& read) { return sparsecast::validation_to_csv(read); });
  return 0;
}
