"""What the comparisons print of the machine, and how they print their progress."""

import contextlib
import sys


def processor():
    """The processor's name, if Linux provides it."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        return next((line.split(": ")[1].strip() for line in lines if line.startswith("model name")), None)


def say(text):
    print(text, file=sys.stderr, flush=True)
