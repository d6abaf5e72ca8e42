"""Real client libraries through a real mitmdump."""
