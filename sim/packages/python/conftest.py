"""The package's tests use its own plugin, also where it is not installed."""

pytest_plugins = ["pytester", "tideover.pytest_plugin"]
