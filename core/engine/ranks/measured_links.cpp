#include "core/engine/ranks/measured_links.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace sparsecast {
namespace {

class HostLinks final : public MeasuredLinks {
 public:
  explicit HostLinks(Communicator& ranks) : ranks_(ranks) {}

  LinkWork there_and_back(std::int64_t bytes) override {
    const int other = 1 - ranks_.rank();
    return work([this, other, message = buffer(bytes)]() mutable {
      const OutgoingBytes out{other, message};
      const IncomingBytes in{other, message};
      if (other == 1) ranks_.exchange({&out, 1}, {});
      ranks_.exchange({}, {&in, 1});
      if (other == 0) ranks_.exchange({&out, 1}, {});
    });
  }

  LinkWork exchange(std::span<const int> neighbours, std::int64_t bytes) override {
    std::vector<std::vector<std::byte>> received(neighbours.size(), buffer(bytes));
    return work([this, of = std::vector<int>(neighbours.begin(), neighbours.end()),
                 sent = buffer(bytes), received = std::move(received),
                 out = std::vector<OutgoingBytes>(), in = std::vector<IncomingBytes>()]() mutable {
      out.clear();
      in.clear();
      for (std::size_t i = 0; i < of.size(); ++i) {
        out.push_back({of[i], sent});
        in.push_back({of[i], received[i]});
      }
      ranks_.exchange(out, in);
    });
  }

  LinkWork sum(int values) override {
    return work([this, numbers = std::vector<double>(static_cast<std::size_t>(values))]() mutable {
      ranks_.sum(numbers);
    });
  }

  LinkWork own_work() override {
    return work([] {
      constexpr int steps = 20000;  // of some eight cycles each
      double number = 0;
      for (int i = 0; i < steps; ++i) number = 0.5 * number + 1;
      // Who computes what nobody reads need not compute it.
      const volatile double result = number;
      static_cast<void>(result);
    });
  }

 private:
  static std::vector<std::byte> buffer(std::int64_t bytes) {
    return std::vector<std::byte>(static_cast<std::size_t>(bytes));
  }

  template <class Once>
  static LinkWork work(Once once) {
    return {[once = std::move(once)](std::int64_t count) mutable {
              for (std::int64_t i = 0; i < count; ++i) once();
            },
            1};
  }

  Communicator& ranks_;
};

}  // namespace

std::unique_ptr<MeasuredLinks> host_links(Communicator& ranks) {
  return std::make_unique<HostLinks>(ranks);
}

}  // namespace sparsecast
