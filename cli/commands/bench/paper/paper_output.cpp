#include "cli/commands/bench/paper/paper_output.hpp"

#include <iostream>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "core/base/files/file_output.hpp"

namespace sparsecast::cli {

void measure_with_progress(const std::string& title,
                           const std::function<void(const ProgressReport&)>& measure) {
  const InterruptGuard guard;
  Progress progress(title);
  measure([&](double done, const std::string& what) {
    progress.update(done, what);
    return !InterruptGuard::interrupted();
  });
}

void write_measured(const std::string& csv, const std::string& text) {
  if (!csv.empty()) write_file(csv, text_for(csv, text));
}

std::ostream& report_stream(const std::string& csv) {
  return is_standard_output(csv) ? std::cerr : std::cout;
}

void print_measured_json(nlohmann::ordered_json measurements,
                         const std::vector<Judgement>& judgements) {
  nlohmann::ordered_json json{{"measurements", std::move(measurements)},
                              {"statements", nlohmann::ordered_json::array()}};
  for (const Judgement& judgement : judgements) json["statements"].push_back(to_json(judgement));
  std::cout << json_text(with_json_head("bench", std::move(json)));
}

}  // namespace sparsecast::cli
