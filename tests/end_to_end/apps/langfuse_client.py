"""The Langfuse client, which puts its own processor on the global provider."""

from __future__ import annotations

from calling import call
from langfuse import Langfuse
from received import endpoint
from scored import finish, score

client = Langfuse(public_key="pk-none", secret_key="none", base_url=endpoint())
score()
call()
finish(client)
