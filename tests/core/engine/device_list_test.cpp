#include "core/engine/device_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

std::string refusal(std::string_view list, std::string_view kind, int end = 100) {
  try {
    parse_device_list(list, kind, end);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceIndex, IsTheNumberBehindTheKind) {
  EXPECT_EQ(device_index("cuda:0", gpu_kind), 0);
  EXPECT_EQ(device_index("cuda:12", gpu_kind), 12);
  EXPECT_EQ(device_index("cpu:3", group_kind), 3);
}

TEST(DeviceIndex, IsNothingForAnyOtherText) {
  for (const char* name : {"", "cpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:1 ", "cuda:1x",
                           "cuda:0,cuda:1", "cuda:99999999999", "cpu:0"}) {
    EXPECT_FALSE(device_index(name, gpu_kind)) << name;
  }
}

TEST(GpuNames, NamesWholeGpusOrAPartOfOne) {
  for (const char* list : {"cuda:0", "cuda:2,cuda:0,cuda:7", "cuda:3/32"}) {
    EXPECT_EQ(gpu_list(parse_gpu_list(list)), list);
  }
  EXPECT_EQ(parse_gpu_list("cuda:1,cuda:0"), (std::vector{GpuPart(1), GpuPart(0)}));
  EXPECT_EQ(parse_gpu_list("cuda:3/32"), std::vector{GpuPart(3, 32)});
}

TEST(GpuNames, RefusesWhatIsNoPartAndPartsBesideOthers) {
  for (const char* list : {"cuda:0/", "cuda:0/0", "cuda:0/-8", "cuda:0/8x", "cuda:/8", "cpu:0/8",
                           "cuda:0/99999999999"}) {
    EXPECT_EQ(refusal_of([&] { parse_gpu_list(list); }), "no device '" + std::string(list) + "'");
  }
  EXPECT_EQ(refusal_of([] { parse_gpu_list("cuda:1,cuda:0/32"); }), "no device 'cuda:0/32'");
  EXPECT_EQ(refusal_of([] { parse_gpu_list("cuda:0/32,cuda:1"); }), "no device 'cuda:0/32'");
}

TEST(DeviceList, ReadsBackAsItWasWritten) {
  const std::vector<int> indices{2, 0, 7};
  EXPECT_EQ(device_list(gpu_kind, indices), "cuda:2,cuda:0,cuda:7");
  EXPECT_EQ(parse_device_list("cuda:2,cuda:0,cuda:7", gpu_kind), indices);
  EXPECT_EQ(parse_device_list("cpu:1", group_kind), std::vector{1});
}

TEST(DeviceList, NamesTheFirstThatIsWrong) {
  EXPECT_EQ(refusal("cuda:0,cpu:1,gpu:1", gpu_kind), "no device 'cpu:1'");
  EXPECT_EQ(refusal("cuda:0,", gpu_kind), "no device ''");
  EXPECT_EQ(refusal("cpu:3,cpu:64", group_kind, 64), "no device 'cpu:64'");
  EXPECT_EQ(refusal("cuda:1,cuda:0,cuda:1", gpu_kind), "device 'cuda:1' is named twice");
}

TEST(ConsecutiveDevices, FollowTheFirst) {
  EXPECT_EQ(consecutive_devices("cpu", 1), "cpu");
  EXPECT_EQ(consecutive_devices("cpu", 3), "cpu:0,cpu:1,cpu:2");
  EXPECT_EQ(consecutive_devices("cuda:1", 1), "cuda:1");
  EXPECT_EQ(consecutive_devices("cuda:1", 2), "cuda:1,cuda:2");
  EXPECT_EQ(consecutive_devices("cuda:0/32", 1), "cuda:0/32");
  EXPECT_THROW(consecutive_devices("cuda:x", 2), Error);
  EXPECT_EQ(refusal_of([] { consecutive_devices("cuda:0/32", 2); }),
            "device 'cuda:0/32' is a part of a GPU, which runs alone; name the whole GPU");
}

}  // namespace
}  // namespace sparsecast
