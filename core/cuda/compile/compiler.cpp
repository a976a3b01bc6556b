#include "core/cuda/compile/compiler.cuh"

#include <algorithm>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/user_cache.hpp"
#include "core/base/text/hash.hpp"
#include "core/cuda/compile/device_headers.hpp"
#include "core/cuda/vendor/vendor_libraries.cuh"

namespace sparsecast::cuda {
namespace {

/// What our headers need of the C++ library, which NVRTC has not.
const std::vector<DeviceHeader>& library_headers() {
  static const std::vector<DeviceHeader> all = {
      {"cstdint",
       "#pragma once\n"
       "namespace std {\n"
       "using int8_t = signed char;\nusing int16_t = short;\nusing int32_t = int;\n"
       "using int64_t = long long;\nusing uint8_t = unsigned char;\n"
       "using uint16_t = unsigned short;\nusing uint32_t = unsigned;\n"
       "using uint64_t = unsigned long long;\n"
       "}\n"},
      {"cstddef", "#pragma once\nnamespace std {\nusing size_t = decltype(sizeof(0));\n}\n"},
      {"cmath",
       "#pragma once\n"
       "namespace std {\nusing ::fabs;\nusing ::floor;\nusing ::hypot;\nusing ::sqrt;\n}\n"},
  };
  return all;
}

class Program {
 public:
  explicit Program(const std::string& source) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const auto* headers : {&device_headers(), &library_headers()}) {
      for (const DeviceHeader& header : *headers) {
        names.push_back(header.name.c_str());
        texts.push_back(header.text.c_str());
      }
    }
    SPARSECAST_VENDOR_CHECK(nvrtc().nvrtcCreateProgram(&program_, source.c_str(), "pass.cu",
                                                       static_cast<int>(names.size()), texts.data(),
                                                       names.data()));
  }
  ~Program() { nvrtc().nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string machine_code(const std::vector<std::string>& options) const {
    std::vector<const char*> given;
    for (const std::string& option : options) given.push_back(option.c_str());
    const nvrtcResult result =
        nvrtc().nvrtcCompileProgram(program_, static_cast<int>(given.size()), given.data());
    if (result == NVRTC_ERROR_COMPILATION) throw Error("NVRTC refuses a kernel: " + log());
    SPARSECAST_VENDOR_CHECK(result);
    std::size_t size = 0;
    SPARSECAST_VENDOR_CHECK(nvrtc().nvrtcGetCUBINSize(program_, &size));
    std::string code(size, '\0');
    SPARSECAST_VENDOR_CHECK(nvrtc().nvrtcGetCUBIN(program_, code.data()));
    return code;
  }

 private:
  /// On one line.
  std::string log() const {
    std::size_t size = 0;
    SPARSECAST_VENDOR_CHECK(nvrtc().nvrtcGetProgramLogSize(program_, &size));
    std::string text(size, '\0');
    SPARSECAST_VENDOR_CHECK(nvrtc().nvrtcGetProgramLog(program_, text.data()));
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  nvrtcProgram program_ = nullptr;
};

/// What stands for NVRTC and all headers in the keys of what is kept.
const std::string& compiler_key() {
  static const std::string key = [] {
    int major = 0;
    int minor = 0;
    SPARSECAST_VENDOR_CHECK(nvrtc().nvrtcVersion(&major, &minor));
    std::string all;
    for (const auto* headers : {&device_headers(), &library_headers()}) {
      for (const DeviceHeader& header : *headers) all += header.name + '\n' + header.text;
    }
    return "NVRTC " + std::to_string(major) + "." + std::to_string(minor) + ", headers " +
           hexadecimal(hash_of(all, 1)) + hexadecimal(hash_of(all, 2)) + "\n";
  }();
  return key;
}

/// All that the machine code depends on.
std::string key_of(const std::string& source, const std::vector<std::string>& options) {
  std::string key = compiler_key();
  for (const std::string& option : options) key += option + '\n';
  return key + source;
}

}  // namespace

std::vector<int> known_capabilities() {
  int count = 0;
  SPARSECAST_VENDOR_CHECK(nvrtc().nvrtcGetNumSupportedArchs(&count));
  std::vector<int> all(static_cast<std::size_t>(count));
  SPARSECAST_VENDOR_CHECK(nvrtc().nvrtcGetSupportedArchs(all.data()));
  return all;
}

std::string compile(const std::string& source, int capability) {
  const std::vector<std::string> options{"--gpu-architecture=sm_" + std::to_string(capability),
                                         "--std=c++20", "--fmad=false", "-default-device"};
  const UserCache cache("kernels");
  const std::string key = key_of(source, options);
  if (auto found = cache.find(key)) return std::move(*found);
  std::string code = Program(source).machine_code(options);
  cache.keep(key, code);
  return code;
}

}  // namespace sparsecast::cuda
