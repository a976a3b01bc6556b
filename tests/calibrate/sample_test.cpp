#include "calibrate/sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

SampleFile small_file() {
  constexpr unsigned seed = 7;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(0.001, 1);
  SampleFile file;
  file.origin.device = "Some CPU: 2 threads, shared";
  file.origin.memory_bytes = 8'000'000'000;
  file.origin.device_count_max = 2;
  file.origin.environment = {{"date", "2026-11-21T12:00:00Z"}, {"compiler", "GCC 12.2"}};
  file.plan = "default";
  for (int i = 0; i < 5; ++i) {
    Sample sample;
    sample.precision = i % 2 == 0 ? Precision::f32 : Precision::f64;
    sample.kernel = i == 0 ? "CG4" : "SpMV";
    if (i > 0) {
      sample.layout = "bcsr2";
      sample.matrix = "laplacian7 4x4x" + std::to_string(i);
    }
    sample.shape.unknowns = 100 + i;
    sample.shape.total_unknowns = sample.shape.unknowns;
    sample.elements = 1e6 * number(random);
    sample.bytes.values = 1e6 * number(random);
    sample.seconds = 1e-3 * number(random);
    sample.relative_spread = number(random);
    sample.relative_error = number(random);
    sample.repeats = 1 + i;
    sample.rounds = 5;
    sample.stable = i % 2 == 1;
    if (i == 2) {
      sample.visits = 3;
      sample.second_seconds = 2 * sample.seconds;
    }
    if (i > 2) {
      sample.kernel = "Iteration";
      sample.schedule = "fused";
      sample.launch = "graph";
      sample.shape.index_bytes = 2;
      sample.core_clock_mhz = 1980;
      sample.throttle_reasons = i == 3 ? "power_cap+thermal" : "";
      sample.held_out = i == 4;
      sample.access.emplace();
      sample.access->sector_lookups = {100.0, 7.0};
      sample.access->warp_steps[2] = 4;
      sample.access->longest_row = 9;
    }
    file.samples.push_back(sample);
  }
  return file;
}

/// The text of the error that reading this text gives.
std::string error_of(const std::string& text) {
  try {
    parse_samples(text, "x.samples.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  return text.replace(position, from.size(), to);
}

TEST(Samples, ComeBackBitForBit) {
  const SampleFile file = small_file();
  const SampleFile back = parse_samples(samples_to_csv(file), "x.samples.csv");
  EXPECT_EQ(back.origin, file.origin);
  EXPECT_EQ(back.plan, file.plan);
  ASSERT_EQ(back.samples.size(), file.samples.size());
  for (std::size_t i = 0; i < back.samples.size(); ++i) {
    EXPECT_EQ(back.samples[i].matrix, file.samples[i].matrix);
    EXPECT_EQ(back.samples[i].precision, file.samples[i].precision);
    EXPECT_EQ(back.samples[i].elements, file.samples[i].elements);
    EXPECT_EQ(back.samples[i].seconds, file.samples[i].seconds);
    EXPECT_EQ(back.samples[i].shape.total_unknowns, file.samples[i].shape.total_unknowns);
    EXPECT_EQ(back.samples[i].stable, file.samples[i].stable);
    EXPECT_EQ(back.samples[i].schedule, file.samples[i].schedule);
    EXPECT_EQ(back.samples[i].launch, file.samples[i].launch);
    EXPECT_EQ(back.samples[i].shape.index_bytes, file.samples[i].shape.index_bytes);
    EXPECT_EQ(back.samples[i].shape.offset_bytes, file.samples[i].shape.offset_bytes);
    EXPECT_EQ(back.samples[i].core_clock_mhz, file.samples[i].core_clock_mhz);
    EXPECT_EQ(back.samples[i].throttle_reasons, file.samples[i].throttle_reasons);
    EXPECT_EQ(back.samples[i].held_out, file.samples[i].held_out);
    EXPECT_EQ(back.samples[i].access, file.samples[i].access);
    EXPECT_EQ(back.samples[i].visits, file.samples[i].visits);
    EXPECT_EQ(back.samples[i].second_seconds, file.samples[i].second_seconds);
  }
  EXPECT_EQ(samples_to_csv(back), samples_to_csv(file));
}

TEST(Samples, AreReadInTheFirstVersionToo) {
  const SampleFile file = parse_samples(
      "# sparsecast samples, schema: 1\n# device: d\n# kind: cpu\n# memory_bytes: 1\n"
      "# device_count_max: 1\n# plan: default\n# partial: no\n"
      "precision,kernel,layout,matrix,devices,unknowns,stored_elements,blocks,block_rows,nonzeros,"
      "transferred_elements,value_bytes,index_bytes,row_pointer_bytes,vector_read_bytes,"
      "vector_write_bytes,exchanged_bytes,seconds,relative_spread,relative_error,repeats,rounds,"
      "stable\n"
      "f64,Iteration,csr,m,1,8,22,22,8,22,99,176,88,64,1,2,0,1e-6,0.01,0.02,10,5,1\n",
      "old");
  ASSERT_EQ(file.samples.size(), 1u);
  const Sample& sample = file.samples[0];
  EXPECT_EQ(sample.schedule, "algorithm1");
  EXPECT_TRUE(sample.held_out);
  EXPECT_EQ(sample.launch, "");
  EXPECT_EQ(sample.bytes.indices, 88);
  EXPECT_EQ(sample.shape.index_bytes, 4);
  EXPECT_EQ(sample.shape.offset_bytes, 8);
  EXPECT_EQ(sample.access, std::nullopt);
  EXPECT_EQ(sample.seconds, 1e-6);
}

TEST(Samples, OfSeveralCalibrationsAreTheFastestOfEach) {
  SampleFile monday = small_file();
  SampleFile friday = small_file();
  monday.partial = true;
  friday.origin.environment["date"] = "2026-11-27T12:00:00Z";
  friday.samples.erase(friday.samples.begin());
  friday.samples[0].seconds /= 2;
  friday.samples[1].seconds *= 2;
  const std::vector<std::string> names{"monday.samples.csv", "friday.samples.csv"};

  const SampleFile merged = merge_samples({monday, friday}, names);

  ASSERT_EQ(merged.samples.size(), 5u);
  EXPECT_FALSE(merged.partial);
  EXPECT_EQ(merged.samples[0].visits, 1);
  EXPECT_EQ(merged.samples[1].seconds, monday.samples[1].seconds / 2);
  EXPECT_EQ(merged.samples[1].second_seconds, monday.samples[1].seconds);
  EXPECT_EQ(merged.samples[2].seconds, monday.samples[2].seconds);
  EXPECT_EQ(merged.samples[2].second_seconds, monday.samples[2].seconds * 2);
  EXPECT_EQ(merged.samples[2].visits, 6);
  EXPECT_EQ(merged.origin.environment.at("runs"), "2");
  EXPECT_EQ(merged.origin.environment.at("date"), "2026-11-21T12:00:00Z; 2026-11-27T12:00:00Z");
}

TEST(Samples, OfSeveralDevicesOrPlansAreNotOneCalibration) {
  const std::vector<std::string> names{"a.samples.csv", "b.samples.csv"};
  SampleFile quick = small_file();
  quick.plan = "quick";

  try {
    merge_samples({small_file(), quick}, names);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "b.samples.csv: samples of plan 'quick', a.samples.csv of 'default'; name "
                 "calibrations of one device by one plan");
  }
}

TEST(Samples, AreNotTrustedWhenThrottledOrScattered) {
  Sample sample;
  sample.relative_spread = 0.4;
  EXPECT_TRUE(sample.trusted());
  sample.relative_spread = 2.5;
  EXPECT_FALSE(sample.trusted());
  sample.stable = true;
  EXPECT_TRUE(sample.trusted());
  sample.throttle_reasons = "thermal";
  EXPECT_FALSE(sample.trusted());
}

TEST(Samples, KeepTheMarkOfAnUnfinishedPlan) {
  SampleFile file = small_file();
  file.partial = true;
  EXPECT_TRUE(parse_samples(samples_to_csv(file), "x").partial);
  EXPECT_FALSE(parse_samples(samples_to_csv(small_file()), "x").partial);
}

TEST(Samples, AreReadWithWindowsLineEnds) {
  std::string text;
  for (const char c : samples_to_csv(small_file())) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(parse_samples(text, "x").samples.size(), 5u);
}

TEST(Samples, NameTheLineOfADamagedNumber) {
  SampleFile file = small_file();
  file.samples[0].seconds = 0.125;
  const std::string text = replaced(samples_to_csv(file), ",0.125,", ",0.12x,");
  // Nine comment lines and the header come first.
  EXPECT_EQ(error_of(text), "x.samples.csv:11: seconds '0.12x'; expected a positive number");
}

TEST(Samples, RefuseTimesThatAreNotPositiveAndFinite) {
  SampleFile file = small_file();
  file.samples[0].seconds = 0.125;
  for (const char* bad : {",-1,", ",0,", ",inf,", ",nan,", ",,"}) {
    EXPECT_NE(error_of(replaced(samples_to_csv(file), ",0.125,", bad)).find("x.samples.csv:11:"),
              std::string::npos)
        << bad;
  }
}

TEST(Samples, RefuseALineThatEndsEarly) {
  const std::string text = samples_to_csv(small_file());
  const std::string cut = text.substr(0, text.size() - 20);
  EXPECT_NE(error_of(cut).find("x.samples.csv:15: "), std::string::npos) << error_of(cut);
}

TEST(Samples, RefuseUnknownSchemaVersions) {
  const std::string text = replaced(samples_to_csv(small_file()), "schema: 5", "schema: 9");
  EXPECT_EQ(error_of(text),
            "x.samples.csv:1: schema version 9; this program reads versions 1 to 5");
}

TEST(Samples, RefuseFilesOfAnotherKind) {
  EXPECT_NE(error_of("a,b\n1,2\n").find("x.samples.csv:1: no line '# sparsecast samples, schema"),
            std::string::npos);
  EXPECT_NE(error_of("").find("x.samples.csv:1:"), std::string::npos);
  EXPECT_NE(error_of(std::string("\x1f\x8b\x08\0\0", 5)).find("x.samples.csv:1:"),
            std::string::npos);
}

TEST(Samples, RefuseOtherColumns) {
  const std::string text = replaced(samples_to_csv(small_file()), "precision,kernel", "kernel");
  EXPECT_NE(error_of(text).find("x.samples.csv:10: wrong column names"), std::string::npos);
}

TEST(Samples, RefuseUnknownPrecisions) {
  const std::string text = replaced(samples_to_csv(small_file()), "\nf32,", "\nf16,");
  EXPECT_EQ(error_of(text), "x.samples.csv:11: precision 'f16'; expected f32 or f64");
}

TEST(Samples, WriteNoFieldThatBreaksTheLine) {
  SampleFile file = small_file();
  file.samples[1].matrix = "dense 10,20";
  EXPECT_THROW(samples_to_csv(file), Error);
}

TEST(Samples, RefuseWhatNoneOfTheirFieldsHas) {
  const std::string text = samples_to_csv(small_file());
  EXPECT_EQ(error_of(replaced(text, "\nf32,", "\nf\r32,")),
            "x.samples.csv:11: a carriage return within the line");
  EXPECT_EQ(error_of(replaced(text, "\nf32,", "\n\"f32\",")),
            "x.samples.csv:11: a quote; fields here have none");
}

TEST(Samples, NameAMissingFile) {
  const std::filesystem::path missing = "/nonexistent/x.samples.csv";
  try {
    read_samples(missing);
    FAIL() << "read a file that is not there";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(missing.string()), std::string::npos);
  }
}

TEST(Samples, ChargeHalfOfWhatTheSecondFastestVisitTakesMore) {
  Sample sample;
  sample.seconds = 2;
  sample.stable = true;
  EXPECT_EQ(sample.relative_noise(), 0);
  sample.visits = 3;
  sample.second_seconds = 2.5;
  EXPECT_DOUBLE_EQ(sample.relative_noise(), 0.125);
  sample.relative_error = 0.196;
  EXPECT_DOUBLE_EQ(sample.relative_noise(), std::hypot(0.1, 0.125));
}

TEST(Samples, ChargeUnstableTimesTheirWholeSpread) {
  Sample sample;
  sample.relative_spread = 0.3;
  sample.relative_error = 0.0196;
  sample.stable = true;
  EXPECT_DOUBLE_EQ(sample.relative_noise(), 0.01);
  sample.stable = false;
  EXPECT_DOUBLE_EQ(sample.relative_noise(), 0.3);
}

}  // namespace
}  // namespace sparsecast
