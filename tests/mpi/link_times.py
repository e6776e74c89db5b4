#!/usr/bin/env python3
"""Times of datagrams between two nodes of a virtual cluster whose clocks do not differ.

usage: link_times.py answer FILE        replies to every datagram with the clock here; makes FILE when it is ready
       link_times.py ask HOST COUNT     prints `out MIN MEDIAN`, `back MIN MEDIAN` and `trip MIN MEDIAN`, in ns
       link_times.py burst HOST COUNT   sends COUNT numbers at once; prints `in order` if they come back so
"""
import socket
import statistics
import struct
import sys
import time

PORT = 7777
CLOCK = struct.Struct("<q")


def answer(ready):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.bind(("", PORT))
        open(ready, "w", encoding="ascii").close()
        while True:
            data, sender = link.recvfrom(64)
            link.sendto(CLOCK.pack(time.monotonic_ns()) + data, sender)


def ask(link, count):
    times = {"out": [], "back": [], "trip": []}
    for _ in range(count):
        sent = time.monotonic_ns()
        link.send(b"")
        data = link.recv(64)
        received = time.monotonic_ns()
        there = CLOCK.unpack(data[:8])[0]
        for name, value in zip(times, (there - sent, received - there, received - sent)):
            times[name].append(value)
    for name, values in times.items():
        print(name, min(values), round(statistics.median(values)))


def burst(link, count):
    for number in range(count):
        link.send(CLOCK.pack(number))
    got = [CLOCK.unpack(link.recv(64)[8:])[0] for _ in range(count)]
    print("in order" if got == sorted(got) else got)


def main(command, place, count="1"):
    if command == "answer":
        answer(place)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.connect((place, PORT))
        link.settimeout(30)
        link.send(CLOCK.pack(0))  # the first one waits for addresses
        link.recv(64)
        {"ask": ask, "burst": burst}[command](link, int(count))


main(*sys.argv[1:])
