"""The OpenAI Agents SDK under OpenInference, against a local server that speaks the Responses API."""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ["OPENAI_API_KEY"] = "none"

from agents import Agent, Runner, function_tool, set_default_openai_client
from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from scored import argument, finish, provider

made = provider()
OpenAIAgentsInstrumentor().instrument(tracer_provider=made)

ASKED = {
    "type": "function_call",
    "id": "f1",
    "call_id": "c1",
    "name": "get_weather",
    "arguments": json.dumps({"city": argument("Oslo")}),
    "status": "completed",
}
SAID = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "done", "annotations": []}],
}


class Api(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answered = any(item.get("type") == "function_call_output" for item in asked["input"] if isinstance(item, dict))
        tokens = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        body = {
            "id": "r1",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": "completed",
            "output": [SAID if answered else ASKED],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            "usage": {**tokens, **details},
        }
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_words: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
set_default_openai_client(client, use_for_tracing=False)


@function_tool
def get_weather(city: str) -> str:
    """The weather."""
    return f"fine in {city}"


agent = Agent(name="support", instructions="Be kind.", tools=[get_weather], model="m")
Runner.run_sync(agent, "How is the weather?")
finish(made)
