#include "cli/commands/bench/blocks/block_statements.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "cli/commands/bench/blocks/block_rules.hpp"

namespace sparsecast::cli {

const std::vector<BlockStatement>& block_statements() {
  using enum JudgedOn;
  static const std::vector<BlockStatement> all{
      {{"C1", "3.2", "BCRS 4 x 4 is faster than 2 x 2, and that than CRS, on any device",
        "1.5 and 4.0 times (GPU); 1.33 and 1.18 times (CPU)",
        "both ratios of bcsr4, bcsr2 and csr are above 1, the median of the stand-ins of Table 3, "
        "f32",
        any},
       larger_blocks_are_faster},
      {{"C2", "2.3.4", "strips of 4 x 4 blocks make the most of fetches", "no number",
        "the better of bcsr4-quads and bcsr4-strips is faster than bcsr4, the median of the "
        "stand-ins of Table 3, f32",
        gpus},
       strips_beat_blocks},
      {{"C3", "2.2.4", "reverse Cuthill-McKee does not change the speed", "0 %",
        "products in bcsr4 after it take as long as before it and as after random, within 5 %, the "
        "medians of the stand-ins of Table 3, f32",
        any},
       order_does_not_matter},
      {{"C4", "3.3", "the product is 80 % of the time of CG whatever the device", "80 %",
        "the product in bcsr4 takes 70 to 90 % of an iteration of schedules/cnc.json, the median "
        "of "
        "the two largest meshes, f32",
        any},
       product_is_most_of_cg},
      {{"C5", "3.3", "CG on a GPU is 6.0 times as fast as on a multithreaded CPU with SSE3", "6.0",
        "an iteration of schedules/cnc.json is as many times as fast or more, the median of the "
        "two "
        "largest meshes, f32",
        gpus_cpus},
       gpu_cg_beats_cpu},
      {{"C6", "3.4", "overheads of the GPU are below 7 %, and a kernel call costs 15 us",
        "7 %; 15 us",
        "kernels recorded in a graph take more than 93 % of the time of those that the host calls, "
        "on all stand-ins of Table 3, and a call costs 7.5 to 30 us, their median, f32",
        gpus},
       overheads_are_small},
      {{"C7", "2.3.5", "128 threads that sum 4 values each are the best dot product",
        "512 values a block",
        "no other of 128 to 4096 values a block is more than 2 % faster than 512, at 1024^2 values "
        "and 64 times as many, f32",
        gpus},
       dots_of_512_are_best},
      {{"C8", "3.4",
        "CG in f32 comes down to 1e-8 in 500 iterations, until where CPU and GPU agree",
        "1e-8 after 500 iterations",
        "the recurrence's residual and the true one both are at most 1e-8 of the right-hand side "
        "at "
        "some time in 500 iterations, on a GPU the recurrence's within 25 iterations of the CPU's "
        "where that was measured; parameterization of the largest mesh",
        any},
       single_precision_converges},
      {{"C9", "3.4", "SAXPY reaches more than 82 % of the bandwidth and about 3 % of the flops",
        "82; 3 % of the data sheet",
        "y += a x of 64 * 1024^2 values, which caches do not hold, is above 82 % and at 2 to 4.5 "
        "%, f32",
        gpus},
       saxpy_is_of_bandwidth}};
  return all;
}

std::vector<Judgement> judge_blocks(std::span<const BlockMeasurement> all) {
  const JudgedDevices devices = judged_devices(all);
  const BlockResults cpu =
      devices.cpus.empty() ? BlockResults() : BlockResults(all, devices.cpus.front());
  std::vector<Judgement> judgements;
  for (const BlockStatement& statement : block_statements()) {
    std::ranges::move(judge_on_devices(statement, devices,
                                       [&](const std::string& device) {
                                         return statement.judge(BlockResults(all, device), cpu);
                                       }),
                      std::back_inserter(judgements));
  }
  return judgements;
}

}  // namespace sparsecast::cli
