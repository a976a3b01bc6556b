#include "cli/commands/bench/paper/list_options.hpp"

#include "cli/commands/bench/bench_options.hpp"
#include "core/base/text/decimal.hpp"

namespace sparsecast::cli {

std::vector<std::string> benched_devices(const CommandLine& line) {
  const std::string list = line.get_or("device", "cpu");
  std::vector<std::string> devices = words_of("--device", list);
  for (const std::string& device : devices) {
    if (device == "cpu") continue;
    if (!is_gpu(device)) {
      throw UsageError("--device " + list +
                       ": expected cpu, a GPU, as in cuda:0, or a list of those");
    }
    benched_gpu(device);
  }
  return devices;
}

std::vector<Precision> benched_precisions(const CommandLine& line, const std::string& usual) {
  const std::string text = line.get_or("precision", usual);
  if (text == "both") return {Precision::f32, Precision::f64};
  return {parse_precision("--precision", text)};
}

std::vector<double> benched_scales(const CommandLine& line) {
  constexpr double least = 1e-3;
  constexpr double most = 64;
  std::vector<double> scales;
  const std::string list = line.get_or("scale", "1");
  for (const std::string& word : words_of("--scale", list)) {
    double scale = 0;
    if (parse_decimal(word, scale) != DecimalStatus::ok || scale < least || scale > most) {
      throw UsageError("--scale " + list + ": expected 0.001 to 64, or a list of those");
    }
    scales.push_back(scale);
  }
  return scales;
}

}  // namespace sparsecast::cli
