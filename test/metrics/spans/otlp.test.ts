import { expect, it } from 'vitest'
import { writeSpans } from '../../../src/metrics/spans/otlp.ts'

it('spans are written as OTLP wants them in JSON', () => {
  const span = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentId: undefined,
    name: 'POST /x',
    kind: 2 as const,
    startMs: 1_795_000_000_123.4568,
    endMs: 1_795_000_000_125,
    attributes: { 'http.route': '/x', 'http.response.status_code': 503, 'firn.hedge': true, 'error.type': undefined },
    failed: true,
  }
  const child = { ...span, spanId: '00f067aa0ba902b7', parentId: 'b7ad6b7169203331', kind: 3 as const, failed: false }
  expect(JSON.parse(writeSpans({ name: 'firn', version: '1.2.3' }, [span, { ...child, attributes: {} }]))).toEqual({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { stringValue: 'firn' } },
            { key: 'service.version', value: { stringValue: '1.2.3' } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: 'firn', version: '1.2.3' },
            spans: [
              {
                traceId: '0af7651916cd43dd8448eb211c80319c',
                spanId: 'b7ad6b7169203331',
                name: 'POST /x',
                kind: 2,
                startTimeUnixNano: '1795000000123457000',
                endTimeUnixNano: '1795000000125000000',
                attributes: [
                  { key: 'http.route', value: { stringValue: '/x' } },
                  { key: 'http.response.status_code', value: { intValue: '503' } },
                  { key: 'firn.hedge', value: { boolValue: true } },
                ],
                status: { code: 2 },
              },
              {
                traceId: '0af7651916cd43dd8448eb211c80319c',
                spanId: '00f067aa0ba902b7',
                parentSpanId: 'b7ad6b7169203331',
                name: 'POST /x',
                kind: 3,
                startTimeUnixNano: '1795000000123457000',
                endTimeUnixNano: '1795000000125000000',
                attributes: [],
                status: {},
              },
            ],
          },
        ],
      },
    ],
  })
})
