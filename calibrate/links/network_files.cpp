#include "calibrate/links/network_files.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"
#include "model/network/network_file.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view network_ending = ".network.json";

}  // namespace

std::string NetworkFiles::name() const {
  const std::string file = network.filename().string();
  return file.substr(0, file.size() - network_ending.size());
}

NetworkFiles network_files(const std::filesystem::path& network) {
  const std::string file = network.filename().string();
  if (!file.ends_with(network_ending) || file.size() == network_ending.size()) {
    throw Error(network.string() + ": expected a name that ends in " + std::string(network_ending));
  }
  NetworkFiles files{network, {}};
  files.samples = network.parent_path() / (files.name() + ".links.csv.gz");
  return files;
}

void write_measured_network(const NetworkFiles& files, const Network& network,
                            const LinkSampleFile* samples) {
  OutputFile network_file(files.network);
  network_file.write(network_to_json(network));
  std::vector<OutputFile*> together{&network_file};
  std::optional<OutputFile> samples_file;
  if (samples != nullptr) {
    samples_file.emplace(files.samples);
    samples_file->write(text_for(files.samples, link_samples_to_csv(*samples)));
    together.push_back(&*samples_file);
  }
  OutputFile::commit_together(together);
}

}  // namespace sparsecast
