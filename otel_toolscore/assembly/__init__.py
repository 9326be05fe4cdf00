"""What `assemble` is made of: the spans of a trace as a forest, merged into calls, nested into scopes, made into runs."""
