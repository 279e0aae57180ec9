// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#ifdef ASTERISM_FXT
#include <fxt/fxt-tools.h>
#include <fxt/fxt.h>
#endif
#include <starpu.h>
#include <starpu_fxt.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "traces/readers/read.hpp"

namespace asterism::traces {

namespace fs = std::filesystem;
using namespace std::string_literals;

namespace {

#if defined(ASTERISM_FXT) && defined(STARPU_USE_FXT)
/// What a rank's clock showed when it left the two barriers by which StarPU's converter aligns ranks; ns.
struct Barriers {
  std::uint32_t rank = 0;
  std::vector<std::uint64_t> left;
};

Barriers barriers_of(const fs::path& file) {
  constexpr std::uint64_t barrier_code = 0x5203;  // _STARPU_MPI_FUT_BARRIER, in no installed header
  Barriers barriers;
  const int in = open(file.c_str(), O_RDONLY);
  const fxt_t trace = in < 0 ? nullptr : fxt_fdopen(in);
  if (trace == nullptr) return barriers;
  fxt_blockev_t block = fxt_blockev_enter(trace);
  fxt_ev_64 event;
  while (barriers.left.size() < 2 &&
         fxt_next_ev(block, FXT_EV_TYPE_64, reinterpret_cast<fxt_ev*>(&event)) == FXT_EV_OK) {
    if (event.code != barrier_code) continue;
    barriers.rank = static_cast<std::uint32_t>(event.param[0]);
    // with a synchronised clock StarPU notes when the barrier ended: the event may come later
    barriers.left.push_back(event.param[3] != 0 ? static_cast<std::uint64_t>(event.param[3]) : event.time);
  }
  close(in);
  return barriers;
}

/// What StarPU's converter does not keep: by how much it stretches each rank's time.
void note_clocks(const std::vector<fs::path>& files, const fs::path& folder) {
  std::ofstream out(folder / "clocks.rec");
  for (const auto& f : files)
    if (const Barriers b = barriers_of(f); b.left.size() == 2)
      out << fmt::format("Rank: {}\nBetweenBarriers: {:.6f}\n\n", b.rank,
                         static_cast<double>(b.left[1] - b.left[0]) * 1e-6);
}
#endif

#ifdef STARPU_USE_FXT
constexpr std::size_t most_files = STARPU_FXT_MAX_FILES;

/// On some broken files StarPU's converter never ends: processor time of 2 s and 5 s per MB, some twenty times what it
/// takes.
void limit_time(const std::vector<fs::path>& files) {
  rlim_t seconds = 2;
  for (const auto& f : files) {
    std::error_code error;
    const auto size = fs::file_size(f, error);
    if (!error) seconds += 5 * static_cast<rlim_t>(size >> 20);
  }
  const rlimit limit{seconds, seconds + 1};
  setrlimit(RLIMIT_CPU, &limit);
}

/// In the child: never returns.
[[noreturn]] void convert(const std::vector<fs::path>& files, const fs::path& folder, const fs::path& messages) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for it any more
  limit_time(files);
  const int out = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (out >= 0) {
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
  }
  starpu_fxt_options options;
  starpu_fxt_options_init(&options);
  for (const auto& f : files) options.filenames[options.ninputfiles++] = strdup(f.c_str());
  options.dir = strdup(folder.c_str());
  starpu_fxt_generate_trace(&options);
#ifdef ASTERISM_FXT
  if (files.size() > 1) note_clocks(files, folder);
#endif
  std::fflush(nullptr);
  _exit(0);
}
#else
constexpr std::size_t most_files = 0;

[[noreturn]] void convert(const std::vector<fs::path>&, const fs::path&, const fs::path&) {
  _exit(1);
}
#endif

/// A copy of a .gz file, in the folder.
fs::path decompressed(const fs::path& path, const fs::path& folder) {
  const fs::path copy = fs::absolute(folder) / path.stem();
  gzFile in = gzopen(path.c_str(), "rb");
  if (!in) bad_input("{}: cannot be opened ({})", path.string(), std::strerror(errno));
  std::ofstream out(copy, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  int got = 0;
  while ((got = gzread(in, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) out.write(buffer.data(), got);
  int code = Z_OK;
  gzerror(in, &code);
  gzclose(in);
  if (got < 0 || code == Z_BUF_ERROR) bad_input("{}: damaged or cut", path.string());
  return copy;
}

std::string last_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::string last;
  while (std::getline(in, line))
    if (!line.empty() && line.find("Warning") == std::string::npos) last = line;
  return last.substr(0, 160);
}

}  // namespace

void convert_fxt(const std::vector<fs::path>& files, const fs::path& folder) {
  if (files.size() > most_files)
    bad_input("{} FxT file(s): this StarPU converts at most {} at once", files.size(), most_files);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) bad_input("{}: cannot be made ({})", folder.string(), error.message());
  std::vector<fs::path> plain;
  for (const auto& f : files) {
    plain.push_back(f.extension() == ".gz" ? decompressed(f, folder) : fs::absolute(f));
    const auto size = fs::file_size(plain.back(), error);
    if (error || size < 64) bad_input("{}: too short for an FxT file", f.string());
  }
  const fs::path messages = folder / "convert.log";
  // StarPU's converter ends the process, or crashes, on a broken file.
  const pid_t child = fork();
  if (child < 0) failed("fork: {}", std::strerror(errno));
  if (child == 0) convert(plain, fs::absolute(folder), messages);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string first = files.front().string();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string said = last_line(messages);
    bad_input("{}: StarPU's FxT converter failed ({}{}): broken, cut, or not an FxT file", first,
              !WIFSIGNALED(status)          ? fmt::format("status {}", WEXITSTATUS(status))
              : WTERMSIG(status) == SIGXCPU ? "did not end"s
                                            : fmt::format("signal {}", WTERMSIG(status)),
              said.empty() ? "" : "; " + said);
  }
  fs::remove(messages, error);
}

}  // namespace asterism::traces
