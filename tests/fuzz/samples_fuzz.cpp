// Feeds any bytes to the reader of a calibration's samples. Built by the preset `asan`.

#include "calibrate/sample.hpp"

#include "fuzz/text_promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sparsecast::require_promise(
      data, size, [](std::string_view text) { return sparsecast::parse_samples(text, "input"); },
      [](const auto& read) { return sparsecast::samples_to_csv(read); });
  return 0;
}
