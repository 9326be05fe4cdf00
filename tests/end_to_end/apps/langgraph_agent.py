"""A prebuilt LangGraph agent under OpenInference: spans that show only at their end what they are, tools in a thread pool."""

from __future__ import annotations

import warnings
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from openinference.instrumentation.langchain import LangChainInstrumentor
from scored import argument, finish, provider

warnings.simplefilter("ignore")
from langgraph.prebuilt import create_react_agent  # noqa: E402

made = provider()
LangChainInstrumentor().instrument(tracer_provider=made)


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_more: Any) -> Any:
        return self


@tool
def get_weather(city: str, days: int) -> str:
    """The weather."""
    return f"fine in {city} for {days}"


call = {"name": "get_weather", "args": {"city": argument("Oslo"), "days": 1}, "id": "c1"}
model = Scripted(messages=iter([AIMessage(content="", tool_calls=[call]), AIMessage("done")]))
graph = create_react_agent(model, [get_weather])
graph.invoke({"messages": [("user", "How is the weather?")]}, config={"configurable": {"thread_id": "t1"}})
finish(made)
