#include "cli/commands/validate/validation_sources.hpp"
#include "cli/choice_options.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "cli/commands/validate/validation_options.hpp"
#include "cli/matrix_source.hpp"
#include "core/base/random_stream.hpp"
#include "core/matrix/files/matrix_file.hpp"
#include "predict/validation/held_out_matrices.hpp"
#include "predict/validation/unrelated_matrices.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

/// The orders of --renumber; all of them are those that there are for the numbers of devices.
std::vector<Renumbering> renumberings_of(const CommandLine& line, const std::vector<int>& devices) {
  std::vector<std::string> known;
  for (const Renumbering how : all_renumberings) known.emplace_back(to_string(how));
  const int most_devices = std::ranges::max(devices);
  std::vector<Renumbering> renumberings;
  for (const std::string& name : parse_choice(line, "renumber", known)) {
    const Renumbering how = parse_renumbering(name);
    if (line.get_or("renumber", "none") != "all") {
      require_several_devices(how, most_devices, "--devices");
    }
    renumberings.push_back(how);
  }
  return renumberings;
}

std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 0;
  for (const char c : name) hash = scramble(hash ^ static_cast<unsigned char>(c));
  return hash;
}

/// Whether --families asks for those that share no generator with calibration.
bool unrelated(const CommandLine& line) {
  const auto families = line.get_or<std::string>("families", "related");
  if (families != "related" && families != "unrelated") {
    throw UsageError("--families " + families + ": expected related or unrelated");
  }
  return families == "unrelated";
}

}  // namespace

std::vector<ValidationSource> make_sources(const CommandLine& line,
                                           const std::vector<MatrixFile>& files,
                                           const std::vector<int>& devices) {
  const std::vector<Renumbering> renumberings = renumberings_of(line, devices);
  std::set<int> several(devices.begin(), devices.end());
  several.erase(1);
  std::vector<ValidationSource> sources;
  if (line.has("generated")) {
    const bool for_several = !several.empty() && device_of(line) != "cpu";
    const std::uint64_t seed = line.get_or<std::uint64_t>("seed", 1);
    const double largest = positive_of(line, "largest", 5e8);
    sources = unrelated(line) ? unrelated_matrices(largest, seed)
                              : held_out_matrices(largest, for_several, seed);
  }
  for (const MatrixFile& file : files) {
    ValidationSource source;
    source.name = file.name;
    // A line of text a nonzero, of which there are two where one half is stored.
    constexpr double bytes_per_nonzero = 6;
    const std::string ending = file.path.extension().string();
    const double packed = ending == ".gz" || ending == ".tgz" || ending == ".zst" ? 5 : 1;
    std::error_code error;  // a pipe has no size
    const auto bytes = fs::file_size(file.path, error);
    source.nonzeros = error ? 0 : packed * static_cast<double>(bytes) / bytes_per_nonzero;
    source.renumberings = renumberings;
    source.metis_devices.assign(several.begin(), several.end());
    source.keeps_values = line.has("rtol");
    source.load = [file](int) {
      MatrixFromFile read = read_matrix(file.path.string());
      return ValidationMatrix{file.name, std::move(read.matrix), read.pattern};
    };
    sources.push_back(std::move(source));
  }
  return sources;
}

void mix(std::vector<ValidationSource>& sources, const CommandLine& line) {
  if (unrelated(line)) {
    // They come in turn; each file has a place among them by its name.
    std::map<std::string, double> places;
    double place = 0;
    for (const ValidationSource& source : sources) {
      if (source.generated) places[source.name] = place++;
    }
    std::ranges::stable_sort(sources, {}, [&](const ValidationSource& source) {
      return source.generated ? places.at(source.name)
                              : place * unit_interval(hash_of(source.name));
    });
    return;
  }
  constexpr double takes_long = 4e7;  // nonzeros
  std::ranges::stable_sort(sources, {}, [](const ValidationSource& source) {
    return std::pair(source.nonzeros > takes_long ? -source.nonzeros : 0.0, hash_of(source.name));
  });
}

}  // namespace sparsecast::cli
