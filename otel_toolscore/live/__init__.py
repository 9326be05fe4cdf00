"""Scoring in the process that makes the spans.

`processor` has the hooks; `scorer` decides what a span that ends can be told, and when a trace is over; `memory` keeps what is needed
of a trace until then; `recognition` tells the spans that are not worth reading; `telemetry` and `attach` speak to OpenTelemetry.
"""
