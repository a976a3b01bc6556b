#include "cli/commands/bench/paper/judgement.hpp"

#include <nlohmann/json.hpp>

#include "cli/wrapped_lines.hpp"

namespace sparsecast::cli {
namespace {

void print_table(const std::vector<Judgement>& judgements, std::ostream& out) {
  Table table({"id", "where", "statement", "paper", "reproduced if", "device", "ours", "verdict",
               "because"});
  for (const Judgement& each : judgements) {
    table.add_row({each.statement->id, each.statement->where, each.statement->text,
                   each.statement->paper, each.statement->rule, each.device, each.finding.ours,
                   std::string("*") + to_string(each.finding.verdict) + "*", each.finding.why});
  }
  table.print(out, TableStyle::markdown);
}

void print_text(const std::vector<Judgement>& judgements, std::ostream& out) {
  const PaperStatement* last = nullptr;
  std::string text;
  for (const auto& [statement, device, finding] : judgements) {
    if (statement != last) {
      text += std::string(statement->id) + " (" + statement->where + ") " + statement->text +
              "\n    paper: " + statement->paper + "\n    reproduced if " + statement->rule + '\n';
      last = statement;
    }
    text += "    ours" + (device.empty() ? "" : ", " + device) + ": " + finding.ours +
            (finding.ours.empty() ? "" : ": ") + to_string(finding.verdict) +
            (finding.why.empty() ? "" : ", " + finding.why) + '\n';
  }
  out << wrapped_lines(text, plain_table_width);
}

}  // namespace

std::vector<Judgement> judge_on_devices(
    const PaperStatement& statement, const JudgedDevices& devices,
    const std::function<Finding(const std::string& device)>& judge) {
  std::vector<std::string> judged = devices.gpus;
  if (statement.on == JudgedOn::any) {
    judged.insert(judged.end(), devices.cpus.begin(), devices.cpus.end());
  }
  if (judged.empty()) return {{&statement, "", not_comparable("no GPU was measured")}};
  std::vector<Judgement> judgements;
  for (const std::string& device : judged) {
    const bool lacks_cpu = statement.on == JudgedOn::gpus_cpus && devices.cpus.empty();
    judgements.push_back(
        {&statement, device, lacks_cpu ? not_comparable("no CPU was measured") : judge(device)});
  }
  return judgements;
}

nlohmann::ordered_json to_json(const Judgement& judgement) {
  return {{"id", judgement.statement->id},
          {"statement", judgement.statement->text},
          {"paper", judgement.statement->paper},
          {"rule", judgement.statement->rule},
          {"device", judgement.device},
          {"ours", judgement.finding.ours},
          {"verdict", to_string(judgement.finding.verdict)},
          {"why", judgement.finding.why}};
}

void print_judgements(const std::vector<Judgement>& judgements, TableStyle style,
                      std::ostream& out) {
  style == TableStyle::markdown ? print_table(judgements, out) : print_text(judgements, out);
}

}  // namespace sparsecast::cli
