#include "core/base/files/shared_library.hpp"

#include <dlfcn.h>

#include "core/base/error.hpp"

namespace sparsecast {

SharedLibrary::SharedLibrary(const std::string& file, const std::string& package) : file_(file) {
  for (const std::string& path : {file, "/usr/local/cuda/lib64/" + file}) {
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ != nullptr) return;
  }
  throw Error(file + " cannot be loaded; install " + package +
              ", and name its folder in LD_LIBRARY_PATH if it is an unusual one");
}

void* SharedLibrary::symbol(const char* name) const {
  void* const found = dlsym(library_, name);
  if (found == nullptr) {
    throw Error(file_ + " has no function " + name + "; install another version of it");
  }
  return found;
}

}  // namespace sparsecast
