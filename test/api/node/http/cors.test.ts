import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createCors } from '../../../../src/api/node/http/cors.ts'

const cors = createCors(['*'], { withAuthorization: false })

const preflight = (method: string): string[] | undefined =>
  cors.preflight({
    method: 'OPTIONS',
    headers: { origin: 'https://wallet.example', 'access-control-request-method': method },
  } as IncomingMessage)

describe('preflights', () => {
  it.each(['GET', 'POST', 'HEAD', 'OPTIONS', 'post'])('allow %s', (method) => {
    const pairs = preflight(method) ?? []
    expect(pairs[pairs.indexOf('Access-Control-Allow-Methods') + 1]).toBe(method.toUpperCase())
  })

  it.each(['PUT', 'DELETE', 'PATCH', 'TRACE'])('do not allow %s', (method) => {
    expect(preflight(method)).not.toContain('Access-Control-Allow-Methods')
  })
})
