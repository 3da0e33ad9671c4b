import { Type } from '@sinclair/typebox'
import { section, toggle, url } from './field.ts'

/** Monitoring of the process. */
export const MetricsSection = section({
  enabled: toggle(true, 'Serve /metrics for Prometheus.'),
})

export const OtelSection = section({
  enabled: toggle(false, 'Send spans of requests and of upstream attempts to an OpenTelemetry collector.'),
  endpoint: Type.Optional(url(['https', 'http'], { description: 'OTLP over HTTP endpoint; /v1/traces is added.' })),
  serviceName: Type.String({ minLength: 1, default: 'firn', description: 'Name in the traces.' }),
})

/** The web page. */
export const PageSection = section({
  enabled: toggle(true, 'Serve the page for people at /.'),
})
