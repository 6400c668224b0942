"""A lock by its name, from Python: lock.py [NAME], at $HAPAX_ADDRESS or the local daemon."""

import sys

import hapax

name = sys.argv[1] if len(sys.argv) > 1 else "orders/42"
try:
    with hapax.Lock(name) as fence:
        print(f"inside {name}, fence {fence}")
except hapax.Error as e:
    sys.exit(f"lock: {e}")
