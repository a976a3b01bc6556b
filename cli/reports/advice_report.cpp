#include "cli/reports/advice_report.hpp"

#include <algorithm>
#include <cctype>

#include "cli/reports/interval_text.hpp"
#include "predict/marked_name.hpp"

namespace sparsecast::cli {

namespace {

std::string mark(const Advice& advice, std::size_t index) {
  if (index == advice.recommended) return "<- recommended";
  if (std::ranges::find(advice.ties, index) != advice.ties.end()) return "tie";
  return advice.choices[index].fits() ? "" : "does not fit";
}

/// Whether choices are compared by times to solution.
bool is_counted(const Advice& advice) {
  return advice.choices.front().prediction.count.has_value();
}

}  // namespace

std::string name_of(const DeviceChoice& choice) {
  if (choice.is_one_cpu()) {
    return "the CPU, " + marked_name(choice.profile, choice.prediction.estimated);
  }
  return std::to_string(choice.prediction.devices) + " x " +
         marked_name(choice.profile, choice.prediction.estimated);
}

Table advice_table(const Advice& advice, std::int64_t iterations) {
  const bool intervals = std::ranges::any_of(advice.choices, [](const DeviceChoice& choice) {
    return choice.interval_seconds.has_value();
  });
  const bool totals = iterations > 0;
  const bool counted = is_counted(advice);

  std::vector<TableColumn> header;
  header.push_back(TableColumn::of_names("profile"));
  const bool several_cpus = std::ranges::any_of(advice.choices, [](const DeviceChoice& choice) {
    return choice.kind == DeviceProfile::Kind::cpu && !choice.is_one_cpu();
  });
  header.emplace_back(several_cpus ? "devices" : "GPUs");
  if (counted) {
    header.push_back(TableColumn::of_names("solver"));
    header.emplace_back("precision");
  }
  header.push_back(TableColumn::of_names("layout"));
  header.emplace_back("time/iteration", counted ? 3 : 0);
  if (counted) {
    header.emplace_back("iterations", 2);
    header.emplace_back("time to solution");
  }
  if (totals) header.emplace_back("time for " + format_count(iterations));
  if (intervals) header.emplace_back("90 % interval", 1);
  header.emplace_back("efficiency", 2);
  if (totals || counted) header.emplace_back("GPU time", 3);
  header.emplace_back("memory/device", 4);
  header.emplace_back("");
  Table table(header);
  for (std::size_t i = 0; i < advice.choices.size(); ++i) {
    const DeviceChoice& choice = advice.choices[i];
    const Prediction& prediction = choice.prediction;
    std::vector<std::string> row{marked_name(choice.profile, choice.prediction.estimated),
                                 std::to_string(several_cpus ? prediction.devices : choice.gpus())};
    if (counted) {
      row.insert(row.end(), {prediction.schedule, std::string(to_string(prediction.precision))});
    }
    row.insert(row.end(),
               {to_string(prediction.layout), format_seconds(prediction.seconds_per_iteration)});
    if (counted) row.insert(row.end(), {prediction.count->text(), format_seconds(choice.seconds)});
    if (totals) row.push_back(format_seconds(choice.seconds));
    if (intervals) {
      row.push_back(interval_text(choice.interval_seconds));
    }
    row.push_back(choice.fits() ? format_number(choice.efficiency) : "-");
    if (totals || counted) {
      row.push_back(choice.gpus() > 0 ? format_seconds(choice.device_seconds()) : "-");
    }
    row.push_back(format_bytes(static_cast<double>(prediction.bytes_per_device)));
    row.push_back(mark(advice, i));
    table.add_row(row);
  }
  return table;
}

std::vector<std::string> advice_sentences(const Advice& advice, std::int64_t iterations) {
  const DeviceChoice& chosen = advice.choices[advice.recommended];
  const Prediction& prediction = chosen.prediction;
  std::string use = "Use " + name_of(chosen);
  if (is_counted(advice)) {
    use +=
        ", solver " + prediction.schedule + " in " + std::string(to_string(prediction.precision));
  }
  use += ", layout " + to_string(prediction.layout);
  if (prediction.launch) use += ", launch " + std::string(to_string(*prediction.launch));
  std::vector<std::string> sentences{use + ": " + advice.reason + "."};
  if (!advice.speedup_end.empty()) {
    std::string end = advice.speedup_end + '.';
    end.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(end.front())));
    sentences.push_back(std::move(end));
  }
  for (const std::size_t tie : advice.ties) {
    const DeviceChoice& other = advice.choices[tie];
    sentences.push_back("A tie: " + name_of(other) + " takes " + format_seconds(other.seconds) +
                        " against " + format_seconds(chosen.seconds) +
                        ", which the forecast cannot tell apart.");
  }
  sentences.push_back(
      "Fewest devices that hold the matrix: " + name_of(advice.choices[advice.fewest]) + ".");
  if ((iterations > 0 || is_counted(advice)) && !advice.setup_included) {
    sentences.emplace_back("Conversion and upload are left out: not every profile knows them.");
  }
  return sentences;
}

}  // namespace sparsecast::cli
