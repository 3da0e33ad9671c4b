import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { hashRaw } from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/store/index.ts'
import { type RawReply, sendRaw } from '../../../support/server/raw-http.ts'
import { openTestStore } from '../../../support/store/store.ts'
import { type GuardedServer, PASSWORD, startGuardedServer } from '../guarded-server.ts'
import { authDifferences } from './differences.ts'
import { createRecordedTokens } from './recorded-tokens.ts'

interface Line {
  seq: number
  name: string
  request: { method: string; path: string; headers: [string, string][]; body?: string; bodyBase64?: string }
  response: { status: number; headers: [string, string][]; body?: string; bodyBase64?: string }
}

const file = new URL('../../../fixtures/legacy/auth-v1.10.19.ndjson.gz', import.meta.url)
const lines = gunzipSync(readFileSync(file))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Line)

const EXPIRED = /\d+h\d+m[\d.]+s by token is expired/

const dateOf = ({ response }: Line): number => Date.parse(response.headers.find(([name]) => name === 'Date')?.[1] ?? '')

const bytes = (part: { body?: string; bodyBase64?: string }): Buffer =>
  part.bodyBase64 === undefined ? Buffer.from(part.body ?? '') : Buffer.from(part.bodyBase64, 'base64')

const tokenIn = (body: string): string | undefined => /"token":"([^"]+)"/.exec(body)?.[1]
const partsOf = (token: string): unknown[] =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

describe('recorded conversations of a node with tokens', () => {
  const tokens = createRecordedTokens()
  let store: Store
  let server: GuardedServer
  let clock = 0
  let password = PASSWORD

  const start = async (configured: string): Promise<void> => {
    await server?.close()
    server = await startGuardedServer(store, { configured, now: () => clock })
    password = configured
  }
  const keys = new Map<string, Promise<Buffer>>()
  const key = async (): Promise<Buffer> => {
    const { credential } = await store.auth.state()
    const hex = credential?.salt ?? ''
    const costs = { algorithm: 2, timeCost: 1, memoryCost: 65_536, parallelism: 4, outputLen: 32 } as const
    const known = keys.get(hex) ?? hashRaw(password, { salt: Buffer.from(hex, 'hex'), ...costs })
    keys.set(hex, known)
    return known
  }
  beforeAll(async () => {
    store = openTestStore()
    clock = dateOf(lines[0] as Line)
    await start(PASSWORD)
  })
  afterAll(async () => {
    await server.close()
    await store.close()
  })

  const send = async ({ request, response }: Line): Promise<RawReply> => {
    const body = bytes(request).toString('latin1')
    const invalid = response.body?.includes('signature is invalid') === true
    const resign = invalid ? undefined : await key()
    const translate = (text: string) => tokens.translate(text, resign)
    const sent = Buffer.from(body.includes('"token"') ? translate(body) : body, 'latin1')
    return sendRaw(server.port, {
      method: request.method,
      target: request.path,
      headers: request.headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'content-length'
          ? String(sent.length)
          : name.toLowerCase() === 'authorization'
            ? translate(value)
            : value,
      ]),
      body: sent,
    })
  }
  /** The node was started anew here, with the flag instead of the file. */
  const RESTARTS: Readonly<Record<number, string>> = { 715: PASSWORD, 720: `  ${PASSWORD} ` }

  const check = (line: Line, reply: RawReply): void => {
    const recorded = bytes(line.response).toString()
    const ours = reply.body.toString()
    const difference = authDifferences.find(({ lines: about }) => about.test(line.name))
    const context = `${line.seq} ${line.name}`
    if (difference) {
      if (difference.body === undefined) expect(reply.status, context).not.toBe(401)
      else if (line.request.method !== 'HEAD') expect(`${context}: ${ours}`).toBe(`${context}: ${difference.body}`)
      return
    }
    const isAuth = line.request.path.startsWith('/ext/auth') && line.response.status !== 301
    if (!isAuth && line.response.status !== 401) {
      expect(reply.status, context).not.toBe(401)
      return
    }
    expect(reply.status, context).toBe(line.response.status)
    const [token, recordedToken] = [tokenIn(ours), tokenIn(recorded)]
    if (token !== undefined && recordedToken !== undefined) {
      const [header, claims] = partsOf(token) as [unknown, { exp: number; jti: string }]
      const [theirHeader, theirs] = partsOf(recordedToken) as [unknown, { exp: number; jti: string }]
      expect(header, context).toEqual(theirHeader)
      // The node looked at its clock a moment before it wrote the date.
      expect(Math.abs(claims.exp - theirs.exp), context).toBeLessThanOrEqual(1)
      expect(claims.jti, context).toMatch(/^[A-Za-z0-9_-]{27}$/)
      expect({ ...claims, jti: '', exp: 0 }, context).toEqual({ ...theirs, jti: '', exp: 0 })
      expect(token.length, context).toBe(recordedToken.length)
      tokens.issued(recordedToken, token)
    } else expect(`${context}: ${ours.replace(EXPIRED, 'E')}`).toBe(`${context}: ${recorded.replace(EXPIRED, 'E')}`)
    const type = (headers: [string, string][]) => headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
    expect(type(reply.headers), context).toBe(type(line.response.headers))
    if (reply.status !== 401) return
    const names = reply.headers
      .map(([name]) => name.toLowerCase())
      .filter((name) => !/^(connection|keep-alive)$/.test(name))
    expect(names.sort(), context).toEqual(['content-length', 'content-type', 'date'])
  }

  it('answers every line as the node did, but for what is decided otherwise', async () => {
    for (const line of lines) {
      // Upgraded connections carry no date.
      clock = dateOf(line) || clock
      const restart = RESTARTS[line.seq]
      if (restart !== undefined) await start(restart)
      check(line, await send(line))
      const { method, params } = JSON.parse(/^\{.*\}$/s.exec(line.request.body ?? '')?.[0] ?? '{}') as {
        method?: string
        params?: { newPassword?: string }
      }
      if (method === 'auth.changePassword' && line.response.body?.includes('"result"'))
        password = params?.newPassword ?? ''
    }
    expect(lines.length).toBeGreaterThan(500)
  })

  it('names no difference that is none', () => {
    for (const { what, lines: about } of authDifferences)
      expect(
        lines.some(({ name }) => about.test(name)),
        what,
      ).toBe(true)
  })
})
