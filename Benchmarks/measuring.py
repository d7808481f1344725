"""What a running server takes of its machine, as the kernel counts it, and a yardstick for machines."""

import os
import subprocess
import time

# What a P-256 signature takes where the aims were set, in us.
REFERENCE = 32


def cpu(running):
    """Seconds of CPU so far, user and system, of all its threads and those that ended.

    The clock is that of clock_getcpuclockid(3), in nanoseconds; /proc counts in hundredths of a second.
    """
    return time.clock_gettime((~running.pid << 3) | 2)


def memory(running, field="VmRSS"):
    """Megabytes: `VmRSS`, what is resident; `VmHWM`, the most that ever was (proc(5))."""
    with open(f"/proc/{running.pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
    raise RuntimeError(f"no {field}")


def forget_peak(running):
    """From here on `VmHWM` is counted anew."""
    with open(f"/proc/{running.pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def yardstick(verification=False):
    """What a P-256 signature, or its verification, costs on this machine, by OpenSSL, in us: figures of
    two machines are compared by it. `None` without OpenSSL."""
    try:
        command = ["openssl", "speed", "-seconds", "1", "ecdsap256"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env=os.environ | {"LC_ALL": "C"},
        )
        return 1e6 / float(done.stdout.split()[-1 if verification else -2])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return None
