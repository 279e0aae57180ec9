// SPDX-License-Identifier: Apache-2.0
// comms.rec, as StarPU's converter writes it of several ranks (GNU recutils, as tasks.rec), and clocks.rec, as ours
// does.
#include <algorithm>
#include <cmath>

#include "traces/readers/assembling.hpp"
#include "traces/readers/job.hpp"

namespace asterism::traces {

namespace {

/// One message while its lines are read.
struct Record {
  Message message;
  MessageJobs jobs;
  std::optional<std::uint64_t> sent;      ///< address of the data at the sender
  std::optional<std::uint64_t> received;  ///< and at the receiver
  bool has_sender = false;
  bool has_receiver = false;
  bool has_start = false;
  bool has_end = false;
  bool empty = true;
  [[nodiscard]] bool whole() const { return has_sender && has_receiver && has_start && has_end; }
};

void field(Record& r, const LineStream& lines, std::string_view key, std::string_view value) {
  const auto milliseconds = [&] { return lines.parse<double>(value, "a time in ms") * 1e-3; };
  const auto address = [&] { return lines.parse<std::uint64_t>(value, "a handle's address in hexadecimal", 16); };
  Message& m = r.message;
  if (key == "Src") {
    m.from = lines.parse<std::uint32_t>(value, "a rank");
    r.has_sender = true;
  } else if (key == "Dst") {
    m.to = lines.parse<std::uint32_t>(value, "a rank");
    r.has_receiver = true;
  } else if (key == "Tag") {
    m.tag = lines.parse<std::int64_t>(value, "a tag");
  } else if (key == "SendTime") {
    m.start = milliseconds();
    r.has_start = true;
  } else if (key == "RecvTime") {
    m.end = milliseconds();
    r.has_end = true;
  } else if (key == "SendHandle") {
    r.sent = address();
  } else if (key == "RecvHandle") {
    r.received = address();
  } else if (key == "SendJobId") {
    r.jobs.sent_after = job_of(lines, value).number;
  } else if (key == "RecvJobId") {
    r.jobs.releases = job_of(lines, value).number;
  } else if (key == "Size") {
    m.bytes = lines.parse<std::uint64_t>(value, "a number of bytes");
  } else if (key == "Priority") {
    m.priority = lines.parse<std::int32_t>(value, "a priority");
  } else if (key == "Type") {
    m.kind = value == "Collective" ? MessageKind::collective : MessageKind::point_to_point;
  }
}

}  // namespace

void read_comms_rec(Assembling& into, const std::filesystem::path& path) {
  LineStream lines(path);
  Record r;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) {
      if (r.empty) continue;
      if (!r.whole()) lines.fail("a message without Src, Dst, SendTime or RecvTime ends here");
      if (r.sent) r.message.handle = into.handle(r.message.from, *r.sent);
      if (r.received) r.message.received = into.handle(r.message.to, *r.received);
      into.recording.messages.push_back(r.message);
      into.message_jobs.push_back(r.jobs);
      r = Record{};
      continue;
    }
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos)
      lines.fail("'{}' found where 'Key: value' was expected: not a comms.rec of StarPU", line.substr(0, 40));
    r.empty = false;
    field(r, lines, line.substr(0, colon), line.substr(colon + 2));
  }
  if (!r.empty) lines.fail("the file ends in the middle of a message: it was cut");
}

void read_clocks_rec(Assembling& into, const std::filesystem::path& path) {
  LineStream lines(path);
  std::string_view line;
  std::uint32_t rank = 0;
  while (lines.next(line)) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view value = line.substr(colon + 2);
    if (line.substr(0, colon) == "Rank") {
      rank = lines.parse<std::uint32_t>(value, "a rank");
      if (into.between_barriers.size() <= rank) into.between_barriers.resize(rank + 1);
    } else if (line.substr(0, colon) == "BetweenBarriers" && rank < into.between_barriers.size()) {
      into.between_barriers[rank] = lines.parse<double>(value, "a time in ms") * 1e-3;
    }
  }
}

void refine_messages(Assembling& a) {
  Recording& r = a.recording;
  // StarPU's converter keeps the times of messages as float, in ms: to that precision they are those of the calls.
  const auto same = [](double x, double y) { return std::abs(x - y) <= 1.2e-7 * std::max(std::abs(x), std::abs(y)); };
  std::vector<std::size_t> next(a.calls.size(), 0);  // calls of MPI_Isend that have their message
  std::vector<std::uint64_t> of_rank(a.calls.size(), 0);
  for (Message& m : r.messages) {
    if (m.from < a.calls.size()) {
      ++of_rank[m.from];
      const auto& sends = a.calls[m.from].sends;
      std::size_t& i = next[m.from];
      while (i < sends.size() && sends[i].second < m.start && !same(sends[i].second, m.start)) ++i;
      if (i < sends.size() && same(sends[i].second, m.start)) m.start = sends[i++].first;
    }
    if (m.to < a.calls.size()) {
      const auto& receives = a.calls[m.to].receives;
      const double end = m.end;
      // the earliest that may be meant: a message is rather too short than too long
      const auto it = std::partition_point(receives.begin(), receives.end(), [&](const auto& call) {
        return call.second < end && !same(call.second, end);
      });
      if (it != receives.end() && (it->first <= end || same(it->first, end))) m.end = it->first;
    }
  }
  for (std::size_t rank = 0; rank < a.calls.size(); ++rank)
    if (a.calls[rank].sends.size() > of_rank[rank]) r.lost_messages += a.calls[rank].sends.size() - of_rank[rank];
}

void connect_messages(Recording& r, const std::vector<MessageJobs>& jobs) {
  std::unordered_map<std::uint64_t, std::uint32_t> number;
  const auto key = [](std::uint32_t rank, std::uint64_t id) { return (static_cast<std::uint64_t>(rank) << 44) ^ id; };
  for (std::uint32_t t = 0; t < r.tasks.size(); ++t) number.emplace(key(r.tasks[t].rank, r.tasks[t].id), t);
  const auto node = [&](std::uint32_t rank, const std::optional<std::uint64_t>& job) {
    const auto it = job ? number.find(key(rank, *job)) : number.end();
    return it == number.end() ? none : it->second;
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // releases, sent_after
  for (std::size_t i = 0; i < r.messages.size() && i < jobs.size(); ++i) {
    Message& m = r.messages[i];
    if (m.end < m.start) continue;
    m.sent_after = node(m.from, jobs[i].sent_after);
    m.releases = node(m.to, jobs[i].releases);
    if (m.sent_after != none && m.releases != none) edges.emplace_back(m.releases, m.sent_after);
  }
  if (edges.empty()) return;
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Lists<std::uint32_t> all;
  all.item.reserve(r.dependencies.item.size() + edges.size());
  auto edge = edges.begin();
  for (std::uint32_t t = 0; t < r.tasks.size(); ++t) {
    const auto before = r.predecessors(t);
    all.item.insert(all.item.end(), before.begin(), before.end());
    for (; edge != edges.end() && edge->first == t; ++edge)
      if (std::find(before.begin(), before.end(), edge->second) == before.end()) all.item.push_back(edge->second);
    all.close();
  }
  r.dependencies = std::move(all);
}

}  // namespace asterism::traces
