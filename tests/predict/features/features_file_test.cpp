#include "predict/features/features_file.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/features/predict_features.hpp"

namespace sparsecast {
namespace {

using Json = nlohmann::json;

const GpuShape gpu{132, 62'914'560, 232'448};

const std::string& grid_text() {
  static const std::string text = [] {
    const CsrMatrix<double> grid = laplacian(7, 12, 11, 10);
    MatrixOrders orders(grid.view(), std::nullopt);
    CountRequest request;
    request.devices = {2};
    request.gpus = {gpu};
    return features_to_json(count_features(orders, "grid.mtx", request));
  }();
  return text;
}

std::string refusal_of_text(const std::string& text) {
  return refusal_of([&] { parse_features(text, "f.features.json"); });
}

/// After a change.
std::string refusal_of_changed(const std::function<void(Json&)>& change) {
  Json json = Json::parse(grid_text());
  change(json);
  return refusal_of_text(json.dump());
}

TEST(FeaturesFile, ReadsBackAsItWasWritten) {
  EXPECT_EQ(features_to_json(parse_features(grid_text(), "f.features.json")), grid_text());
  const ForecastFeatures features = parse_features(grid_text(), "f.features.json");
  EXPECT_EQ(features.name, "grid.mtx");
  EXPECT_EQ(features.source, "f.features.json");
  EXPECT_EQ(features.features.rows, 12 * 11 * 10);
  EXPECT_EQ(features.devices, std::vector<int>{2});
  EXPECT_EQ(features.persistent.size(), 4u);  // in blocks of 1 and 3, of f32 and f64
}

TEST(FeaturesFile, KeepsNumbersToTheLastBit) {
  const CsrMatrix<double> matrix = power_law(3000, 11, 2.2, 8);
  const MatrixFeatures features = compute_features(matrix.view());
  const MatrixAccess access = compute_access(matrix.view());
  MatrixOrders orders(matrix.view(), features);
  const ForecastFeatures read =
      parse_features(features_to_json(count_features(orders, "", {})), "f.features.json");
  EXPECT_EQ(read.features.row_length.stddev, features.row_length.stddev);
  EXPECT_EQ(read.features.row_length.histogram, features.row_length.histogram);
  EXPECT_EQ(read.features.format_counts, features.format_counts);
  for (const int n : block_sizes) {
    EXPECT_EQ(read.features.block(n).block_density, features.block(n).block_density);
    EXPECT_EQ(read.access.column_reach(n).below, access.column_reach(n).below);
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      Layout layout = block_layout(n);
      layout.row_order = order;
      for (const Precision precision : {Precision::f32, Precision::f64}) {
        EXPECT_EQ(read.access.pattern(layout, precision), access.pattern(layout, precision));
      }
    }
  }
}

TEST(FeaturesFile, IsSmall) {
  EXPECT_LT(grid_text().size(), 40'000u);
}

TEST(FeaturesFile, RefusesWhatIsDamaged) {
  EXPECT_NE(refusal_of_text("").find("f.features.json: damaged JSON at line 1"), std::string::npos);
  // Cut anywhere but before the last line's end.
  for (std::size_t size = 1; size + 2 < grid_text().size(); size += 997) {
    EXPECT_NE(refusal_of_text(grid_text().substr(0, size)).find("damaged JSON"), std::string::npos);
  }
}

TEST(FeaturesFile, RefusesOtherVersions) {
  EXPECT_EQ(
      refusal_of_changed([](Json& json) { json["schema"] = 2; }),
      "f.features.json: schema: version 2 is unknown; expected 1; count the matrix again with "
      "this version: sparsecast inspect MATRIX --features FILE, or from Python "
      "count_features(A)");
}

TEST(FeaturesFile, NamesTheKindOfOtherFiles) {
  EXPECT_EQ(
      refusal_of_text(R"({"schema": 1, "precisions": {}})"),
      "f.features.json: is a profile; give it as the profile, and a features file as sparsecast "
      "inspect writes it, or a matrix, here");
  EXPECT_EQ(refusal_of_text(R"({"schema": 1, "iteration": []})"),
            "f.features.json: is a schedule; give it as the schedule, and a features file as "
            "sparsecast inspect writes it, or a matrix, here");
  EXPECT_EQ(refusal_of_text("[1]"), "f.features.json: expected an object, found an array");
}

TEST(FeaturesFile, NamesThePlaceOfWhatIsWrong) {
  const std::string file = "f.features.json: ";
  EXPECT_EQ(refusal_of_changed([](Json& json) { json.erase("access"); }),
            file + "field 'access' is missing");
  EXPECT_EQ(refusal_of_changed([](Json& json) { json["features"]["nonzeros"] = -7; }),
            file + "features.nonzeros: expected a whole number from 0 to 2^53, found -7");
  EXPECT_EQ(refusal_of_changed([](Json& json) { json["features"]["nonzeros"] = 10'000'000'000; }),
            file + "features.nonzeros: are more than the matrix has places");
  EXPECT_EQ(refusal_of_changed([](Json& json) { json["features"]["rows"] = "many"; }),
            file + "features.rows: expected a whole number from 0 to 2^53, found a text");
  EXPECT_EQ(refusal_of_changed([](Json& json) { json["features"]["columns"] = 5000; }),
            file + "features: expected a square matrix with rows");
  EXPECT_EQ(
      refusal_of_changed([](Json& json) { json["access"]["gathers"]["f64"]["again"][1] = -1; }),
      file + "access.gathers.f64.again[1]: expected a number of at least 0, found -1");
  EXPECT_EQ(refusal_of_changed([](Json& json) { json["access"]["rows"].erase(5); }),
            file + "access.rows: expected 6 objects, found 5");
  EXPECT_EQ(refusal_of_changed([](Json& json) {
              json["devices"] = {2, 2};
            }),
            file + "devices[1]: expected a whole number from 3");
  EXPECT_EQ(refusal_of_changed([](Json& json) {
              json["renumbering"] = "rmc";
            }).find(file + "renumbering: "),
            0u);
  EXPECT_EQ(refusal_of_changed([](Json& json) {
              json["formats"]["bcsr"]["layouts"][1]["products"]["f32"][0]["lanes"] = 3;
            }),
            file + "formats.bcsr.layouts[1].products.f32[0].lanes: expected 1, 2, 4, 8, 16 or 32");
  EXPECT_EQ(refusal_of_changed([](Json& json) { json["formats"]["bcsr"]["layouts"].erase(4); }),
            file + "formats.bcsr.layouts: expected 5 layouts, found 4");
  EXPECT_EQ(
      refusal_of_changed([](Json& json) {
        json["formats"]["csr"]["layouts"][0]["partitions"][0]["segments"][1]["numbers"]["rows"] = 1;
      }),
      file +
          "formats.csr.layouts[0].partitions[0].segments: are together another matrix than "
          "that of 'features'");
  EXPECT_EQ(refusal_of_changed([](Json& json) { json["persistent"][0]["block"] = 2; }),
            file + "persistent[0].block: there are no persistent kernels for such blocks");
  EXPECT_EQ(
      refusal_of_changed([](Json& json) { json["persistent"][0]["gpu"]["multiprocessors"] = 0; }),
      file + "persistent[0].gpu.multiprocessors: expected a whole number from 1");
  EXPECT_EQ(refusal_of_changed([](Json& json) {
              json["persistent"][0]["stepz"] = 0;
            }).find(file + "persistent[0]: unknown field 'stepz'; did you mean 'steps'"),
            0u);
}

TEST(FeaturesFile, KeepsWhichDevicesExchange) {
  const ForecastFeatures features = parse_features(grid_text(), "f.features.json");
  const auto& segments = features.find({})->partitions.at(2).segments;
  // A plane of the grid, in whole cache lines.
  EXPECT_EQ(segments[0].neighbours, (std::vector{CountedNeighbour{1, {132, 132}}}));
  EXPECT_EQ(segments[1].neighbours, (std::vector{CountedNeighbour{0, {132, 132}}}));
  require_neighbours(features);
}

TEST(FeaturesFile, OfEarlierVersionsDoesNotSayWhichDevicesExchange) {
  Json json = Json::parse(grid_text());
  for (Json& layout : json["formats"]["csr"]["layouts"]) {
    for (Json& segment : layout["partitions"][0]["segments"]) segment.erase("neighbours");
  }
  const ForecastFeatures features = parse_features(json.dump(), "f.features.json");
  EXPECT_FALSE(features.find({})->partitions.at(2).segments[0].neighbours);
  EXPECT_EQ(refusal_of([&] { require_neighbours(features); }),
            "f.features.json: does not say which devices exchange with which, as forecasts over a "
            "network need; count the matrix again where it is: sparsecast inspect MATRIX "
            "--features FILE --for-devices 2, or from Python count_features(A, profiles, "
            "devices=[2])");
}

TEST(FeaturesFile, RefusesNeighboursThatCannotBe) {
  const auto refusal = [](const std::function<void(Json&)>& change) {
    return refusal_of_changed([&](Json& json) {
      change(json["formats"]["csr"]["layouts"][0]["partitions"][0]["segments"][1]["neighbours"]);
    });
  };
  const std::string place =
      "f.features.json: formats.csr.layouts[0].partitions[0].segments[1].neighbours";
  EXPECT_EQ(refusal([](Json& json) { json["devices"][0] = 2; }),
            place + ".devices[0]: expected other devices of 2, rising");
  EXPECT_EQ(refusal([](Json& json) { json["devices"][0] = 1; }),
            place + ".devices[0]: expected other devices of 2, rising");
  EXPECT_EQ(refusal([](Json& json) { json["sent"].push_back(1); }),
            place + ": expected as many numbers received and sent as devices");
  EXPECT_EQ(refusal([](Json& json) { json["received"][0] = 131; }),
            place + ": is together another halo than that of 'halo'");
}

TEST(FeaturesFile, LeavesFormatsOutThatAreOfAnotherVersionOrNotThere) {
  Json json = Json::parse(grid_text());
  json["formats"]["dia"] = {{"version", 7}, {"anything", "else"}};
  json["formats"].erase("bcsr");
  json["formats"].erase("sell");
  json["formats"].erase("csr-adaptive");
  json["formats"]["other"] = {{"version", 1}};
  const ForecastFeatures features = parse_features(json.dump(), "f.features.json");
  EXPECT_EQ(features.layouts.size(), 1u);
  EXPECT_EQ(
      features.left_out,
      (std::vector<std::string>{"f.features.json says nothing of format bcsr",
                                "format dia has version 7 in f.features.json, this program 1",
                                "f.features.json says nothing of format csr-adaptive",
                                "f.features.json says nothing of format sell",
                                "format other in f.features.json is not known to this program"}));
}

TEST(FeaturesFile, IsOfAMatrixThatCanBeSolved) {
  const CsrMatrix<double> none;
  MatrixOrders orders(none.view(), std::nullopt);
  EXPECT_EQ(refusal_of([&] { count_features(orders, "", {}); }),
            "prediction: the matrix has no rows; expected at least one");
}

}  // namespace
}  // namespace sparsecast
