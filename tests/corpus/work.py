"""Task functions for the tests: child processes import them by name."""

import ctypes
import time


def double(work):
    (work.path("numbers.txt")).write_text("\n".join(str(2 * n) for n in work.task.needs["numbers"]))
    return {"items": len(work.task.needs["numbers"])}


def fragile(work):
    """Does items; some kill the process, some never end."""
    done = []
    for position, item in enumerate(work.task.needs["items"]):
        if position in work.lost:
            continue
        work.note(position)
        if item == "crash":
            ctypes.string_at(0)
        if item == "hang":
            time.sleep(60)
        if item == "error":
            raise ValueError("a mistake of the task's own")
        if item == "memory":
            bytearray(1 << 34)
        done.append(item)
    work.path("done.txt").write_text("\n".join(done))
    return {"done": done, "lost": {str(position): lost.reason for position, lost in work.lost.items()}}
