"""The grammar of a policy as tables of keys; the loader, the JSON Schema and the reference are all read from them."""
