"""Programs from PyPI, each in a virtual environment of its own below .build-peers."""

import os
import subprocess
import sys

from running import Missing

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Unreachable(Exception):
    """PyPI does not give what is wanted; the message says what pip said."""


def environment(name, requirement):
    """The folder of the environment's programs, made once and again when the requirement changes."""
    folder = os.path.join(ROOT, ".build-peers", name)
    programs = os.path.join(folder, "bin")
    stamp = os.path.join(folder, "requirement.txt")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == requirement:
                return programs
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", folder], capture_output=True, text=True
    )
    if made.returncode != 0:
        raise Missing("python3 cannot make a virtual environment: apt-get install python3-venv")
    pip = [os.path.join(programs, "python"), "-m", "pip", "install", "--quiet", requirement]
    try:
        done = subprocess.run(pip, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise Unreachable("pip gave up after ten minutes") from None
    if done.returncode != 0:
        raise Unreachable((done.stderr.strip().splitlines() or ["pip failed"])[-1])
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(requirement)
    return programs
