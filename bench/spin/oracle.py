#!/usr/bin/env python3
"""Counts the reachable states of Ricart-Agrawala, each of N members asking once, as plainly as can
be: a third opinion beside SPIN's (ricart_agrawala.pml) and hapax's.

    bench/spin/oracle.py [N]      N = 1, 2 or 3 (the default); 4 would take gigabytes
"""
import sys

IDLE, WAITING, INSIDE, DONE = range(4)
MODELS = {  # name: (a REPLY carries a clock, to enter is a step of its own, states for N=3)
    "textbook, entering is a step": (False, True, 2357),  # The oracle of algorithms.md.
    "textbook": (False, False, 2049),
    "ours": (True, False, 2189),
}


def successors(state, n, reply_clock, enter_step):
    nodes, links = state  # A node: (phase, clock, asked, awaiting, deferred).

    def step(node, phase, clock, asked, awaiting, deferred, queues, sends):
        for to, message in sends:
            queues = queues | {(node, to): queues.get((node, to), ()) + (message,)}
        new = (phase, clock, asked, frozenset(awaiting), frozenset(deferred))
        waiting_links = frozenset((link, queue) for link, queue in queues.items() if queue)
        return nodes[:node] + (new,) + nodes[node + 1:], waiting_links

    queues = dict(links)
    for i, (phase, clock, asked, awaiting, deferred) in enumerate(nodes):
        if phase == IDLE:
            others = set(range(n)) - {i}
            first = INSIDE if not others and not enter_step else WAITING
            yield step(i, first, clock + 1, clock + 1, others, (), queues,
                       [(to, ("REQUEST", clock + 1)) for to in others])
        if phase == WAITING and not awaiting:
            yield step(i, INSIDE, clock, asked, awaiting, deferred, queues, [])
        if phase == INSIDE:
            reply = ("REPLY", clock if reply_clock else 0)
            yield step(i, DONE, clock, 0, (), (), queues, [(to, reply) for to in deferred])

    for (sender, i), ((kind, value), *rest) in links:
        phase, clock, asked, awaiting, deferred = nodes[i]
        left = queues | {(sender, i): tuple(rest)}
        clock = max(clock, value)
        if kind == "REPLY":
            awaiting = awaiting - {sender}
            if not awaiting and not enter_step:
                phase = INSIDE
            yield step(i, phase, clock, asked, awaiting, deferred, left, [])
        elif phase == INSIDE or phase == WAITING and (asked, i) < (value, sender):
            yield step(i, phase, clock, asked, awaiting, deferred | {sender}, left, [])
        else:
            reply = ("REPLY", value if reply_clock else 0)
            yield step(i, phase, clock, asked, awaiting, deferred, left, [(sender, reply)])


def explore(n, reply_clock, enter_step):
    """(states, transitions, depth); stops at a state that breaks a promise."""
    start = ((IDLE, 0, 0, frozenset(), frozenset()),) * n, frozenset()
    seen, frontier, transitions, depth = {start}, [start], 0, -1
    while frontier:
        depth += 1
        found = []
        for state in frontier:
            phases = [node[0] for node in state[0]]
            assert phases.count(INSIDE) <= 1, f"two inside: {state}"
            steps = list(successors(state, n, reply_clock, enter_step))
            assert steps or phases == [DONE] * n, f"somebody waits for ever: {state}"
            transitions += len(steps)
            for step in steps:
                if step not in seen:
                    seen.add(step)
                    found.append(step)
        frontier = found
    return len(seen), transitions, depth


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    if not 1 <= n <= 3:
        sys.exit(__doc__)
    for name, (reply_clock, enter_step, expected) in MODELS.items():
        states, transitions, depth = explore(n, reply_clock, enter_step)
        print(f"N={n}  {name:<30}{states:>6,} states{transitions:>7,} transitions  depth {depth}")
        if n == 3 and states != expected:
            sys.exit(f"expected {expected:,} states")


if __name__ == "__main__":
    main()
