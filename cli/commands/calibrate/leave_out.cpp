#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/fit/family_errors.hpp"
#include "calibrate/sample.hpp"
#include "cli/commands/calibrate/programs.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/table_options.hpp"

namespace sparsecast::cli {

using Json = nlohmann::ordered_json;

namespace {

Json to_json(const MatrixErrors& errors) {
  return {{"matrices", errors.matrices},
          {"mean", errors.mean},
          {"median", errors.median},
          {"p95", errors.p95}};
}

}  // namespace

int leave_families_out(const CommandLine& line) {
  const SampleFile file = read_samples(line.get<std::string>("leave-families-out"));
  std::vector<FamilyErrors> lines;
  {
    Progress progress("fitting without each family");
    lines = sparsecast::leave_families_out(file, {},
                                           [&progress](double done) { progress.update(done); });
  }
  if (line.has("json")) {
    Json array = Json::array();
    for (const FamilyErrors& each : lines) {
      array.push_back({{"family", each.family},
                       {"iterations", to_json(each.iterations)},
                       {"products", to_json(each.products)},
                       {"regression_iterations", to_json(each.regression_iterations)},
                       {"regression_products", to_json(each.regression_products)}});
    }
    std::cout << json_text(with_json_head("calibrate", {{"families", array}}));
    return 0;
  }
  const TableStyle style = table_style(line);
  print_paragraph(std::cout,
                  "Errors of time of families that the fit has not seen; a matrix counts once",
                  style);
  std::vector<TableColumn> columns{TableColumn::of_names("family")};
  // What the model is compared with goes first where there is no room.
  for (const auto& [name, left_out] :
       {std::pair("iterations of", 0), std::pair("by regression, of", 1),
        std::pair("products of", 0), std::pair("by regression, of", 1)}) {
    for (const char* column : {name, "mean", "median", "95 %"}) {
      columns.emplace_back(column, left_out);
    }
  }
  Table table(columns);
  for (const FamilyErrors& each : lines) {
    std::vector<std::string> cells{each.family};
    for (const MatrixErrors& errors :
         {each.iterations, each.regression_iterations, each.products, each.regression_products}) {
      const bool none = errors.matrices == 0;
      cells.push_back(std::to_string(errors.matrices));
      for (const double number : {errors.mean, errors.median, errors.p95}) {
        cells.push_back(none ? "-" : format_number(number));
      }
    }
    table.add_row(cells);
  }
  table.print(std::cout, style);
  return 0;
}

}  // namespace sparsecast::cli
