#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "calibrate/sample.hpp"
#include "cli/run_program.hpp"
#include "cli/samples_of_a_law.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/machine.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::testing {
namespace {

TEST(CalibrateCommand, FitsSamplesWithoutADevice) {
  const TemporaryFolder folder;
  write_samples(folder / "a.samples.csv", samples_of_a_law());

  const ProgramRun run = run_program({"calibrate", "--refit", (folder / "a.samples.csv").string()});

  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_NE(run.output.find("SpMV/csr"), std::string::npos);
  const DeviceProfile profile = read_profile((folder / "a.json").string());
  EXPECT_EQ(profile.device, "made up");
  EXPECT_NEAR(profile.curve(Precision::f64, "CG4").average.nu, 20, 1);
}

TEST(CalibrateCommand, PrintsTablesThatFitIntoATerminalUnlessAskedForMore) {
  const TemporaryFolder folder;
  const std::string samples = (folder / "a.samples.csv").string();
  write_samples(samples, samples_of_a_law());
  const auto tables = [&](const std::string& style) {
    std::vector<std::string> arguments{"calibrate", "--refit", samples, "--force"};
    if (!style.empty()) arguments.push_back(style);
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    return run.output.substr(0, run.output.find("* sigma"));
  };
  const std::string plain = tables("");
  std::istringstream in(plain);
  for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(plain.find("(--wide: max. GB/s)"), std::string::npos) << plain;
  EXPECT_NE(tables("--wide").find("  max. GB/s  memory GB/s\n"), std::string::npos);
  EXPECT_NE(tables("--markdown").find("| precision | kernel | mu |"), std::string::npos);
  std::istringstream facts(tables("--full"));
  for (std::string line; std::getline(facts, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(CalibrateCommand, FitsTheFastestOfSeveralCalibrations) {
  const TemporaryFolder folder;
  SampleFile fast = samples_of_a_law();
  for (Sample& sample : fast.samples) sample.shape.unknowns = sample.elements;
  SampleFile slow = fast;
  for (Sample& sample : slow.samples) sample.seconds *= 2;
  const std::string monday = (folder / "monday.samples.csv").string();
  const std::string friday = (folder / "friday.samples.csv").string();
  write_samples(monday, slow);
  write_samples(friday, fast);

  const ProgramRun run = run_program({"calibrate", "--refit", monday, "--refit", friday, "--out",
                                      (folder / "both.json").string()});

  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const DeviceProfile profile = read_profile((folder / "both.json").string());
  EXPECT_NEAR(profile.curve(Precision::f64, "CG4").average.nu, 20, 1);
  const SampleFile both = read_samples(folder / "both.samples.csv");
  EXPECT_EQ(both.samples.size(), slow.samples.size());
  EXPECT_EQ(both.samples[0].visits, 2);
  EXPECT_EQ(both.samples[0].second_seconds, slow.samples[0].seconds);

  const ProgramRun nameless = run_program({"calibrate", "--refit", monday, "--refit", friday});
  EXPECT_EQ(nameless.exit_status, 2);
  EXPECT_NE(nameless.errors.find("--out"), std::string::npos) << nameless.errors;
  const ProgramRun onto_itself = run_program({"calibrate", "--refit", monday, "--refit", friday,
                                              "--out", (folder / "friday.json").string()});
  EXPECT_EQ(onto_itself.exit_status, 2);
  EXPECT_NE(onto_itself.errors.find("is --refit too"), std::string::npos) << onto_itself.errors;
}

TEST(CalibrateCommand, PrintsFitsAsJson) {
  const TemporaryFolder folder;
  write_samples(folder / "a.samples.csv", samples_of_a_law());

  const ProgramRun run = run_program({"calibrate", "--refit", (folder / "a.samples.csv").string(),
                                      "--out", (folder / "b.json").string(), "--json"});

  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const auto json = nlohmann::json::parse(run.output);
  ASSERT_EQ(json.at("curves").size(), 7u);
  EXPECT_EQ(json.at("curves")[0].at("kernel"), "CG1");
  EXPECT_TRUE(json.at("curves")[0].at("average").at("nu").is_number());
  EXPECT_EQ(json.at("curves")[0].at("samples"), 20);
  EXPECT_TRUE(std::filesystem::exists(folder / "b.json"));
}

TEST(CalibrateCommand, DrawsSamplesAndCurves) {
  const TemporaryFolder folder;
  write_samples(folder / "a.samples.csv", samples_of_a_law());

  const ProgramRun run = run_program({"calibrate", "--refit", (folder / "a.samples.csv").string(),
                                      "--plot", (folder / "a.svg").string()});

  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const std::string drawing = read_file(folder / "a.svg");
  EXPECT_NE(drawing.find("<svg"), std::string::npos);
  EXPECT_NE(drawing.find("Vector kernels"), std::string::npos);
}

TEST(CalibrateCommand, SaysOnItsPageWhatTheMarksOfItsTableMean) {
  const TemporaryFolder folder;
  write_samples(folder / "a.samples.csv", samples_of_a_law());

  const ProgramRun run = run_program({"calibrate", "--refit", (folder / "a.samples.csv").string(),
                                      "--html", (folder / "a.html").string()});

  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const std::string page = read_file(folder / "a.html");
  EXPECT_NE(page.find("* sigma at 1/ln 2: T = T0 + s*m/nu"), std::string::npos);
}

TEST(CalibrateCommand, WarnsOfFitsThatItRefuses) {
  const TemporaryFolder folder;
  SampleFile file = samples_of_a_law();
  int kept = 0;
  std::erase_if(file.samples,
                [&kept](const Sample& sample) { return sample.kernel == "Red" && ++kept > 5; });
  write_samples(folder / "a.samples.csv", file);

  const ProgramRun run = run_program({"calibrate", "--refit", (folder / "a.samples.csv").string()});

  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(
      run.errors,
      "sparsecast: warning: f64 Red: fit refused (too few samples): 5 samples; at least 8 "
      "are needed\n"
      "sparsecast: warning: no curve of Red in f64: the paper's model cannot price Algorithm 1 in "
      "this precision\n");
}

TEST(CalibrateCommand, NamesTheLineOfADamagedSamplesFile) {
  const TemporaryFolder folder;
  std::string text = samples_to_csv(samples_of_a_law());
  // The eighth line is the header, without an environment.
  const std::size_t place = text.find("CG1,,,,,1,");
  ASSERT_NE(place, std::string::npos);
  text.replace(place, 10, "CG1,,,,,x,");
  const std::string path = (folder / "a.samples.csv").string();
  write_file(path, text);

  const ProgramRun run = run_program({"calibrate", "--refit", path});

  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(run.errors, "sparsecast calibrate: " + path +
                            ":9: devices 'x'; expected a positive whole number\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));
}

TEST(CalibrateCommand, NamesAMissingSamplesFile) {
  const ProgramRun run = run_program({"calibrate", "--refit", "/nonexistent/a.samples.csv"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.errors.find("/nonexistent/a.samples.csv"), std::string::npos);
  EXPECT_EQ(std::ranges::count(run.errors, '\n'), 1);
}

TEST(SlowCalibrateCommand, RefitsShippedSamplesToTheShippedProfile) {
  const TemporaryFolder folder;
  const std::filesystem::path profiles = std::filesystem::path(SPARSECAST_SOURCE_DIR) / "profiles";
  const std::string again = (folder / "again.json").string();
  int refitted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(profiles)) {
    const std::string samples = entry.path().string();
    if (samples.find(".samples.csv") == std::string::npos) continue;
    ++refitted;
    const ProgramRun run =
        run_program({"calibrate", "--refit", samples, "--out", again, "--force"});
    ASSERT_EQ(run.exit_status, 0) << run.errors;
    const DeviceProfile fitted = read_profile(again);
    const DeviceProfile shipped =
        read_profile(samples.substr(0, samples.find(".samples.csv")) + ".json");
    ASSERT_EQ(fitted.precisions.size(), shipped.precisions.size());
    for (const auto& [precision, calibrated] : shipped.precisions) {
      for (const auto& [key, curve] : calibrated.curves) {
        const ThroughputCurve& other = fitted.curve(precision, key).average;
        EXPECT_NEAR(other.mu, curve.average.mu, 1e-3) << key;
        EXPECT_NEAR(other.sigma, curve.average.sigma, 1e-3) << key;
        EXPECT_NEAR(other.nu / curve.average.nu, 1, 1e-3) << key;
      }
    }
  }
  EXPECT_GE(refitted, 1);
}

TEST(CalibrateCommand, RefusesWhatIsNoDeviceAsWrongUse) {
  const ProgramRun run = run_program({"calibrate", "--device", "gpu7"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.errors,
            "sparsecast calibrate: --device gpu7: expected cpu, cuda:0, 32 "
            "multiprocessors of it as cuda:0/32, or several GPUs as "
            "cuda:0,cuda:1\n");
}

TEST(CalibrateCommand, RefusesAGpuThatIsNotThereInOneLine) {
  const ProgramRun run = run_program({"calibrate", "--device", "cuda:77"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.errors.find("no device 'cuda:77'"), std::string::npos) << run.errors;
  EXPECT_EQ(std::ranges::count(run.errors, '\n'), 1) << run.errors;
}

TEST(CalibrateCommand, DescribesOneDeviceOnly) {
  const ProgramRun run = run_program({"calibrate", "--device", "cpu:0,cpu:1"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_NE(run.errors.find("a profile describes one device"), std::string::npos) << run.errors;
}

TEST(CalibrateCommand, HasNothingToResumeWithoutSamples) {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_program({"calibrate", "--resume", "--out", (folder / "a.json").string()});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.errors.find("there is no unfinished calibration of this name"), std::string::npos)
      << run.errors;
}

TEST(CalibrateCommand, ResumesOnlyTheSameDevice) {
  const TemporaryFolder folder;
  write_samples(folder / "a.partial.samples.csv", samples_of_a_law());
  const ProgramRun run =
      run_program({"calibrate", "--resume", "--quick", "--out", (folder / "a.json").string()});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.errors.find("samples of 'made up'; this is"), std::string::npos) << run.errors;
}

TEST(CalibrateCommand, NeedsTwoFamiliesToLeaveOneOut) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.samples.csv").string();
  SampleFile file = samples_of_a_law();
  std::erase_if(file.samples, [](const Sample& sample) { return !sample.matrix.empty(); });
  write_samples(path, file);
  const ProgramRun run = run_program({"calibrate", "--leave-families-out", path});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.errors.find("fewer than two families"), std::string::npos) << run.errors;
  EXPECT_EQ(std::ranges::count(run.errors, '\n'), 1) << run.errors;
  EXPECT_EQ(run_program({"calibrate", "--leave-families-out", path, "--out", "b.json"}).exit_status,
            2);
}

TEST(CalibrateCommand, NamesAProfileThatIsNotThere) {
  const ProgramRun run = run_program({"calibrate", "--check", "/nonexistent/p.json"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.errors.find("/nonexistent/p.json"), std::string::npos);
}

TEST(CalibrateCommand, ChecksAGpuOnAGpuOnly) {
  const ProgramRun result = run_program({"calibrate", "--check", "nvidia-h200"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast calibrate: profile 'nvidia-h200' describes a GPU; use --device cuda:0\n");
}

TEST(CalibrateCommand, ComparesTwoCalibrations) {
  const TemporaryFolder folder;
  const std::string first = (folder / "monday.json").string();
  const std::string second = (folder / "friday.json").string();
  SampleFile file = samples_of_a_law();
  write_samples(folder / "a.samples.csv", file);
  run_program({"calibrate", "--refit", (folder / "a.samples.csv").string(), "--out", first});
  const std::string copy = (folder / "copy.json").string();
  std::filesystem::copy_file(first, copy);
  EXPECT_EQ(run_program({"calibrate", "--compare", first, copy}).exit_status, 0);

  for (Sample& sample : file.samples) sample.seconds *= 1.5;
  write_samples(folder / "a.samples.csv", file);
  run_program({"calibrate", "--refit", (folder / "a.samples.csv").string(), "--out", second});
  const ProgramRun other = run_program({"calibrate", "--compare", first, second});
  EXPECT_EQ(other.exit_status, 1) << other.errors;
  EXPECT_NE(other.output.find("The calibrations differ"), std::string::npos) << other.output;
  const ProgramRun as_json = run_program({"calibrate", "--compare", first, second, "--json"});
  EXPECT_FALSE(nlohmann::json::parse(as_json.output).at("agree").get<bool>());
  EXPECT_EQ(run_program({"calibrate", "--compare", first}).exit_status, 2);
}

TEST(CalibrateCommand, EstimatesAProfileFromSpecifications) {
  const TemporaryFolder folder;
  const ProgramRun run = run_program({"calibrate", "--estimate", "--sms", "132", "--threads-per-sm",
                                      "2048", "--bandwidth", "4800", "--memory", "141", "--out",
                                      (folder / "h200.json").string()});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const DeviceProfile profile = read_profile((folder / "h200.json").string());
  EXPECT_EQ(profile.origin, DeviceProfile::Origin::estimated);
  EXPECT_NEAR(profile.curve(Precision::f32, "CG4").average.mu, 21.0, 0.1);
  EXPECT_EQ(profile.memory_bytes, 141'000'000'000);
}

TEST(CalibrateCommand, AsksForWhatAnEstimateNeeds) {
  const ProgramRun run = run_program({"calibrate", "--estimate", "--out", "x.json"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.errors,
            "sparsecast calibrate: --estimate needs --sms, --threads-per-sm and --bandwidth\n");
}

TEST(CalibrateCommand, MeasuresAPartAndWritesItsSamplesAlone) {
  const TemporaryFolder folder;
  const std::string out = (folder / "part.json").string();
  write_file(out, "kept");  // a part has no profile
  const ProgramRun run = run_program({"calibrate", "--quick", "--layout", "sell128", "--precision",
                                      "f64", "--threads", "1", "--seed", "5", "--out", out});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const std::string samples = (folder / "part.samples.csv").string();
  EXPECT_EQ(run.output, "samples: " + samples + "\n");
  EXPECT_EQ(read_file(out), "kept");
  EXPECT_FALSE(std::filesystem::exists(folder / "part.partial.samples.csv"));
  const SampleFile file = read_samples(samples);
  EXPECT_FALSE(file.partial);
  EXPECT_GT(file.samples.size(), 10U);
  for (const Sample& sample : file.samples) {
    EXPECT_EQ(sample.layout, "sell128");
    EXPECT_EQ(sample.precision, Precision::f64);
  }
  const ProgramRun again =
      run_program({"calibrate", "--quick", "--layout", "sell128", "--out", out});
  EXPECT_EQ(again.exit_status, 2);
  EXPECT_NE(again.errors.find("part.samples.csv: is there already"), std::string::npos)
      << again.errors;
  EXPECT_EQ(run_program({"calibrate", "--refit", samples, "--out", (folder / "b.json").string()})
                .exit_status,
            1);
}

TEST(CalibrateCommand, RefusesPartsThatAreNone) {
  EXPECT_EQ(run_program({"calibrate", "--launch", "persistent"}).errors,
            "sparsecast calibrate: --launch: a CPU has no launch modes; leave it out\n");
  EXPECT_EQ(
      run_program({"calibrate", "--quick", "--layout", "pkt"}).errors,
      "sparsecast calibrate: --layout, --launch: this calibration measures no such kernels\n");
  EXPECT_EQ(
      run_program({"calibrate", "--layout", "csr", "--html", "a.html"}).errors,
      "sparsecast calibrate: --html: a part of a calibration is not fitted; leave it out, and "
      "fit the samples together with a whole one's (--refit, twice)\n");
  EXPECT_EQ(run_program({"calibrate", "--layout", "sell33"}).exit_status, 2);
  EXPECT_EQ(run_program({"calibrate", "--check", "a", "--layout", "csr"}).exit_status, 2);
}

TEST(CalibrateCommand, RefusesModesThatExcludeEachOther) {
  EXPECT_EQ(run_program({"calibrate", "--refit", "a", "--check", "b"}).errors,
            "sparsecast calibrate: --refit and --check exclude each other\n");
  EXPECT_EQ(run_program({"calibrate", "--refit", "a", "--full", "--wide"}).errors,
            "sparsecast calibrate: --wide: --full prints no tables; leave one out\n");
  EXPECT_EQ(run_program({"calibrate", "--check", "a", "--markdown"}).exit_status, 2);
  EXPECT_EQ(run_program({"calibrate", "--refit", "a", "--quick"}).exit_status, 2);
  EXPECT_EQ(run_program({"calibrate", "--refit", "a", "--seed", "2"}).exit_status, 2);
  EXPECT_EQ(run_program({"calibrate", "--out", "profile.txt"}).exit_status, 2);
  EXPECT_EQ(run_program({"calibrate", "--precision", "f16"}).exit_status, 2);
  EXPECT_EQ(run_program({"calibrate", "--threads", "-1"}).exit_status, 2);
}

/// Waits until this file is there.
void wait_for(const std::filesystem::path& path) {
  constexpr int most_waits = 6000;
  for (int i = 0; i < most_waits && !std::filesystem::exists(path); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST(CalibrateCommand, KeepsSamplesWhenInterrupted) {
  const TemporaryFolder folder;
  const std::filesystem::path partial = folder / "a.partial.samples.csv";
  // The first samples are saved as soon as they are there.
  const ProgramRun stopped =
      run(tested_program(), {"calibrate", "--out", (folder / "a.json").string()}, {},
          [&](pid_t program) {
            wait_for(partial);
            kill(program, SIGINT);
          });
  EXPECT_EQ(stopped.exit_status, 130);
  EXPECT_NE(stopped.errors.find("go on with --resume"), std::string::npos) << stopped.errors;
  const SampleFile kept = read_samples(partial);
  EXPECT_TRUE(kept.partial);
  EXPECT_FALSE(kept.samples.empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));

  const ProgramRun other =
      run_program({"calibrate", "--resume", "--quick", "--out", (folder / "a.json").string()});
  EXPECT_EQ(other.exit_status, 1);
  EXPECT_NE(other.errors.find("samples of the default plan; resume it for one device and without "
                              "--quick"),
            std::string::npos)
      << other.errors;
}

TEST(CalibrateCommand, LeavesAnExistingProfileAndItsSamplesAloneWhileItMeasures) {
  const TemporaryFolder folder;
  write_file(folder / "a.json", "profile");
  write_file(folder / "a.samples.csv", "samples");
  const ProgramRun stopped =
      run(tested_program(), {"calibrate", "--force", "--out", (folder / "a.json").string()}, {},
          [&](pid_t program) {
            wait_for(folder / "a.partial.samples.csv");
            kill(program, SIGHUP);
          });
  EXPECT_EQ(stopped.exit_status, 128 + SIGHUP);
  EXPECT_EQ(read_file(folder / "a.json"), "profile");
  EXPECT_EQ(read_file(folder / "a.samples.csv"), "samples");
}

TEST(CalibrateCommand, AsksBeforeItOverwritesAProfileOrItsSamples) {
  const TemporaryFolder folder;
  const std::string out = (folder / "a.json").string();
  for (const char* name : {"a.json", "a.samples.csv"}) {
    write_file(folder / name, "kept");
    const ProgramRun run = run_program({"calibrate", "--quick", "--out", out});
    EXPECT_EQ(run.exit_status, 2);
    EXPECT_EQ(run.errors, "sparsecast calibrate: " + (folder / name).string() +
                              ": is there already; choose another name with --out, or overwrite it "
                              "with --force\n");
    EXPECT_EQ(read_file(folder / name), "kept");
    std::filesystem::remove(folder / name);
  }
}

TEST(CalibrateCommand, AsksBeforeItDiscardsAnUnfinishedCalibration) {
  const TemporaryFolder folder;
  const std::string partial = (folder / "a.partial.samples.csv").string();
  write_file(partial, "kept");
  const ProgramRun run =
      run_program({"calibrate", "--quick", "--out", (folder / "a.json").string()});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.errors, "sparsecast calibrate: " + partial +
                            ": an unfinished calibration; go on with --resume, or discard it with "
                            "--force\n");
  EXPECT_EQ(read_file(partial), "kept");
}

TEST(CalibrateCommand, ResumesNoFinishedCalibration) {
  const TemporaryFolder folder;
  write_samples(folder / "a.samples.csv", samples_of_a_law());
  const ProgramRun run =
      run_program({"calibrate", "--resume", "--quick", "--out", (folder / "a.json").string()});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.errors.find("this calibration is finished"), std::string::npos) << run.errors;
}

/// What the quick plan measures on this machine, as if all of it had been measured.
SampleFile samples_of_the_quick_plan() {
  SampleFile file;
  const int threads = available_threads();
  file.origin = measured_cpu(threads).origin;
  PlanOptions options;
  options.threads = threads;
  const CpuDescription cpu = describe_cpu();
  if (cpu.l3_bytes > 0) options.cache_bytes = cpu.l3_bytes;
  const MeasurementPlan plan = quick_plan(options);
  file.plan = plan.name;
  file.partial = true;
  for (const Measurement& measurement : plan.measurements) {
    Sample sample;
    sample.precision = measurement.precision;
    sample.kernel = measurement.kernel;
    sample.schedule = measurement.schedule;
    sample.devices = measurement.devices;
    sample.held_out = measurement.held_out;
    sample.shape.unknowns = static_cast<double>(measurement.unknowns);
    if (measurement.matrix >= 0) {
      const auto& matrix = plan.matrices[static_cast<std::size_t>(measurement.matrix)];
      sample.layout = to_string(measurement.layout);
      sample.matrix = matrix.description;
      sample.shape.unknowns = sample.shape.block_rows = matrix.nonzeros / 5;
      sample.shape.elements = sample.shape.blocks = sample.nonzeros = matrix.nonzeros;
    }
    sample.elements = 2 * sample.shape.unknowns + sample.shape.elements + 1;
    sample.seconds = 1e-6 + 8 * sample.elements / 20e9;
    sample.repeats = sample.rounds = 5;
    sample.stable = true;
    file.samples.push_back(sample);
  }
  return file;
}

TEST(CalibrateCommand, WritesProfileAndSamplesTogetherWhenAResumedCalibrationIsComplete) {
  const TemporaryFolder folder;
  const SampleFile measured = samples_of_the_quick_plan();
  const std::filesystem::path partial = folder / "a.partial.samples.csv";
  write_samples(partial, measured);

  const ProgramRun run =
      run_program({"calibrate", "--resume", "--quick", "--out", (folder / "a.json").string()});

  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(read_profile((folder / "a.json").string()).device, measured.origin.device);
  const SampleFile kept = read_samples(folder / "a.samples.csv");
  EXPECT_FALSE(kept.partial);
  EXPECT_EQ(kept.samples.size(), measured.samples.size());
  EXPECT_FALSE(std::filesystem::exists(partial));
}

TEST(CalibrateCommand, AsksBeforeARefitOrAnEstimateOverwritesAnotherProfile) {
  const TemporaryFolder folder;
  const std::string samples = (folder / "a.samples.csv").string();
  const std::string more = (folder / "b.samples.csv").string();
  const std::string other = (folder / "other.json").string();
  write_samples(samples, samples_of_a_law());
  write_samples(more, samples_of_a_law());
  write_file(other, "kept");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"calibrate", "--refit", samples, "--out", other},
        std::vector<std::string>{"calibrate", "--refit", samples, "--refit", more, "--out", other},
        std::vector<std::string>{"calibrate", "--estimate", "--sms", "132", "--threads-per-sm",
                                 "2048", "--bandwidth", "4800", "--out", other}}) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_status, 2);
    EXPECT_NE(run.errors.find(other + ": is there already"), std::string::npos) << run.errors;
    EXPECT_EQ(read_file(other), "kept");
  }
  EXPECT_EQ(run_program({"calibrate", "--refit", samples, "--out", other, "--force"}).exit_status,
            0);
  EXPECT_EQ(read_profile(other).device, "made up");
}

TEST(CalibrateCommand, FitsTheProfileOfTheseSamplesAgainWithoutBeingForced) {
  const TemporaryFolder folder;
  const std::string samples = (folder / "a.samples.csv").string();
  write_samples(samples, samples_of_a_law());
  write_file(folder / "a.json", "of an earlier fit");
  EXPECT_EQ(run_program({"calibrate", "--refit", samples}).exit_status, 0);
  EXPECT_EQ(read_profile((folder / "a.json").string()).device, "made up");
}

TEST(CalibrateCommand, FitsCompressedSamplesAsIfTheyWerePlain) {
  const TemporaryFolder folder;
  const std::string packed = (folder / "b.samples.csv.gz").string();
  write_samples(folder / "a.samples.csv", samples_of_a_law());
  write_samples(packed, samples_of_a_law());
  ASSERT_TRUE(is_gzip(read_file(packed)));
  write_file(folder / "b.json", "of an earlier fit");
  ASSERT_EQ(run_program({"calibrate", "--refit", (folder / "a.samples.csv").string()}).exit_status,
            0);

  const ProgramRun run = run_program({"calibrate", "--refit", packed});

  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(read_file(folder / "b.json"), read_file(folder / "a.json"));
}

TEST(CalibrateCommand, SaysWhereCompressedSamplesAreDamaged) {
  const TemporaryFolder folder;
  const std::string samples = (folder / "a.samples.csv.gz").string();
  const std::string whole = gzip_member(samples_to_csv(samples_of_a_law()));
  write_file(samples, whole.substr(0, whole.size() - 5));
  const ProgramRun truncated = run_program({"calibrate", "--refit", samples});
  EXPECT_EQ(truncated.exit_status, 1);
  EXPECT_TRUE(truncated.errors.starts_with("sparsecast calibrate: " + samples + ':'))
      << truncated.errors;
  EXPECT_NE(truncated.errors.find(": the gzip data is truncated; expected its end"),
            std::string::npos)
      << truncated.errors;
  EXPECT_EQ(std::ranges::count(truncated.errors, '\n'), 1) << truncated.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));

  // What is in it is named by its line, as of plain samples.
  std::string text = samples_to_csv(samples_of_a_law());
  text.replace(text.find("schema: 5"), 9, "schema: 9");
  write_file(samples, gzip_member(text));
  const ProgramRun unknown = run_program({"calibrate", "--refit", samples});
  EXPECT_EQ(unknown.exit_status, 1);
  EXPECT_NE(unknown.errors.find(samples + ":1: schema version 9"), std::string::npos)
      << unknown.errors;
}

TEST(CalibrateCommand, KeepsCompressedSamplesBesideTheirProfileCompressed) {
  const TemporaryFolder folder;
  const std::string all = (folder / "all.json").string();
  const std::string packed = (folder / "all.samples.csv.gz").string();
  const std::string monday = (folder / "monday.samples.csv").string();
  const std::string friday = (folder / "friday.samples.csv.gz").string();
  write_samples(monday, samples_of_a_law());
  write_samples(friday, samples_of_a_law());
  write_file(packed, "kept");
  const std::vector<std::string> fit{"calibrate", "--refit", monday, "--refit",
                                     friday,      "--out",   all};
  const ProgramRun asked = run_program(fit);
  EXPECT_EQ(asked.exit_status, 2);
  EXPECT_NE(asked.errors.find(packed + ": is there already"), std::string::npos) << asked.errors;
  EXPECT_EQ(read_file(packed), "kept");

  std::vector<std::string> forced = fit;
  forced.push_back("--force");
  const ProgramRun run = run_program(forced);
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_NE(run.output.find("samples: " + packed + '\n'), std::string::npos) << run.output;
  EXPECT_TRUE(is_gzip(read_file(packed)));
  EXPECT_EQ(read_samples(packed).samples.size(), samples_of_a_law().samples.size());
  EXPECT_FALSE(std::filesystem::exists(folder / "all.samples.csv"));
}

TEST(CalibrateCommand, RefusesAFileThatIsNamedTwice) {
  const TemporaryFolder folder;
  const std::string samples = (folder / "a.samples.csv").string();
  const std::string link = (folder / "link.samples.csv").string();
  write_samples(samples, samples_of_a_law());
  std::filesystem::create_symlink(samples, link);
  for (const std::string& again : {samples, link}) {
    const ProgramRun run = run_program({"calibrate", "--refit", samples, "--refit", again, "--out",
                                        (folder / "both.json").string()});
    EXPECT_EQ(run.exit_status, 2);
    EXPECT_EQ(run.errors, "sparsecast calibrate: --refit " + again + ": is " + samples +
                              ", which is named already\n");
  }
  EXPECT_EQ(run_program({"calibrate", "--compare", "gtx280", "gtx280"}).exit_status, 2);
}

TEST(CalibrateCommand, TakesNoMoreThreadsThanTheMachineHas) {
  const TemporaryFolder folder;
  const std::string most = std::to_string(available_threads());
  const ProgramRun run = run_program(
      {"calibrate", "--quick", "--threads", "100000", "--out", (folder / "a.json").string()});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.errors, "sparsecast calibrate: --threads 100000: this machine has " + most +
                            "; expected 0 (all) or at most " + most + "\n");
}

TEST(CalibrateCommand, RefusesOptionsThatMeanNothingWithWhatItIsAskedFor) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--sms", "132"},
        std::vector<std::string>{"--refit", "a", "--device", "cpu"},
        std::vector<std::string>{"--check", "a", "--out", "b.json"},
        std::vector<std::string>{"--compare", "a", "b", "--force"},
        std::vector<std::string>{"--resume", "--force"},
        std::vector<std::string>{"--device", "cuda:0", "--threads", "1"}}) {
    std::vector<std::string> arguments{"calibrate"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_status, 2) << options.front();
    EXPECT_EQ(std::ranges::count(run.errors, '\n'), 1) << run.errors;
  }
}

TEST(CalibrateCommand, RefusesAnEstimateOfHardwareThatCannotBe) {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_program({"calibrate", "--estimate", "--sms", "132", "--threads-per-sm", "2048",
                   "--bandwidth", "nan", "--out", (folder / "a.json").string()});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.errors,
            "sparsecast calibrate: --bandwidth: expected a positive number, at most 1e9\n");
}

}  // namespace
}  // namespace sparsecast::testing
