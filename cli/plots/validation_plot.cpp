#include "cli/plots/validation_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/plots/colours.hpp"
#include "cli/plots/gnuplot.hpp"
#include "cli/plots/picture.hpp"
#include "cli/plots/round_numbers.hpp"
#include "cli/plots/validation_labels.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast::cli {

namespace {

struct Panel {
  Precision precision;
  std::size_t layout;  ///< `layout_index`

  friend auto operator<=>(const Panel&, const Panel&) = default;  // NOLINT(modernize-use-nullptr)
};

Panel panel_of(const ValidationRow& row) {
  return {row.precision, layout_index(row.layout)};
}

std::string devices_text(int devices) {
  return std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

/// On a log axis there is nothing else.
bool can_be_drawn_on_log_axis(double value) {
  return value > 0 && std::isfinite(value);
}

/// The cases of one solver on matrices as they were given.
std::vector<ValidationRow> figure10_cases(std::span<const ValidationRow> all) {
  const auto rank = [](const ValidationRow& row) {
    const int schedule = row.schedule == algorithm1().name() ? 0
                         : row.schedule == product_alone     ? 2
                                                             : 1;
    return std::tuple(schedule, row.launch.empty() || row.launch == "graph" ? 0 : 1,
                      solver_label(row));
  };
  if (all.empty()) return {};
  const std::string solver = solver_label(*std::ranges::min_element(all, {}, rank));
  const bool files = std::ranges::any_of(all, [](const auto& row) { return !row.generated; });
  std::vector<ValidationRow> rows;
  std::ranges::copy_if(all, std::back_inserter(rows), [&](const ValidationRow& row) {
    return row.renumbering == "none" && solver_label(row) == solver && row.generated != files &&
           can_be_drawn_on_log_axis(effective_gflops(row, row.measured_seconds));
  });
  return rows;
}

/// Figure 10 of such cases, at least one.
class Figure10 {
 public:
  Figure10(std::vector<ValidationRow> rows, std::string title)
      : rows_(std::move(rows)), title_(std::move(title)) {
    std::map<std::string, std::int64_t> dimensions;
    for (const ValidationRow& row : rows_) {
      dimensions[row.matrix] = row.unknowns;
      panels_.insert(panel_of(row));
      devices_.insert(row.devices);
      for (const double seconds : {row.measured_seconds, row.predicted_seconds}) {
        const double value = effective_gflops(row, seconds);
        if (!(seconds > 0) || !can_be_drawn_on_log_axis(value)) continue;
        low_ = low_ > 0 ? std::min(low_, value) : value;
        high_ = std::max(high_, value);
      }
    }
    for (const auto& [name, unknowns] : dimensions) matrices_.push_back(name);
    std::ranges::stable_sort(matrices_, {},
                             [&](const std::string& name) { return dimensions.at(name); });
    for (const int devices : devices_) {
      key_.push_back("predicted, " + devices_text(devices));
      key_.push_back("measured, " + devices_text(devices));
    }
    constexpr std::size_t most_side_by_side = 60;
    columns_ = panels_.size() > 1 && matrices_.size() <= most_side_by_side ? 2 : 1;
    const int panel_rows = (static_cast<int>(panels_.size()) + columns_ - 1) / columns_;
    int longest = 0;
    for (const std::string& name : matrices_) {
      longest = std::max(longest, text_width(brief(name)));
    }
    const int of_points = 14 * static_cast<int>(matrices_.size());
    picture_.width = 100 + columns_ * std::max(columns_ > 1 ? 420 : 800, of_points);
    // Names stand under the lowest panel of each column; all panels keep the same height.
    picture_.height = head() + panel_rows * panel_height + longest + 50;
  }

  std::string script() const {
    std::string script = data();
    script += "set multiplot\n";
    script += "set xrange [0.4:" + std::to_string(matrices_.size()) + ".6]\n";
    script += "set logscale y\nset yrange [" + format_number(low_ / 1.4, "%.6g") + ":" +
              format_number(high_ * 1.4, "%.6g") + "]\n";
    std::string tics;
    for (const double number : round_numbers(low_ / 1.4, high_ * 1.4, 4)) {
      tics += (tics.empty() ? "" : ", ") + format_number(number, "%.6g");
    }
    script += "set format y '%g'\nset ytics (" + tics + ") font ',12'\n";
    script += "set grid y lc rgb '#dddddd' lt 1\nset border 3\nset tics nomirror out scale 0.4\n";
    script += picture_.title(title_);
    script += "set label 2 'effective GFlop/s of an iteration' at " +
              picture_.at(16, (head() + picture_.height) / 2.0 - 40) + " rotate by 90 center\n";
    script += "set label 3 'matrices in the order of their dimension' at " +
              picture_.at(picture_.width / 2.0, picture_.height - 12.0) + " center\n";
    int position = 0;
    for (const Panel& panel : panels_) script += panel_script(panel, position++);
    return script + "unset multiplot\n";
  }

  const Picture& picture() const { return picture_; }

 private:
  static constexpr int panel_height = 250;

  int head() const {
    return picture_.title_height(title_) + 14 + key_row_height * key_rows(key_, picture_.width);
  }

  static std::string block(const Panel& panel, int devices) {
    return "$p" + std::to_string(panel.layout) + std::string(to_string(panel.precision)) + "_" +
           std::to_string(devices);
  }

  /// A line a matrix: place, measured, predicted. Devices are beside each other.
  std::string data() const {
    std::string text;
    for (const Panel& panel : panels_) {
      int nth = 0;
      for (const int devices : devices_) {
        const double beside =
            bar_width() * (nth++ - (static_cast<double>(devices_.size()) - 1) / 2);
        text += block(panel, devices) + " << EOD\n";
        for (const ValidationRow& row : rows_) {
          if (row.devices != devices || panel_of(row) != panel) continue;
          const auto place = std::ranges::find(matrices_, row.matrix) - matrices_.begin() + 1;
          const double predicted =
              row.predicted_seconds > 0 ? effective_gflops(row, row.predicted_seconds) : 0;
          text += format_number(static_cast<double>(place) + beside, "%.6g ") +
                  format_number(effective_gflops(row, row.measured_seconds), "%.6g ") +
                  (can_be_drawn_on_log_axis(predicted) ? format_number(predicted, "%.6g") : "NaN") +
                  '\n';
        }
        text += "EOD\n";
      }
    }
    return text;
  }

  double bar_width() const { return 0.8 / static_cast<double>(devices_.size()); }

  /// A few pixels where there are few matrices.
  double half_bar() const {
    constexpr double most_pixels = 12;
    const double pixels_a_matrix =
        (picture_.width - 100.0) / columns_ / static_cast<double>(matrices_.size());
    return std::min(0.45 * bar_width(), most_pixels / pixels_a_matrix);
  }

  bool has_cases(const Panel& panel, int devices) const {
    return std::ranges::any_of(rows_, [&](const ValidationRow& row) {
      return row.devices == devices && panel_of(row) == panel;
    });
  }

  std::string panel_script(const Panel& panel, int position) const {
    const int column = position % columns_;
    const int row = position / columns_;
    const bool lowest = position + columns_ >= static_cast<int>(panels_.size());
    const double column_width = (picture_.width - 90.0) / columns_;
    const double left = 80 + column * column_width;
    const double top = head() + row * panel_height;
    std::string script =
        picture_.margins(left, left + column_width - 60, top + 14, top + panel_height - 16);
    script += "set label 4 " +
              gnuplot_quote(to_string(all_layouts()[panel.layout]) + ", " +
                            std::string(to_string(panel.precision))) +
              " at graph 0, graph 1.06 left\n";
    script += "set xtics rotate by 90 right font ',12' (";
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      script += (i > 0 ? ", " : "") + gnuplot_tic_label(lowest ? brief(matrices_[i]) : "") + ' ' +
                std::to_string(i + 1);
    }
    script += ")\n";
    const bool with_key = position == 0;
    script += with_key ? picture_.key(picture_.title_height(title_), key_rows(key_, picture_.width))
                       : "unset key\n";
    script += "plot ";
    std::string plots;
    std::size_t nth = 0;
    for (const int devices : devices_) {
      const std::string colour =
          " lc rgb '" + std::string(colours[nth % colours.size()]) + "' title ";
      const std::string name = has_cases(panel, devices) ? block(panel, devices) : "";
      const std::string half = format_number(half_bar(), "%.6g");
      const std::string points =
          " with points pt 7 ps 0.6" + colour + gnuplot_quote(key_[2 * nth + 1]);
      const std::string bars =
          " with vectors nohead lw 2.5" + colour + gnuplot_quote(key_[2 * nth]);
      ++nth;
      if (!name.empty()) {
        plots += (plots.empty() ? "" : ", ") + name + " using ($1-" + half + "):3:(2*" + half +
                 "):(0)" + bars + ", " + name + " using 1:2" + points;
      } else if (with_key) {
        plots +=
            (plots.empty() ? "" : ", ") + std::string("keyentry") + bars + ", keyentry" + points;
      }
    }
    return script + plots + "\nunset label 1\nunset label 2\nunset label 3\n";
  }

  std::vector<ValidationRow> rows_;
  std::string title_;
  std::set<Panel> panels_;
  std::set<int> devices_;
  std::vector<std::string> matrices_;  ///< by dimension
  std::vector<std::string> key_;
  double low_ = 0;
  double high_ = 0;
  int columns_ = 1;
  Picture picture_;
};

}  // namespace

void draw_validation(const std::filesystem::path& file, const ValidationData& data) {
  std::vector<ValidationRow> rows = figure10_cases(data.rows);
  if (rows.empty()) throw Error(file.string() + ": no cases to draw");
  const std::string solver = solver_label(rows.front());
  const std::string about = validation_label(data);
  const Figure10 figure(std::move(rows), solver + (about.empty() ? "" : ", " + about));
  draw_with_gnuplot(file, figure.script(), figure.picture().width, figure.picture().height);
}

}  // namespace sparsecast::cli
