#include "cli/commands/calibrate/calibration_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "calibrate/fit/fitted_samples.hpp"
#include "cli/html/charts.hpp"
#include "cli/html/page.hpp"
#include "cli/html/point_charts.hpp"
#include "cli/reports/calibration_report.hpp"
#include "cli/reports/table.hpp"
#include "core/base/statistics.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

namespace {

std::string series_of(const FittedSample& sample) {
  return sample.kind + ", " + std::string(to_string(sample.precision));
}

template <class Place>
std::vector<PointSeries> points_of(const std::vector<FittedSample>& samples, const Place& place) {
  std::map<std::string, PointSeries> by_kind;
  for (const FittedSample& sample : samples) {
    const auto [x, y] = place(sample);
    if (!(x > 0 && y > 0)) continue;
    PointSeries& series = by_kind[series_of(sample)];
    series.name = series_of(sample);
    series.points.push_back({x, y,
                             sample.name + ", " + std::string(to_string(sample.precision)) +
                                 "\nmeasured " + format_seconds(sample.measured_seconds) +
                                 ", fitted " + format_seconds(sample.fitted_seconds)});
  }
  std::vector<PointSeries> all;
  for (auto& [name, series] : by_kind) all.push_back(std::move(series));
  return all;
}

/// How far fits are off, a line a kind.
Table errors_table(const std::vector<FittedSample>& samples) {
  std::map<std::string, std::vector<double>> errors;
  for (const FittedSample& sample : samples) {
    errors[series_of(sample)].push_back(
        std::abs(sample.fitted_seconds / sample.measured_seconds - 1));
  }
  Table table({"what", "samples", "mean error", "median", "95 %"});
  for (const auto& [kind, of_kind] : errors) {
    table.add_row({kind, format_count(static_cast<long long>(of_kind.size())),
                   format_percent(mean(of_kind)), format_percent(quantile(of_kind, 0.5)),
                   format_percent(quantile(of_kind, 0.95))});
  }
  return table;
}

/// Fitted beside measured, and the residuals.
std::string section(const std::string& heading, const std::vector<FittedSample>& samples) {
  if (samples.empty()) return "";
  const std::vector<PointSeries> times = points_of(samples, [](const FittedSample& sample) {
    return std::pair(sample.measured_seconds, sample.fitted_seconds);
  });
  const std::vector<PointSeries> residuals = points_of(samples, [](const FittedSample& sample) {
    return std::pair(sample.elements, sample.fitted_seconds / sample.measured_seconds);
  });
  const std::string errors = html_table(errors_table(samples));
  return html_heading(2, heading) +
         html_chart(
             "Fitted beside measured times of the samples. On the line they are the same; "
             "dotted: 10 % to either side." +
                 thinned_text(times),
             diagonal_chart("Points: fitted over measured time.", {"measured", "s"},
                            {"fitted", "s"}, thinned(times)),
             errors) +
         html_chart("Residuals: fitted over measured time, by transferred elements." +
                        thinned_text(residuals),
                    ratio_chart("Points: fitted over measured time, by transferred elements.",
                                {"transferred elements", ""}, {"fitted / measured", ""},
                                thinned(residuals)),
                    errors);
}

}  // namespace

std::string calibration_page(const SampleFile& samples, const ProfileFit& fit,
                             std::span<const std::string> command) {
  const DeviceProfile& profile = fit.profile;
  const std::string title = "Calibration of " + profile.name;
  std::string body =
      html_heading(1, title) +
      html_paragraph(profile.device + ", " + origin_text(profile) + "; " +
                         format_count(static_cast<long long>(samples.samples.size())) + " samples.",
                     ParagraphStyle::subtitle);
  if (!fit.warnings.empty()) {
    body += html_heading(2, "To be taken with care") + html_list(fit.warnings);
  }
  body += section("The traffic model", samples_by_traffic(samples, fit)) +
          section("Throughput curves", samples_on_curves(samples, fit));
  if (!fit.kernels.empty()) {
    body += html_table(curves_table(fit)) + html_paragraph(curves_note, ParagraphStyle::note);
  }
  if (!fit.intervals.empty()) {
    body +=
        html_heading(2, "Whole iterations on other matrices") +
        html_paragraph("Measured over forecast time, by the paper's model.", ParagraphStyle::note) +
        html_table(intervals_table(fit));
  }
  body += html_heading(2, "How this was made") +
          html_facts({samples.origin.environment.begin(), samples.origin.environment.end()}) +
          html_command(command);
  return html_page(title, body);
}

}  // namespace sparsecast::cli
