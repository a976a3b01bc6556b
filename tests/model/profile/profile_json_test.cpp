#include "model/profile/profile_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/base/error.hpp"
#include "core/refusal.hpp"
#include "model/profile/full_profile.hpp"
#include "model/profile/profile_file.hpp"
#include "model/traffic/cpu_example.hpp"
#include "model/traffic/traffic_example.hpp"

namespace sparsecast {
namespace {

using Json = nlohmann::json;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path gtx280_path() {
  return std::filesystem::path(SPARSECAST_SOURCE_DIR) / "profiles" / "gtx280.json";
}

std::string refusal(const Json& json) {
  return refusal_of([&] { parse_profile(json.dump(), "bad"); });
}
std::string refusal_of_text(const std::string& text) {
  try {
    parse_profile(text, "bad", "folder/bad.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

class DamagedProfile : public ::testing::Test {
 protected:
  Json json_ = Json::parse(profile_to_json(full_profile()));
};

TEST(ProfileJson, IsTheSameAfterWritingAndReading) {
  const DeviceProfile profile = full_profile();
  const std::string text = profile_to_json(profile);
  const DeviceProfile read = parse_profile(text, "machine");
  EXPECT_EQ(profile_to_json(read), text);
  EXPECT_EQ(read.name, "machine");
  EXPECT_EQ(read.kind, DeviceProfile::Kind::cpu);
  EXPECT_EQ(read.device, profile.device);
  EXPECT_EQ(read.notes, profile.notes);
  EXPECT_EQ(read.environment, profile.environment);
  const KernelCurve& curve = read.curve(Precision::f64, spmv_curve_key("bcsr4"));
  EXPECT_EQ(curve.average.mu, 20.123456789012345);
  EXPECT_EQ(curve.average.nu, 1.0 / 3);
  ASSERT_TRUE(curve.quality.has_value());
  EXPECT_EQ(curve.quality->covariance[1], -2e-4);
  EXPECT_EQ(curve.quality->maximum_coverage.at(3), 0.9);
  EXPECT_FALSE(read.curve(Precision::f64, "CG4").quality.has_value());
  EXPECT_EQ(read.at(Precision::f64).intervals.at("bcsr4").high, 1.3);
  EXPECT_EQ(read.at(Precision::f64).intervals.at("bcsr4").median, 1.125);
  EXPECT_EQ(read.at(Precision::f64).intervals.at("bcsr4/2").median, 0);  // not in the file
  EXPECT_EQ(read.at(Precision::f64).conversion.at("bcsr4").seconds_per_element, 1.5e-9);
  EXPECT_EQ(read.at(Precision::f64).conversion.at("csr/persistent").seconds, 2e-4);
  EXPECT_EQ(read.at(Precision::f64).conversion.at("csr/persistent").seconds_per_row, 9e-9);
  EXPECT_EQ(read.at(Precision::f64).conversion.at("csr/persistent").seconds_per_halo, 6e-9);
  EXPECT_EQ(read.link(2).law, ExchangeLaw::peer);
  EXPECT_TRUE(read.link(2).shared_bus);
  EXPECT_EQ(read.link(2).curves.at("f64/peer").law, ExchangeLaw::ingress);
  const LinkCosts& costs = read.link(2).costs.value();
  EXPECT_EQ(costs.sum_seconds.error, 1e-7);
  EXPECT_EQ(costs.exchanges.at(ExchangeMode::halo).gbps.value, 310);
  EXPECT_EQ(costs.intervals.at("iteration/2").high, 1.1);
  EXPECT_EQ(read.upload_gbps, 12.5);
  EXPECT_EQ(read.upload_seconds, 1.5e-4);
  EXPECT_EQ(read.upload_seconds_per_start, 1.1e-4);
  EXPECT_EQ(read.upload_seconds_of_matrix, 9e-5);
  EXPECT_EQ(read.upload_small_gbps, 4.5);
}

TEST(ProfileJson, IsNotWrittenWithNumbersThatMakeNoSense) {
  DeviceProfile profile = full_profile();
  profile.precisions[Precision::f64].curves["CG4"].average.nu = std::nan("");
  EXPECT_THROW(profile_to_json(profile), Error);
  profile.precisions[Precision::f64].curves["CG4"].average.nu = -1;
  EXPECT_THROW(profile_to_json(profile), Error);
}

TEST(ProfileJson, SaysLineAndColumnOfDamagedJson) {
  EXPECT_EQ(refusal_of_text("{\n  \"schema\": 1,\n  oops\n}").substr(0, 49),
            "folder/bad.json: damaged JSON at line 3, column 3");
  EXPECT_NE(refusal_of_text("").find("line 1, column 1"), std::string::npos);
  const std::string whole = text_of(gtx280_path());
  EXPECT_NE(refusal_of_text(whole.substr(0, whole.size() / 2)).find("damaged JSON at line"),
            std::string::npos);
}

TEST(ProfileJson, RefusesEveryTruncationOfAFile) {
  const std::string whole = profile_to_json(full_profile());
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    EXPECT_NE(refusal_of_text(whole.substr(0, length)), "accepted") << length;
  }
}

TEST(ProfileJson, RefusesNumbersBeyondDouble) {
  std::string text = profile_to_json(full_profile());
  const std::size_t place = text.find("19.5");
  ASSERT_NE(place, std::string::npos);
  text.replace(place, 4, "1e999");
  EXPECT_NE(refusal_of_text(text), "accepted");
}

TEST(ProfileJson, SaysInOneShortLineWhatItRefuses) {
  Json named = Json::parse(profile_to_json(full_profile()));
  named["line\nbreak"] = 1;
  EXPECT_EQ(refusal(named).substr(0, 32), "bad: unknown field 'line?break';");
  Json kind = Json::parse(profile_to_json(full_profile()));
  kind["kind"] = std::string(1'000'000, 'x') + "\n";
  EXPECT_LT(refusal(kind).size(), 200u);
  Json key = Json::parse(profile_to_json(full_profile()));
  key["precisions"]["f64"]["curves"][std::string(1000, 'k') + "\n"] = Json::object();
  EXPECT_LT(refusal(key).size(), 300u);
}

TEST(ProfileJson, RefusesAFieldThatIsThereTwice) {
  std::string text = profile_to_json(full_profile());
  text.replace(text.find("\"notes\""), 7, "\"notes\": \"\", \"notes\"");
  EXPECT_EQ(refusal_of_text(text), "folder/bad.json: field 'notes' is there twice");
}

TEST(ProfileJson, RefusesANulByteWithItsPlace) {
  const std::string text = profile_to_json(full_profile());
  EXPECT_EQ(refusal_of_text(std::string("{\n\0", 3) + text).substr(0, 49),
            "folder/bad.json: damaged JSON at line 2, column 1");
  EXPECT_NE(refusal_of_text(text + std::string(1, '\0') + "more"), "accepted");
}

/// With a walk for each lookup it would take minutes.
TEST(ProfileJson, ReadsAnObjectOfVeryManyFields) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  text.back() = '}';
  EXPECT_EQ(refusal_of_text(text), "folder/bad.json: field 'schema' is missing");
}

TEST(ProfileJson, RefusesJsonThatIsNestedVeryDeeply) {
  constexpr std::size_t depth = 100'000;
  EXPECT_NE(refusal_of_text(std::string(depth, '[')).find("damaged JSON"), std::string::npos);
  EXPECT_EQ(refusal_of_text(std::string(depth, '[') + std::string(depth, ']')),
            "folder/bad.json: damaged JSON, nested deeper than 100; expected a profile as "
            "sparsecast calibrate writes it");
}

TEST(ProfileJson, RefusesWhatIsNoObject) {
  EXPECT_EQ(refusal_of_text("[1]"), "folder/bad.json: expected an object, found an array");
  EXPECT_EQ(refusal_of_text("3"), "folder/bad.json: expected an object, found a number");
}

TEST_F(DamagedProfile, IsAcceptedBeforeTheDamage) {
  EXPECT_EQ(refusal(json_), "accepted");
}

TEST_F(DamagedProfile, IsRefusedForAnUnknownSchema) {
  json_["schema"] = 2;
  json_["something new"] = true;
  EXPECT_EQ(refusal(json_), "bad: schema: version 2 is unknown; expected 1");
  json_["schema"] = "1";
  EXPECT_EQ(refusal(json_), "bad: schema: expected a whole number from 0, found a text");
  json_.erase("schema");
  EXPECT_EQ(refusal(json_), "bad: field 'schema' is missing");
}

TEST_F(DamagedProfile, IsRefusedWithThePathOfAMissingField) {
  json_["precisions"]["f64"]["curves"]["CG4"]["average"].erase("mu");
  EXPECT_EQ(refusal(json_), "bad: precisions.f64.curves.CG4.average: field 'mu' is missing");
}

TEST_F(DamagedProfile, IsRefusedWithThePathOfAnUnknownField) {
  json_["links"]["2"]["sync_second"] = 1;
  EXPECT_EQ(refusal(json_),
            "bad: links.2: unknown field 'sync_second'; known are costs, curves, exchange, law, "
            "shared_bus, "
            "sync_seconds");
}

TEST_F(DamagedProfile, IsRefusedWithThePathOfAWrongType) {
  json_["precisions"]["f64"]["curves"]["CG4"]["average"]["nu"] = "fast";
  EXPECT_EQ(refusal(json_),
            "bad: precisions.f64.curves.CG4.average.nu: expected a number from 1e-09 to 1e+09, "
            "found a text");
}

TEST_F(DamagedProfile, IsRefusedForNumbersThatMakeNoSense) {
  const Json good = json_;
  const auto damaged = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return refusal(bad);
  };
  const std::string curve = "/precisions/f64/curves/CG4/average";
  EXPECT_NE(damaged((curve + "/mu").c_str(), -1), "accepted");
  EXPECT_NE(damaged((curve + "/sigma").c_str(), 0), "accepted");
  EXPECT_NE(damaged((curve + "/nu").c_str(), -5), "accepted");
  EXPECT_NE(damaged((curve + "/nu").c_str(), nullptr), "accepted");
  EXPECT_NE(damaged("/links/2/sync_seconds", -1e-6), "accepted");
  EXPECT_NE(damaged("/memory_bytes", -1), "accepted");
  EXPECT_NE(damaged("/memory_bytes", 1.5), "accepted");
  EXPECT_NE(damaged("/device_count_max", 1e10), "accepted");
  EXPECT_NE(damaged("/precisions/f64/intervals/bcsr4/low", 0), "accepted");
  EXPECT_NE(damaged("/precisions/f64/intervals/bcsr4/high", 0.5), "accepted");
  EXPECT_NE(damaged("/precisions/f64/intervals/bcsr4/median", 1.4), "accepted");
  EXPECT_NE(damaged("/precisions/f64/conversion/bcsr4/seconds_per_nonzero", -1), "accepted");
  EXPECT_NE(damaged("/upload_gbps", 0), "accepted");
  EXPECT_NE(damaged("/kind", "fpga"), "accepted");
}

TEST_F(DamagedProfile, IsRefusedForAKeyThatIsNoPrecisionOrNumberOfDevices) {
  Json other = json_;
  other["precisions"]["f16"] = other["precisions"]["f64"];
  EXPECT_EQ(refusal(other), "bad: precisions.f16: expected f32 or f64, found 'f16'");
  json_["links"]["1"] = json_["links"]["2"];
  EXPECT_NE(refusal(json_), "accepted");
}

DeviceProfile profile_with_traffic() {
  DeviceProfile profile = read_profile("gtx280");
  TrafficProfile traffic;
  traffic.gpu = example_gpu();
  traffic.parameters = example_parameters();
  for (const TrafficParameter& each : parameter_list(traffic.parameters)) {
    traffic.log_errors[each.name] = 0.01;
  }
  traffic.samples = 123;
  traffic.median_error = 0.04;
  traffic.layouts = {"f64/csr"};
  traffic.intervals["iteration/2"] = {0.9, 1.1, 45};
  traffic.intervals["iteration/3"] = {0.8, 1.1, 45, 0, 1e9};
  traffic.physical_intervals["iteration/2"] = {0.7, 1.3, 45};
  profile.traffic = traffic;
  return profile;
}

TEST(ProfileJson, KeepsTheTrafficModel) {
  const DeviceProfile profile = profile_with_traffic();
  EXPECT_EQ(profile.model(), "traffic");
  const DeviceProfile back = parse_profile(profile_to_json(profile), "back");
  ASSERT_TRUE(back.traffic);
  EXPECT_EQ(back.traffic->gpu, example_gpu());
  TrafficParameters found = back.traffic->parameters;
  TrafficParameters wanted = example_parameters();
  const auto all = parameter_list(wanted);
  const auto read = parameter_list(found);
  ASSERT_EQ(read.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(read[i].name, all[i].name);
    EXPECT_EQ(*read[i].value, *all[i].value) << all[i].name;
  }
  EXPECT_EQ(back.traffic->log_errors.at("device/wait"), 0.01);
  EXPECT_EQ(back.traffic->layouts, std::vector<std::string>{"f64/csr"});
  EXPECT_EQ(back.traffic->intervals.at("iteration/2").high, 1.1);
  EXPECT_EQ(back.traffic->intervals.at("iteration/3").largest_bytes, 1e9);
  EXPECT_EQ(back.traffic->physical_intervals.at("iteration/2").low, 0.7);
  EXPECT_EQ(back.for_paper_model().model(), "paper");
}

TEST(ProfileJson, KeepsTheResidualModel) {
  DeviceProfile profile = profile_with_traffic();
  constexpr auto count = static_cast<std::size_t>(ProductTrait::count);
  Residual residual;
  residual.mean.assign(count, 1.5);
  residual.range.assign(count, 0.25);
  Traits traits(count);
  traits[1] = -0.125;
  residual.points = {{Traits(count), 0.5}, {traits, -0.01}};
  profile.traffic->parameters.residuals["products"] = residual;
  EXPECT_EQ(profile.model(), "hybrid");
  const DeviceProfile back = parse_profile(profile_to_json(profile), "back");
  const Residual& read = back.traffic->parameters.residuals.at("products");
  EXPECT_EQ(read.mean, residual.mean);
  EXPECT_EQ(read.range, residual.range);
  ASSERT_EQ(read.points.size(), 2);
  EXPECT_EQ(read.points[1].traits, traits);
  EXPECT_EQ(read.points[1].weight, -0.01);
  Json json = Json::parse(profile_to_json(profile));
  json["traffic"]["residuals"]["products"]["points"][1] = "1 2 3";
  EXPECT_EQ(refusal(json), "bad: traffic.residuals.products: expected 15 numbers, found '1 2 3'");
  json = Json::parse(profile_to_json(profile));
  json["traffic"]["residuals"]["products"]["range"] = "1 1 1 1 1 1 1 1 1 1 1 1 1 0";
  EXPECT_EQ(
      refusal(json),
      "bad: traffic.residuals.products: expected ranges above 0, found '1 1 1 1 1 1 1 1 1 1 1 "
      "1 1 0'");
  json = Json::parse(profile_to_json(profile));
  json["traffic"]["residuals"]["iterations"] = {{"mean", "1 2 3 4 5 6 7 8 9 10"},
                                                {"range", "1 1 1 1 1 1 1 1 1 1"},
                                                {"points", {"1 2 3 4 5 6 7 8 9 10 0.5"}}};
  EXPECT_EQ(parse_profile(json.dump(), "good")
                .traffic->parameters.residuals.at("iterations")
                .points[0]
                .weight,
            0.5);
  json["traffic"]["residuals"]["iterations"]["mean"] = "1 2 3";
  EXPECT_EQ(refusal(json), "bad: traffic.residuals.iterations: expected 10 numbers, found '1 2 3'");
}

TEST(ProfileJson, SaysWhichParametersAreNotDetermined) {
  DeviceProfile profile = profile_with_traffic();
  TrafficProfile& traffic = *profile.traffic;
  traffic.log_errors.erase("product/csr/entry");
  Json json = Json::parse(profile_to_json(profile));
  EXPECT_EQ(json["traffic"]["undetermined"], Json({"product/csr/entry"}));
  EXPECT_FALSE(json["traffic"]["parameters"].contains("product/csr/entry"));
  const DeviceProfile back = parse_profile(json.dump(), "back");
  EXPECT_LT(back.traffic->parameters.products.at("csr").entry_seconds, 1e-15);
  EXPECT_FALSE(back.traffic->log_errors.contains("product/csr/entry"));
  json["traffic"].erase("undetermined");
  EXPECT_NE(refusal(json).find("'product/csr/entry' is missing"), std::string::npos);
}

TEST(ProfileJson, SaysWhatToDoWithParametersOfAnotherVersion) {
  const Json json = Json::parse(profile_to_json(profile_with_traffic()));
  const std::string end = "; refit its samples or calibrate it again";
  Json more = json;
  more["traffic"]["parameters"]["device/moon"] = more["traffic"]["parameters"]["device/wait"];
  EXPECT_EQ(
      refusal(more),
      "bad: traffic.parameters.device/moon: the traffic model has no parameter 'device/moon'" +
          end);
  Json fewer = json;
  fewer["traffic"]["parameters"].erase("device/wait");
  EXPECT_EQ(refusal(fewer), "bad: traffic.parameters: field 'device/wait' is missing" + end);
}

TEST(ProfileJson, KeepsTheTrafficModelOfACpu) {
  DeviceProfile profile = profile_with_traffic();
  profile.traffic->gpu = {};
  profile.traffic->cpu_threads = 2;
  profile.traffic->parameters = example_cpu_parameters();
  profile.traffic->log_errors.clear();
  const std::string text = profile_to_json(profile);
  const DeviceProfile back = parse_profile(text, "back");
  EXPECT_EQ(back.traffic->cpu_threads, 2);
  ASSERT_TRUE(back.traffic->parameters.cpu);
  EXPECT_EQ(back.traffic->parameters.cpu->wait_seconds, 5e-7);
  EXPECT_EQ(back.traffic->parameters.cpu_products.at(Precision::f32).at("csr").row_seconds, 2e-9);
  EXPECT_EQ(profile_to_json(back), text);
  // Parameters of another kind of device.
  profile.traffic->parameters = example_parameters();
  EXPECT_THROW(profile_to_json(profile), Error);
}

TEST(ProfileJson, RefusesAGpuWithoutMultiprocessorsOrCache) {
  for (const char* field : {"multiprocessors", "l2_bytes", "shared_bytes_per_block"}) {
    Json json = Json::parse(profile_to_json(profile_with_traffic()));
    json["traffic"]["gpu"][field] = 0;
    EXPECT_EQ(refusal(json),
              "bad: traffic.gpu." + std::string(field) + ": expected at least 1, found 0");
  }
}

TEST(ProfileJson, RefusesADamagedTrafficModel) {
  const std::string text = profile_to_json(profile_with_traffic());
  const auto message_of = [](const std::string& json) -> std::string {
    try {
      parse_profile(json, "damaged");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string damaged = text;
    damaged.replace(damaged.find(what), what.size(), by);
    return damaged;
  };
  EXPECT_NE(message_of(replaced("device/wait", "device/weight")).find("device/weight"),
            std::string::npos);
  EXPECT_NE(message_of(replaced("\"unit\": \"s\"", "\"unit\": \"ms\"")).find("unit"),
            std::string::npos);
  EXPECT_NE(message_of(replaced("\"value\": 2e-05", "\"value\": 2")).find("expected a number"),
            std::string::npos);
}

}  // namespace
}  // namespace sparsecast
