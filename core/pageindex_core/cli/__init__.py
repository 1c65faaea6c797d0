"""The command line: ``main`` reads it, ``commands`` and ``ask`` act, ``tables`` print."""
