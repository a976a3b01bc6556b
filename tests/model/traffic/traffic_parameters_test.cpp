#include "model/traffic/traffic_parameters.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/base/error.hpp"
#include "model/traffic/traffic_example.hpp"

namespace sparsecast {
namespace {

TEST(TrafficParameters, HaveNamesOfTheirOwnAndValuesWithinTheirBounds) {
  TrafficParameters parameters = example_parameters();
  std::set<std::string> names;
  for (const TrafficParameter& each : parameter_list(parameters)) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_GE(*each.value, each.least) << each.name;
    EXPECT_LE(*each.value, each.most) << each.name;
  }
}

TEST(TrafficParameters, CanBeBuiltFromTheirNames) {
  TrafficParameters parameters = example_parameters();
  parameters.passes = PassCosts{1e-6, 2e-7, 3e-7, 4e-8, 5e-8, 6e-8, 7e-7, 8e-8, 9e-7};
  TrafficParameters built;
  for (const TrafficParameter& each : parameter_list(parameters)) add_parameter(built, each.name);
  EXPECT_EQ(parameter_list(built).size(), parameter_list(parameters).size());
  EXPECT_THROW(add_parameter(built, "device/luck"), Error);
  EXPECT_THROW(add_parameter(built, "f16/csr/fixed"), Error);
  EXPECT_THROW(add_parameter_group(built, "f16/csr"), Error);
}

TEST(TrafficParameters, OfTheDeviceAreToldFromThoseOfKernels) {
  TrafficParameters parameters = example_parameters();
  std::set<std::string> of_device;
  for (const TrafficParameter& each : parameter_list(parameters)) {
    if (is_device_constant(each)) of_device.insert(each.name);
  }
  for (const char* name :
       {"device/wait", "device/memory_read", "device/l2_capacity", "device/l2_read", "device/line",
        "device/sector", "persistent/cache_capacity"}) {
    EXPECT_TRUE(of_device.contains(name)) << name;
  }
  for (const char* name : {"device/overlap", "device/sum_step", "product/csr/step",
                           "product/csr/cache", "vector/fixed", "persistent/warp"}) {
    EXPECT_FALSE(of_device.contains(name)) << name;
  }
}

}  // namespace
}  // namespace sparsecast
