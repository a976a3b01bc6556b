#include "cli/commands/report/provenance_section.hpp"

#include <algorithm>

#include "cli/html/page.hpp"
#include "predict/marked_name.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

namespace {

/// What is known of where a profile comes from.
std::string origin_of(const DeviceProfile& profile) {
  std::vector<std::pair<std::string, std::string>> facts(profile.environment.begin(),
                                                         profile.environment.end());
  if (!profile.notes.empty()) facts.emplace_back("notes", profile.notes);
  return facts.empty() ? "" : html_folded("How " + profile.name + " was made", html_facts(facts));
}

/// What a 90 % interval of this profile holds, in a sentence.
std::string meaning_of_interval(const DeviceProfile& profile) {
  const std::string of = "A 90 % interval of " + profile.name + ' ';
  const bool by_curves = std::ranges::any_of(
      profile.precisions, [](const auto& each) { return !each.second.intervals.empty(); });
  if (!(profile.traffic ? !profile.traffic->intervals.empty() : by_curves)) {
    return "There are no 90 % intervals of " + profile.name + ": nothing says how far off it is.";
  }
  const std::string relative = profile.estimated ? profile.estimated->like : "a relative";
  switch (profile.origin) {
    case DeviceProfile::Origin::measured:
      return of + "held the measured time in nine of ten cases of its calibration.";
    case DeviceProfile::Origin::published:
      return of + "follows from the errors that its publication reports; it was not calibrated.";
    case DeviceProfile::Origin::estimated:
      return of + "is that of " + relative +
             ", widened by how far such estimates were off elsewhere; no time was measured on it.";
    case DeviceProfile::Origin::measured_in_part:
      return of + "is that of " + relative +
             ", widened by how far such profiles were off elsewhere; no solver was measured on it.";
  }
  return "";
}

/// What joins their devices, if anything does.
std::string network_facts(const DeviceProfile& profile) {
  if (!profile.network) return "";
  const Network& network = *profile.network;
  std::vector<std::pair<std::string, std::string>> facts(network.environment.begin(),
                                                         network.environment.end());
  for (const std::string& source : network.sources) facts.emplace_back("source", source);
  return html_paragraph("Devices of several hosts are ranks of " + network_text(network) + ".") +
         (facts.empty() ? "" : html_folded("What is known of " + network.name, html_facts(facts)));
}

}  // namespace

std::string provenance_section(std::span<const MatrixForecast> matrices,
                               const ReportRequest& request, std::span<const std::string> command) {
  Table table({"profile", "device", "origin", "model", "memory"});
  std::string origins;
  std::vector<std::string> intervals;
  bool curves = false;
  for (const DeviceProfile& profile : request.profiles) {
    curves = curves || !profile.traffic;
    table.add_row(
        {marked_name(profile), profile.device, origin_text(profile), std::string(profile.model()),
         profile.memory_bytes > 0 ? format_bytes(static_cast<double>(profile.memory_bytes)) : "-"});
    origins += origin_of(profile);
    intervals.push_back(meaning_of_interval(profile));
  }
  std::vector<std::pair<std::string, std::string>> facts{
      {"sparsecast", SPARSECAST_VERSION}, {"precision", std::string(to_string(request.precision))}};
  if (curves) facts.emplace_back("curves", "average: what to expect");
  for (const MatrixForecast& matrix : matrices) {
    facts.emplace_back("matrix", matrix.forecast.subject);
  }
  return html_heading(2, "How this was made", "provenance") +
         html_paragraph(
             "Nothing ran on these devices: times are forecasts, from what each device's profile "
             "knows of it and from counts of the matrix.") +
         html_list(intervals) + html_table(table) + origins +
         network_facts(request.profiles.front()) + html_facts(facts) + html_command(command);
}

}  // namespace sparsecast::cli
