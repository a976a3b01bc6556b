#include "cli/gpu_of_rank.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/base/error.hpp"
#include "core/base/host_name.hpp"
#include "core/base/text/hash.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast::cli {

GpuPart gpu_of_rank(Communicator& all, std::string_view list) {
  const std::vector<GpuPart> gpus = parse_gpu_list(list);
  const std::uint64_t host = hash_of(host_name(), 1);
  const std::vector<std::uint64_t> hosts = gather(all, host);
  const auto on_host = static_cast<std::size_t>(std::ranges::count(hosts, host));
  const auto before =
      static_cast<std::size_t>(std::count(hosts.begin(), hosts.begin() + all.rank(), host));
  GpuPart mine = gpus[0];
  std::uint64_t card = 0;
  do_together(all, [&] {
    if (gpus.size() > 1 && gpus.size() != on_host) {
      throw Error("--device " + std::string(list) + ": names " + std::to_string(gpus.size()) +
                  " GPUs, and there are " + std::to_string(on_host) + " ranks on " + host_name() +
                  "; name one for each");
    }
    if (gpus.size() > 1) mine = gpus[before];
    require_gpu(mine);
    card = hash_of(list_gpus().devices[static_cast<std::size_t>(mine.gpu)].pci_id, host);
  });
  const std::vector<std::uint64_t> cards = gather(all, card);
  for (std::size_t rank = 1; rank < cards.size(); ++rank) {
    const auto earlier =
        std::find(cards.begin(), cards.begin() + static_cast<std::ptrdiff_t>(rank), cards[rank]) -
        cards.begin();
    if (earlier == static_cast<std::ptrdiff_t>(rank)) continue;
    warn("ranks " + std::to_string(earlier) + " and " + std::to_string(rank) +
         " share a GPU and take turns of milliseconds; name one for each (--device "
         "cuda:0,cuda:1)");
    break;
  }
  return mine;
}

}  // namespace sparsecast::cli
