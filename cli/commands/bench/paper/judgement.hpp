#pragma once

#include <algorithm>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/paper/finding.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

/// On which devices a statement is judged.
enum class JudgedOn {
  gpus,       ///< on each
  any,        ///< on each, and on a CPU
  gpus_cpus,  ///< on each GPU beside the first CPU
};

/// What a paper states, in words.
struct PaperStatement {
  const char* id;
  const char* where;  ///< section or table
  const char* text;
  const char* paper;  ///< the paper's value
  const char* rule;   ///< when it is reproduced
  JudgedOn on;
};

/// What is found of a statement on a device.
struct Judgement {
  const PaperStatement* statement;
  std::string device;  ///< its description; empty where there is none to judge on
  Finding finding;
};

/// The devices that were measured, by description, in their order.
struct JudgedDevices {
  std::vector<std::string> gpus;
  std::vector<std::string> cpus;
};

template <class Measurement>
JudgedDevices judged_devices(std::span<const Measurement> all) {
  JudgedDevices devices;
  for (const Measurement& m : all) {
    std::vector<std::string>& known = is_gpu(m.device) ? devices.gpus : devices.cpus;
    if (std::ranges::count(known, m.description) == 0) known.push_back(m.description);
  }
  return devices;
}

/// What `judge` finds on each device that a statement is judged on, in their order; one judgement
/// that is not comparable where there is none.
std::vector<Judgement> judge_on_devices(
    const PaperStatement& statement, const JudgedDevices& devices,
    const std::function<Finding(const std::string& device)>& judge);

nlohmann::ordered_json to_json(const Judgement& judgement);

/// A table in Markdown, or text: sentences are too long for the columns of a terminal. Judgements
/// of a statement follow each other.
void print_judgements(const std::vector<Judgement>& judgements, TableStyle style,
                      std::ostream& out);

}  // namespace sparsecast::cli
