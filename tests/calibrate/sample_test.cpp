#include "calibrate/sample.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "core/error.hpp"

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
  }
  EXPECT_EQ(samples_to_csv(back), samples_to_csv(file));
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
  const std::string text = replaced(samples_to_csv(small_file()), "schema: 1", "schema: 9");
  EXPECT_EQ(error_of(text), "x.samples.csv:1: schema version 9; this program reads version 1");
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

TEST(Samples, NameAMissingFile) {
  const std::filesystem::path missing = "/nonexistent/x.samples.csv";
  try {
    read_samples(missing);
    FAIL() << "read a file that is not there";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(missing.string()), std::string::npos);
  }
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
