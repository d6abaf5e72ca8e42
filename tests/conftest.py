"""What holds for every folder of tests: the end-to-end fixtures, and how properties are tried."""

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.e2e.fixtures"]

# The same examples in each run, whatever the machine's speed; `deep` makes many more, and others each time.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("deep", settings.get_profile("same"), derandomize=False, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
