"""Connections that send requests ahead, as many as they can, and how long others wait meanwhile: what is
cheap one by one must not keep a thread from everybody else."""

import socket
import threading
import time

CONNECTIONS = 4
PROBES = 20
PATIENCE = 3


def run(server):
    """The longest another client waited for a response, in seconds; PATIENCE if none came."""
    host = f"127.0.0.1:{server.port}"
    ahead = f"GET /help HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() * 2000
    over = threading.Event()

    def send():
        with socket.create_connection(("127.0.0.1", server.port)) as wire:
            wire.settimeout(1)
            threading.Thread(target=drain, args=(wire,), daemon=True).start()
            rest = memoryview(ahead)
            while not over.is_set():
                try:
                    rest = rest[wire.send(rest):] or memoryview(ahead)  # fmt: skip
                except TimeoutError:
                    continue
                except OSError:
                    return

    def drain(wire):
        try:
            while not over.is_set() and wire.recv(1 << 20):
                pass
        except OSError:
            pass

    senders = [threading.Thread(target=send) for _ in range(CONNECTIONS)]
    for one in senders:
        one.start()
    try:
        time.sleep(1)
        # Each on a connection of its own, so that all threads of the server are asked.
        waits = []
        while len(waits) < PROBES and PATIENCE not in waits:
            waits.append(_wait(server.port, host))
    finally:
        over.set()
        for one in senders:
            one.join()
    waits.sort()
    usual, most = waits[len(waits) // 2] * 1000, waits[-1] * 1000
    print(f"\n{CONNECTIONS} connections send requests ahead: others wait {usual:.0f} ms, {most:.0f} ms at most")
    return waits[-1]


def _wait(port, host):
    begin = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as wire:
            wire.settimeout(PATIENCE)
            wire.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            if not wire.recv(100).startswith(b"HTTP/1.1 200"):
                return PATIENCE
    except OSError:
        return PATIENCE
    return min(time.monotonic() - begin, PATIENCE)
