"""Providers that keep what they are given, in every supported version of the SDK."""

from __future__ import annotations

from typing import Any

from opentelemetry.sdk import _logs as sdk_logs
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class KeptLogs(sdk_logs.LogRecordProcessor):
    """Keeps log records; `emit` is the hook's name in older SDKs."""

    def __init__(self) -> None:
        self.records: list[Any] = []

    def on_emit(self, log_data: Any) -> None:
        self.records.append(getattr(log_data, "log_record", log_data))

    emit = on_emit

    def shutdown(self) -> None:
        pass

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


class Recording:
    """In-memory providers of one resource."""

    def __init__(self, service: str = "agents") -> None:
        resource = Resource.create({"service.name": service})
        self.exporter = InMemorySpanExporter()
        self.tracer_provider = TracerProvider(resource=resource)
        self.reader = InMemoryMetricReader()
        self.meter_provider = MeterProvider(metric_readers=[self.reader], resource=resource)
        self.logs = KeptLogs()
        self.logger_provider = sdk_logs.LoggerProvider(resource=resource)
        self.logger_provider.add_log_record_processor(self.logs)

    def with_exporter(self) -> Recording:
        """Adds the exporter behind what was added so far."""
        self.tracer_provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        return self

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        """The exported spans by name."""
        return {span.name: span for span in self.exporter.get_finished_spans()}

    @property
    def events(self) -> list[dict[str, Any]]:
        """The attributes of the log records."""
        return [dict(record.attributes) for record in self.logs.records]

    def points(self, name: str) -> dict[tuple[tuple[str, object], ...], Any]:
        """The points of a metric: sorted attributes -> value (for a histogram the data point)."""
        data = self.reader.get_metrics_data()
        found: dict[tuple[tuple[str, object], ...], Any] = {}
        for resource in data.resource_metrics if data is not None else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    if metric.name == name:
                        for point in metric.data.data_points:
                            found[tuple(sorted((point.attributes or {}).items()))] = getattr(point, "value", point)
        return found

    def point(self, name: str) -> Any:
        """One whole data point of a metric that has exactly one."""
        data = self.reader.get_metrics_data()
        points = [
            point
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]
        assert len(points) == 1
        return points[0]
