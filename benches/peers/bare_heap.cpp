// W1 on a bare event loop: std::priority_queue and nothing of a simulator around it.
// Two events for each cell-hop: the end of transmission, and the arrival behind the line. A line holds its cells in flight
// in a ring, so that the heap has at most one entry for each source, server and line.
// usage: bare_heap SECONDS
#include "w1.hpp"

#include <queue>
#include <vector>

struct Cell
{
    ps_t born;
};

struct InFlight
{
    ps_t arrives;
    Cell cell;
};

template <class T>
class Ring
{
    std::vector<T> items{std::vector<T>(2 * BUFFER)};
    uint32_t head = 0, count = 0;

  public:
    uint32_t size() const { return count; }
    T& front() { return items[head % items.size()]; }
    void push(const T& item) { items[(head + count++) % items.size()] = item; }
    T pop()
    {
        T item = front();
        head++;
        count--;
        return item;
    }
};

enum Kind : uint16_t { EMISSION, DEPARTURE, ARRIVAL };

struct Event
{
    ps_t at;
    uint32_t number; // ties go by order of entry
    Kind kind;
    uint16_t place;
    bool operator<(const Event& o) const { return at > o.at || (at == o.at && number > o.number); }
};

class Chain
{
    std::priority_queue<Event> events;
    uint32_t number = 0;
    Ring<Cell> queues[HOPS];
    Ring<InFlight> lines[HOPS];

    void schedule(ps_t at, Kind kind, int place) { events.push({at, number++, kind, (uint16_t)place}); }

    void enqueue(int hop, Cell cell, ps_t now)
    {
        if (queues[hop].size() >= BUFFER) {
            counts.lost++;
            return;
        }
        queues[hop].push(cell);
        if (queues[hop].size() == 1)
            schedule(now + CELL_TIME, DEPARTURE, hop);
    }

    void depart(int hop, ps_t now)
    {
        Cell cell = queues[hop].pop();
        counts.hops++;
        if (lines[hop].size() == 0)
            schedule(now + PROPAGATION, ARRIVAL, hop);
        lines[hop].push({now + PROPAGATION, cell});
        if (queues[hop].size())
            schedule(now + CELL_TIME, DEPARTURE, hop);
    }

    void arrive(int hop, ps_t now)
    {
        Cell cell = lines[hop].pop().cell;
        if (lines[hop].size())
            schedule(lines[hop].front().arrives, ARRIVAL, hop);
        if (hop + 1 < HOPS) {
            enqueue(hop + 1, cell, now);
        } else {
            counts.received++;
            counts.delay += (double)(now - cell.born);
        }
    }

  public:
    Counts counts;

    void run(ps_t end)
    {
        const ps_t period = llround(PERIOD);
        for (int i = 0; i < SOURCES; i++)
            schedule((ps_t)(PHASES[i] * PERIOD), EMISSION, i);
        while (events.top().at <= end) {
            Event event = events.top();
            events.pop();
            if (event.kind == EMISSION) {
                counts.generated++;
                enqueue(0, {event.at}, event.at);
                schedule(event.at + period, EMISSION, event.place);
            } else if (event.kind == DEPARTURE) {
                depart(event.place, event.at);
            } else {
                arrive(event.place, event.at);
            }
        }
    }
};

int main(int argc, char** argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    Chain chain;
    Clock clock;
    chain.run((ps_t)(seconds * 1e12));
    clock.print("bare_heap", seconds, chain.counts);
}
