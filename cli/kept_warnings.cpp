#include "cli/kept_warnings.hpp"

namespace sparsecast::cli {

namespace {

KeptWarnings* living = nullptr;

}  // namespace

KeptWarnings::KeptWarnings() {
  living = this;
}

KeptWarnings::~KeptWarnings() {
  living = nullptr;
}

void KeptWarnings::add(const std::string& text) {
  if (living != nullptr) living->texts_.push_back(text);
}

}  // namespace sparsecast::cli
