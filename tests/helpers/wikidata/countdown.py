"""What scripts begin with that kill themselves at the n-th of some moments."""

COUNTDOWN = """
import os, signal, sys

left = int(sys.argv[1])

def count(*_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

def before(call):
    return lambda *given, **named: (count(), call(*given, **named))[1]
"""
"""`count` is called at every moment, or `before` a call; the first argument is how many of them pass."""
