"""A local OTLP/HTTP endpoint that prints the spans that it is sent, in the form of `scored.PrintedExports`."""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from scored import processors


def plain(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    return [plain(item) for item in value.array_value.values] if kind == "array_value" else getattr(value, kind) if kind else None


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans if self.path.endswith("/v1/traces") else ():
            for scope in resource.scope_spans:
                for span in scope.spans:
                    line = {
                        "name": span.name,
                        "span_id": span.span_id.hex(),
                        "trace_id": span.trace_id.hex(),
                        "parent": span.parent_span_id.hex() or None,
                        "attributes": {each.key: plain(each.value) for each in span.attributes},
                        "processors": processors(),
                    }
                    print(json.dumps(line, default=str), flush=True)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        pass


def endpoint() -> str:
    """Starts the receiver; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
