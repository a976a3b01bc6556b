#include "cli/commands/report/provenance_section.hpp"

#include <algorithm>

#include "cli/html/page.hpp"
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

}  // namespace

std::string provenance_section(std::span<const MatrixForecast> matrices,
                               const ReportRequest& request, std::span<const std::string> command) {
  Table table({"profile", "device", "origin", "model", "memory"});
  std::string origins;
  bool curves = false;
  for (const DeviceProfile& profile : request.profiles) {
    curves = curves || !profile.traffic;
    table.add_row(
        {profile.name, profile.device, origin_text(profile), std::string(profile.model()),
         profile.memory_bytes > 0 ? format_bytes(static_cast<double>(profile.memory_bytes)) : "-"});
    origins += origin_of(profile);
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
             "knows of it and from counts of the matrix. A 90 % interval held the measured time in "
             "nine of ten cases of the device's calibration.") +
         html_table(table) + origins + html_facts(facts) + html_command(command);
}

}  // namespace sparsecast::cli
