"""One YAML file per reported bug, driven through a real mitmdump."""
