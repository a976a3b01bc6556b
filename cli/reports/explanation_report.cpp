#include "cli/reports/explanation_report.hpp"

#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

namespace {

std::string bytes_or_dash(double bytes) {
  return bytes >= 1 ? format_bytes(bytes) : "-";
}

ExplainedPart total(const std::vector<ExplainedPart>& parts) {
  ExplainedPart all;
  all.name = "iteration";
  for (const ExplainedPart& part : parts) {
    all.seconds += part.seconds;
    all.floor_seconds += part.floor_seconds;
    all.bytes.values += part.bytes.values;
    all.bytes.indices += part.bytes.indices;
    all.bytes.row_pointers += part.bytes.row_pointers;
    all.bytes.vector_reads += part.bytes.vector_reads;
    all.bytes.vector_writes += part.bytes.vector_writes;
    all.memory_bytes += part.memory_bytes;
    all.cache_bytes += part.cache_bytes;
    all.gathered_bytes += part.gathered_bytes;
  }
  return all;
}

/// "a; b" -> "A; b."
std::string sentence(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + '.';
}

}  // namespace

std::vector<std::string> explanation_advice(const Explanation& explanation) {
  std::vector<std::string> sentences;
  for (const std::string& advice : explanation.advice) sentences.push_back(sentence(advice));
  return sentences;
}

void print_explanation(std::ostream& out, const Prediction& chosen, const Explanation& explanation,
                       TableStyle style) {
  const bool steps = !chosen.traffic->price.steps.empty();
  std::vector<TableColumn> header;
  for (const char* name : {"part", "time", "floor"}) header.emplace_back(name);
  if (steps) {
    for (const char* name : {"values", "indices", "row pointers", "vectors read", "written"}) {
      header.emplace_back(name, 2);
    }
    for (const char* name : {"from memory", "from cache"}) header.emplace_back(name);
    header.emplace_back("gathered", 1);
  }
  header.emplace_back("bound by");
  Table table(header);
  const auto add = [&](const ExplainedPart& part) {
    std::vector<std::string> row{
        part.name, format_seconds(part.seconds),
        part.floor_seconds >= 1e-9 ? format_seconds(part.floor_seconds) : "-"};
    if (steps) {
      for (const double bytes :
           {part.bytes.values, part.bytes.indices, part.bytes.row_pointers, part.bytes.vector_reads,
            part.bytes.vector_writes, part.memory_bytes, part.cache_bytes, part.gathered_bytes}) {
        row.push_back(bytes_or_dash(bytes));
      }
    }
    row.push_back(part.bound);
    table.add_row(row);
  };
  for (const ExplainedPart& part : explanation.parts) add(part);
  add(total(explanation.parts));
  out << '\n';
  print_paragraph(
      out,
      "Explained: layout " + to_string(chosen.layout) + ", schedule " + chosen.schedule +
          (chosen.launch ? ", launch " + std::string(to_string(*chosen.launch)) : "") +
          (chosen.devices > 1 ? ", " + std::to_string(chosen.devices) +
                                    (chosen.exchange ? " GPUs, exchange " +
                                                           std::string(to_string(*chosen.exchange))
                                                     : " CPUs")
                              : "") +
          ": " + format_seconds(chosen.seconds_per_iteration) + " an iteration",
      style);
  table.print(out, style);
  if (steps) {
    print_paragraph(out,
                    std::string("floor: the bytes from and to memory at its speed; from cache: "
                                "moved by ") +
                        (chosen.traffic->segment.cpu ? "caches behind the nearest one"
                                                     : "the last-level cache alone") +
                        "; gathered: 32-byte sectors of the multiplied vector, part of both.",
                    style);
  } else {
    const PersistentExecution& kernel = chosen.traffic->segment.execution.persistent;
    print_paragraph(out,
                    std::to_string(kernel.blocks) +
                        (kernel.blocks == 1 ? " thread block of " : " thread blocks of ") +
                        std::to_string(kernel.threads) + " threads; " +
                        format_number(100 * kernel.resident_share) +
                        " % of the matrix values stay in their shared memory, " +
                        format_bytes(kernel.moved_bytes) + " move in an iteration.",
                    style);
  }
  if (chosen.devices > 1) {
    const TrafficPrice& price = chosen.traffic->price;
    Table devices({"device", "rows", "stored elements", "receives", "sends", "interior rows"});
    const std::vector<SegmentWork>& segments = *chosen.traffic->segments;
    // Of thousands the first are as good as any: inspect --devices tells of all.
    constexpr std::size_t most_lines = 16;
    for (std::size_t i = 0; i < std::min(segments.size(), most_lines); ++i) {
      const SegmentWork& one = segments[i];
      devices.add_row(
          {std::to_string(i), format_count(std::llround(one.shape.unknowns)),
           format_count(std::llround(one.shape.elements)), format_count(std::llround(one.received)),
           format_count(std::llround(one.sent)), format_count(std::llround(one.interior_rows))});
    }
    devices.print(out, style);
    if (segments.size() > most_lines) {
      print_paragraph(out,
                      "The first " + std::to_string(most_lines) + " of " +
                          std::to_string(segments.size()) + "; inspect --devices " +
                          std::to_string(segments.size()) + " says more.",
                      style);
    }
    print_paragraph(out,
                    "Steps are those of the device that takes longest until the next sum. Of the "
                    "exchange " +
                        format_seconds(price.hidden_seconds) +
                        " more are hidden behind interior rows.",
                    style);
  }
  out << '\n' << "Bound by " << explanation.bound << ".";
  for (const std::string& each : explanation_advice(explanation)) out << ' ' << each;
  out << '\n';
}

}  // namespace sparsecast::cli
