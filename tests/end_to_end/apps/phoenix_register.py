"""The provider of Phoenix's `register()`, which takes its exporter off at the first processor that is added without a word."""

from __future__ import annotations

from calling import call
from phoenix.otel import register
from received import endpoint
from scored import finish, score

made = register(endpoint=f"{endpoint()}/v1/traces", protocol="http/protobuf", verbose=False)
score()
call()
finish(made)
