// SPDX-License-Identifier: Apache-2.0
// "hprio": HeteroPrio as in section 3.2 of the FMM paper (Agullo et al., RR-8513), for any task graph and any machine.
//
// Steady state. Ready tasks wait in buckets, first in first out. A bucket has a priority number for CPUs and one for
// GPUs (whatever is not a CPU), or "-": never. A unit that wants a task polls the buckets by increasing number of its
// kind: GPUs first take what they accelerate most, CPUs what GPUs accelerate least.
//
// Kinds of GPUs. Where GPUs are of several models, each model is a kind with an order of its own (the third and all
// further ones together): it takes first what it accelerates most, by its durations over the mean of the others'. The
// paper has CPUs and GPUs only; that rules and orders extend to more kinds is what Bramas' Heteroprio in StarPU does.
//
// Termination. A CPU can pop a task only if #tasks >= s x #GPUs: s is the duration of the task on a CPU over that on a
// GPU, #tasks the ready tasks of the bucket that GPUs can run (waiting or reserved, this one included), #GPUs those
// that can run it. Otherwise the GPUs are done with all of them before the CPU is with one, and it polls the next
// bucket as if this one were empty. The rule is mirrored for tasks that CPUs run faster, and holds between kinds of
// GPUs, where what several faster kinds do meanwhile adds up. A task that only one kind can run, or whose bucket only
// one kind polls, is never withheld. s comes from StarPU's performance models, else from durations measured on the way;
// a task passes while it is unknown. Where durations are known the rule looks at all that waits for the GPUs and not
// only at this bucket (least_backlog in buckets.hpp): GPUs that are 100 times faster than a core at everything would
// otherwise leave the cores idle while they work through other buckets. -backlog: as the paper; so is -speedup, which
// knows no durations.
//
// Reservations. A GPU keeps a few tasks for later, 50 ms of them, and prefetches their data while it computes. A unit
// of any kind that finds nothing else takes back the last one of the unit that keeps most, if the termination rule lets
// it.
//
// Locality. Where GPUs have memories of their own, a GPU takes of the first tasks of a bucket one whose data it holds
// (those that a task changes count twice; all of them only if fetching them takes a fifth of the task), else one
// whose data no GPU holds, and keeps one of another GPU for later only when it would keep none. The paper leaves this
// open; the idea, with another rule, is that of LaHeteroprio (Bramas, PeerJ Computer Science 5:e190, 2019).
//
// ASTERISM_HPRIO_ORDER      file with the table of buckets, or the table itself (when it has a '=' or a line break);
//                           grammar in order.hpp. Without it what the application gave to
//                           asterism_hprio_order (asterism_hprio.h); without that a bucket per codelet, ordered by
//                           speedup anew as durations become known, and within it by task->priority. Tasks that no line
//                           names, or that no kind in their line can run, come last for all. A wrong table is reported
//                           in one line on stderr and ignored: StarPU lets no scheduler refuse to start.
// ASTERISM_HPRIO_RULES      rules to switch off: -termination, -backlog, -split (both halves get the numbers of the
//                           larger), -priorities (one FIFO), -prefetch (no reservations), -locality,
//                           -speedup (ASTERISM_HPRIO_SPEEDUP is s for all tasks)
// ASTERISM_HPRIO_LOOKAHEAD  tasks that a GPU keeps for later, beyond those in the driver's pipeline
//                           (STARPU_CUDA_PIPELINE; default: 2)
#include "schedulers/hprio/hprio.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "schedulers/hprio/interface.hpp"
#include "schedulers/policies.hpp"
#include "schedulers/policy_of_context.hpp"

namespace asterism::schedulers {
namespace hprio {
namespace {

// Where drivers never sleep, they need not be woken.
#if defined(STARPU_NON_BLOCKING_DRIVERS) && !defined(STARPU_SIMGRID)
constexpr bool drivers_sleep = false;
#else
constexpr bool drivers_sleep = true;
#endif

void complain(const char* variable, const std::string& what) {
  std::fprintf(stderr, "[hprio] %s: %s\n", variable, what.c_str());
}

double number_from(const char* variable, double otherwise, double least) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (*end == '\0' && std::isfinite(value) && value >= least) return value;
  complain(variable, "expected a number of at least " + std::to_string(least) + ", found '" + text + "'");
  return otherwise;
}

Rules rules_from_environment() {
  const char* const text = std::getenv("ASTERISM_HPRIO_RULES");
  const ParsedRules parsed = parse_rules(text == nullptr ? "" : text);
  if (!parsed.error.empty()) complain("ASTERISM_HPRIO_RULES", parsed.error);
  return parsed.rules;
}

std::optional<Table> table_from_environment() {
  const char* const value = std::getenv("ASTERISM_HPRIO_ORDER");
  if (value == nullptr || *value == '\0') return std::nullopt;
  const Text text = text_or_file(value);
  Table table = text.error.empty() ? parse_table(text.text) : Table{{}, {}, text.error};
  if (table.error.empty()) return table;
  const bool file = text.error.empty() && text.text != value;
  complain("ASTERISM_HPRIO_ORDER", (file ? std::string(value) + ": " : "") + table.error + "; ignored");
  return std::nullopt;
}

unsigned lookahead_from_environment(const Rules& rules) {
  if (!rules.prefetch) return 0;
  return static_cast<unsigned>(std::min(number_from("ASTERISM_HPRIO_LOOKAHEAD", 2, 0), 64.));
}

void init(unsigned context) {
  auto* const policy = new Policy;
  keep(context, policy);
  if (std::optional<Table> table = table_from_environment())
    policy->lay_out(table);
  else
    listen(policy, [policy](const std::optional<Table>& given) { policy->lay_out(given); });
}

void deinit(unsigned context) {
  leave(&policy_of<Policy>(context));
  drop<Policy>(context);
}

void add_workers(unsigned context, int* workers, unsigned count) {
  share_lists(context, workers, count);
  policy_of<Policy>(context).change_units(workers, count, true);
}

void remove_workers(unsigned context, int* workers, unsigned count) {
  policy_of<Policy>(context).change_units(workers, count, false);
}

/// After a task came to a bucket, or went and let the next one pass.
void wake_for(Policy& policy, const Entry& entry) {
  if (!drivers_sleep || !policy.pool.any_idle()) return;
  if (const auto unit = policy.pool.take_idle_for(entry)) starpu_wake_worker_relax_light(static_cast<int>(*unit));
}

/// After a unit kept a task that another one, which found nothing while it was on its way, may take back.
void wake_for_kept(Policy& policy, const Entry& entry) {
  if (!drivers_sleep || !policy.pool.any_idle()) return;
  if (const auto unit = policy.pool.take_idle_for_kept(entry)) starpu_wake_worker_relax_light(static_cast<int>(*unit));
}

int push_task(starpu_task* task) {
  Policy& policy = policy_of<Policy>(task->sched_ctx);
  Entry entry;
  if (!policy.enter(task, entry)) return -ENODEV;
  Bucket& bucket = *entry.bucket;
  starpu_push_task_end(task);  // before another worker may take it
  bucket.push(entry);
  wake_for(policy, entry);
  return 0;
}

starpu_task* pop_task(unsigned context) {
  Policy& policy = policy_of<Policy>(context);
  const int worker = starpu_worker_get_id_check();
  const Unit unit = policy.unit_of(worker);
  for (;;) {
    bool idle = drivers_sleep && policy.pool.is_idle(unit.number);
    std::optional<Entry> entry = policy.pool.pop(unit);
    if (drivers_sleep && !entry && !idle) {
      // whoever pushes from here on wakes this worker; what was pushed before is found now
      policy.pool.set_idle(unit.number, idle = true);
      entry = policy.pool.pop(unit);
    }
    if (!entry) return nullptr;
    // all workers share that word: it is written only where it changes, and none but this worker says that it is idle
    if (idle) policy.pool.set_idle(unit.number, false);
    auto* const task = static_cast<starpu_task*>(entry->task);
    unsigned implementation = 0;
    if (starpu_worker_can_execute_task_first_impl(unit.number, task, &implementation) == 0) {
      // this worker cannot, unlike the others of its kind (blocked, or forbidden since)
      if (!policy.enter(task, *entry)) return task;
      entry->bucket->push(*entry);
      wake_for(policy, *entry);
      if (entry->runs_on(unit)) return nullptr;
      continue;
    }
    starpu_task_set_implementation(task, implementation);
    if (unit.kind != Kind::cpu) {
      const std::optional<Entry> kept = policy.pool.reserve(unit, [&](void* later) {
        if (starpu_get_prefetch_flag() != 0)
          starpu_prefetch_task_input_for(static_cast<starpu_task*>(later), unit.number);
      });
      if (kept) wake_for_kept(policy, *kept);
    }
    wake_for(policy, *entry);
    return task;
  }
}

void pre_exec(starpu_task* task, unsigned context) {
  Policy& policy = policy_of<Policy>(context);
  policy.starts(task, policy.unit_of(starpu_worker_get_id_check()));
}

void post_exec(starpu_task* task, unsigned context) {
  Policy& policy = policy_of<Policy>(context);
  policy.ended(task, policy.unit_of(starpu_worker_get_id_check()));
}

}  // namespace

Policy::Policy()
    : rules(rules_from_environment()),
      pool(rules.termination, lookahead_from_environment(rules), {starpu_worker_relax_on, starpu_worker_relax_off},
           rules.backlog),
      fixed_speedup_(rules.speedup ? 0 : number_from("ASTERISM_HPRIO_SPEEDUP", 1, 1e-9)) {
  units_published_.push_back(std::make_unique<const Units>());
  units_.store(units_published_.back().get());
}

}  // namespace hprio

starpu_sched_policy hprio_policy =
    make_policy("hprio", "HeteroPrio: buckets polled by priorities per kind of unit, and a termination rule",
                {hprio::init, hprio::deinit, hprio::add_workers, hprio::remove_workers, hprio::push_task,
                 hprio::pop_task, hprio::pre_exec, hprio::post_exec});

}  // namespace asterism::schedulers
