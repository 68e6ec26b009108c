"""W1 in SimPy, lean.

A process for each source and server, queues in deques, and propagation as a time-out with a callback.

usage: python simpy_w1.py SECONDS
"""

import json
import sys
import time
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field

import simpy

SOURCES, HOPS, BUFFER = 10, 3, 4096
CELL_TIME = 424 / 149.76e6
PERIOD = SOURCES / 0.95 * CELL_TIME
PROPAGATION = 100e-6
PHASES = [0.915, 0.031, 0.588, 0.274, 0.342, 0.770, 0.129, 0.664, 0.497, 0.203]

Process = Generator[simpy.Event, None, None]


@dataclass
class Chain:
    """The network, and what it counts."""

    env: simpy.Environment = field(default_factory=simpy.Environment)
    generated: int = 0
    received: int = 0
    lost: int = 0
    hops: int = 0
    delay: float = 0.0
    queues: list[deque[float]] = field(default_factory=lambda: [deque() for _ in range(HOPS)])
    idle: list[simpy.Event | None] = field(default_factory=lambda: [None] * HOPS)

    def arrive(self, hop: int, born: float) -> None:
        """Let a cell come to a queue, or to the sink."""
        if hop == HOPS:
            self.received += 1
            self.delay += self.env.now - born
            return
        if len(self.queues[hop]) >= BUFFER:
            self.lost += 1
            return
        self.queues[hop].append(born)
        wake = self.idle[hop]
        if wake is not None:
            self.idle[hop] = None
            wake.succeed()

    def server(self, hop: int) -> Process:
        """Serve a queue for ever."""
        env, queue, behind = self.env, self.queues[hop], hop + 1

        def arrived(event: simpy.Event) -> None:
            self.arrive(behind, event._value)

        while True:
            if not queue:
                self.idle[hop] = wake = env.event()
                yield wake
            yield env.timeout(CELL_TIME)
            self.hops += 1
            callbacks = env.timeout(PROPAGATION, queue.popleft()).callbacks
            assert callbacks is not None
            callbacks.append(arrived)

    def source(self, phase: float) -> Process:
        """Send a cell each period."""
        yield self.env.timeout(phase * PERIOD)
        while True:
            self.generated += 1
            self.arrive(0, self.env.now)
            yield self.env.timeout(PERIOD)


def main() -> None:
    """Run it and print a line of JSON."""
    seconds = float(sys.argv[1])
    chain = Chain()
    for hop in range(HOPS):
        chain.env.process(chain.server(hop))
    for phase in PHASES:
        chain.env.process(chain.source(phase))
    wall, cpu = time.perf_counter(), time.process_time()
    chain.env.run(until=seconds)
    result = {
        "peer": "simpy",
        "simulated_s": seconds,
        "generated": chain.generated,
        "received": chain.received,
        "lost": chain.lost,
        "cell_hops": chain.hops,
        "mean_delay_us": 1e6 * chain.delay / chain.received,
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
