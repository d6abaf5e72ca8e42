"""Makes the end-to-end fixtures known to every folder of tests."""

pytest_plugins = ["tests.e2e.fixtures"]
