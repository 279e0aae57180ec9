// SPDX-License-Identifier: Apache-2.0
// Threads that wait and those that work. StarPU's workers poll for tasks and its thread for messages polls MPI: where
// the ranks of a machine have fewer cores than such threads, those that wait would take the cores from those that work.
// There they sleep for some microseconds between two looks. Not sched_yield(): it gives the core away for a whole slice
// of milliseconds, while a thread that wakes up is let in at once.
#pragma once

namespace asterism {

/// Whether `ranks` processes of this machine, each with `workers` workers, have fewer cores than threads: the workers,
/// and one for messages. `cores`: of all these processes together.
bool fewer_cores_than_threads(int cores, int ranks, int workers);

/// Whether the ranks that share this one's cores, each with as many workers, have fewer cores than threads. Collective.
bool cores_are_few(int workers);

/// From now on, until StarPU stops, a worker that finds no task sleeps a little, and so does a thread that looks for a
/// message in vain. After StarPU has started, once for each start.
void let_idle_threads_sleep();

/// From now on they do not.
void let_idle_threads_poll();

/// For a thread that has looked for something in vain: sleeps if idle threads are to; `misses`: how often in a row.
void rest_after_miss(int misses);

/// Tells Open MPI, before it starts, that a process which waits for others lets their threads run, where the processes
/// that the launcher started here have fewer cores than threads and the user has not decided
/// (OMPI_MCA_mpi_yield_when_idle). For other MPIs it does nothing.
void let_idle_messages_yield();

}  // namespace asterism
