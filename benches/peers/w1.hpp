// The chain of the peers' programs: ten CBR sources, three queues with lines, a sink. benches/workloads/chain.toml is the
// same network. Times are whole picoseconds.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

typedef int64_t ps_t;

static const int SOURCES = 10, HOPS = 3, BUFFER = 4096;
static const double LOAD = 0.95, LINE_BPS = 149.76e6, CELL_BITS = 424;
static const ps_t CELL_TIME = (ps_t)llround(CELL_BITS / LINE_BPS * 1e12);
static const ps_t PROPAGATION = 100'000'000;
static const double PERIOD = SOURCES / LOAD * (double)CELL_TIME;
// Phases of the sources, in periods.
static const double PHASES[SOURCES] = {0.915, 0.031, 0.588, 0.274, 0.342, 0.770, 0.129, 0.664, 0.497, 0.203};

// What a run counts; delays are in ps, from a source to the sink.
struct Counts
{
    uint64_t generated = 0, received = 0, lost = 0, hops = 0;
    double delay = 0;
};

// CPU and elapsed time since it was made.
class Clock
{
    double cpu = cpuNow();
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

    static double cpuNow()
    {
        timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return t.tv_sec + 1e-9 * t.tv_nsec;
    }

  public:
    void print(const char* peer, double seconds, const Counts& counts) const
    {
        double cpuSeconds = cpuNow() - cpu;
        double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        printf("{\"peer\":\"%s\",\"simulated_s\":%g,\"generated\":%lu,\"received\":%lu,\"lost\":%lu,\"cell_hops\":%lu,"
               "\"mean_delay_us\":%.4f,\"wall\":%.6f,\"cpu\":%.6f}\n",
               peer, seconds, counts.generated, counts.received, counts.lost, counts.hops,
               counts.delay / counts.received / 1e6, wall, cpuSeconds);
    }
};
