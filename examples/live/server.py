"""The shop's tools, served over MCP by FastMCP in a process of its own; its spans go where the environment says."""

from __future__ import annotations

from fastmcp import FastMCP
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

shop = FastMCP("shop")


@shop.tool
def search_orders(customer: str) -> list[dict[str, object]]:
    """The customer's orders."""
    return [{"order": "A-17", "customer": customer, "total": 24.5}]


@shop.tool
def issue_refund(order: str, amount: float) -> str:
    """Pays money back."""
    return f"{amount} refunded for {order}"


@shop.tool
def delete_customer(customer: str) -> str:
    """Removes a customer with all orders."""
    return f"{customer} deleted"


@shop.tool
def send_receipt(order: str) -> str:
    """Mails the receipt of an order."""
    raise ConnectionError(f"no mail server to send the receipt of {order}")


if __name__ == "__main__":
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    shop.run(transport="stdio", show_banner=False, log_level="CRITICAL")
