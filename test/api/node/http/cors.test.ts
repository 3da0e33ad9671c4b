import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createCors } from '../../../../src/api/node/http/cors.ts'

const cors = createCors(['*'], { withAuthorization: false })

const ask = (headers: readonly (readonly [string, string])[]): string[] | undefined => {
  const headersDistinct: Record<string, string[]> = {}
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    headersDistinct[name] = [...(headersDistinct[name] ?? []), value]
  }
  return cors.preflight({ method: 'OPTIONS', headersDistinct } as unknown as IncomingMessage)
}

const preflight = (method: string, ...more: (readonly [string, string])[]): string[] | undefined =>
  ask([['Origin', 'https://wallet.example'], ['Access-Control-Request-Method', method], ...more])

const allowedOf = (pairs: string[] | undefined, what: string): string | undefined => {
  const at = pairs?.indexOf(`Access-Control-Allow-${what}`) ?? -1
  return at < 0 ? undefined : pairs?.[at + 1]
}

describe('preflights', () => {
  it.each(['GET', 'POST', 'HEAD', 'OPTIONS', 'post'])('allow %s', (method) => {
    expect(allowedOf(preflight(method), 'Methods')).toBe(method.toUpperCase())
  })

  it.each(['PUT', 'DELETE', 'PATCH', 'TRACE'])('do not allow %s', (method) => {
    expect(preflight(method)).not.toContain('Access-Control-Allow-Methods')
  })

  it.each([
    ['content-type', 'Content-Type'],
    ['content-type accept', 'Content-Type, Accept'],
    ['x-requested-with,,CONTENT-TYPE ', 'X-Requested-With, Content-Type'],
    ['a.ccept', 'Accept'],
    ['', undefined],
  ])('read the names in %j as a node does', (names, answer) => {
    const pairs = preflight('POST', ['Access-Control-Request-Headers', names])
    expect(allowedOf(pairs, 'Origin')).toBe('*')
    expect(allowedOf(pairs, 'Headers')).toBe(answer)
  })

  it.each([
    'x-foo',
    'content-type,x-foo',
    'content_type',
    'content-type;accept',
    'authorization',
    'content-type\taccept',
  ])('do not allow %j', (names) => {
    expect(allowedOf(preflight('POST', ['Access-Control-Request-Headers', names]), 'Origin')).toBeUndefined()
  })

  it('look at the first of several headers of a name', () => {
    const name = 'Access-Control-Request-Headers'
    expect(allowedOf(preflight('POST', [name, 'accept'], [name, 'x-foo']), 'Headers')).toBe('Accept')
    expect(allowedOf(preflight('POST', ['Access-Control-Request-Method', 'PUT']), 'Methods')).toBe('POST')
    expect(
      ask([
        ['Access-Control-Request-Method', ''],
        ['Access-Control-Request-Method', 'POST'],
      ]),
    ).toBeUndefined()
  })

  it('allow nothing to who names no origin', () => {
    expect(allowedOf(ask([['Access-Control-Request-Method', 'POST']]), 'Origin')).toBeUndefined()
  })
})

it('an answer may be read across origins only if its method may be', () => {
  const everyone = ['Access-Control-Allow-Credentials', 'true', 'Access-Control-Allow-Origin', '*']
  for (const method of ['GET', 'POST', 'HEAD', 'OPTIONS'])
    expect(cors.allow('https://wallet.example', method)).toEqual(everyone)
  for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE'])
    expect(cors.allow('https://wallet.example', method)).toEqual([])
})

it('where origins are named, no other one may read an answer or ask for more', () => {
  const named = createCors(['https://wallet.example', 'https://*.app.example'], { withAuthorization: false })
  const mayRead = (origin: string): string | undefined => allowedOf([...named.allow(origin, 'POST')], 'Origin')
  const mayAsk = (origin: string): string | undefined => {
    const headersDistinct = { origin: [origin], 'access-control-request-method': ['POST'] }
    return allowedOf(named.preflight({ method: 'OPTIONS', headersDistinct } as unknown as IncomingMessage), 'Origin')
  }
  for (const may of [mayRead, mayAsk]) {
    for (const origin of ['https://wallet.example', 'https://a.app.example']) expect(may(origin)).toBe(origin)
    for (const origin of ['https://other.example', 'https://wallet.example.evil', 'http://wallet.example', 'null', ''])
      expect(may(origin)).toBeUndefined()
  }
})
