// W1 as Lindley's recursion over the merged arrivals of ten periodic sources: no events and no cells, about the least that
// exact times of cells can cost. The departure from a hop is D = max(A, D of the cell before) + the cell time; the arrival
// at the next hop is D + propagation.
// usage: bare_lindley SECONDS
#include "w1.hpp"

static Counts run(ps_t end)
{
    const ps_t period = llround(PERIOD), room = (ps_t)BUFFER * CELL_TIME;
    ps_t next[SOURCES], free[HOPS] = {};
    for (int i = 0; i < SOURCES; i++)
        next[i] = (ps_t)(PHASES[i] * PERIOD);
    Counts counts;
    int64_t delay = 0;
    for (;;) {
        int source = 0;
        ps_t born = next[0];
        for (int i = 1; i < SOURCES; i++)
            if (next[i] < born) {
                born = next[i];
                source = i;
            }
        if (born > end)
            break;
        next[source] += period;
        counts.generated++;
        ps_t at = born;
        bool kept = true;
        for (int hop = 0; hop < HOPS; hop++) {
            ps_t departs = free[hop];
            if (departs - at > room) {
                kept = false;
                break;
            }
            departs = (departs > at ? departs : at) + CELL_TIME;
            free[hop] = departs;
            at = departs + PROPAGATION;
            counts.hops++;
        }
        if (kept) {
            counts.received++;
            delay += at - born;
        } else {
            counts.lost++;
        }
    }
    counts.delay = (double)delay;
    return counts;
}

int main(int argc, char** argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    Clock clock;
    Counts counts = run((ps_t)(seconds * 1e12));
    clock.print("bare_lindley", seconds, counts);
}
