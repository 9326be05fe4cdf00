"""Scoring in the process that makes the spans.

How a span goes through it: `processor` (above) hears of its start and its end; `recognition` tells whether it is worth reading;
`own_end` lets it be heard before it has ended; `memory` keeps what is needed of its trace; `scorer` decides what it is told and when
the trace is over; `so_far` and `early` answer while the trace goes on, `final` when it is over, `bound` for `expecting`; `answers` puts a
result on spans and into events, and `telemetry` hands these to OpenTelemetry. `sweeper` closes what does not end by itself.

`attach` and `policy_in_force` are for those who put it there, `collector` for the pytest fixture.
"""
