"""The commands of ``python -m benchmarks``, one module each."""
