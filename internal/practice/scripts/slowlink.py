#!/usr/bin/env python3
"""Carry Ethernet frames between two interfaces with delay, jitter, loss and a rate limit.

usage: slowlink.py IF_A IF_B [-d delay_ms] [-j jitter_ms] [-l loss_percent] [-r kbit_per_s]
Each direction gets the delay once (so a round trip gets it twice). Frames keep their order.
Stands in for `tc netem` where the kernel has none.
"""
import argparse, collections, os, random, select, socket, time

p = argparse.ArgumentParser()
p.add_argument("a"); p.add_argument("b")
p.add_argument("-d", type=float, default=0); p.add_argument("-j", type=float, default=0)
p.add_argument("-l", type=float, default=0); p.add_argument("-r", type=float, default=0)
o = p.parse_args()

def raw(name):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))   # ETH_P_ALL
    s.bind((name, 0)); s.setblocking(False)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    return s

class Way:
    def __init__(self, src, dst):
        self.src, self.dst, self.q, self.last = src, dst, collections.deque(), 0.0
    def take(self):
        for _ in range(256):
            try: frame, addr = self.src.recvfrom(65600)
            except BlockingIOError: return
            if addr[2] == socket.PACKET_OUTGOING: continue
            if o.l and random.random() * 100 < o.l: continue
            now = time.monotonic()
            due = now + (o.d + random.uniform(-o.j, o.j)) / 1000
            if o.r:                                     # queue behind what is on the wire
                due = max(due, self.last) + len(frame) * 8 / (o.r * 1000)
                if due - now > 10: continue             # 10 s of backlog: drop
            self.last = max(due, self.last)
            self.q.append((self.last, frame))
    def give(self, now):
        while self.q and self.q[0][0] <= now:
            try: self.dst.send(self.q.popleft()[1])
            except OSError: pass                        # too big or link down: lost

a, b = raw(o.a), raw(o.b)
ways = {a.fileno(): Way(a, b), b.fileno(): Way(b, a)}
ep = select.epoll()
for fd in ways: ep.register(fd, select.EPOLLIN)
print("ready", flush=True)
while True:
    nxt = min((w.q[0][0] for w in ways.values() if w.q), default=None)
    wait = -1 if nxt is None else max(0, nxt - time.monotonic())
    for fd, _ in ep.poll(wait): ways[fd].take()
    now = time.monotonic()
    for w in ways.values(): w.give(now)
