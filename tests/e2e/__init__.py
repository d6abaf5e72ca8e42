"""A real mitmdump between a scripted upstream and a client that hides nothing."""
