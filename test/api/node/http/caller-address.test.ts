import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createCallerAddress } from '../../../../src/api/node/http/caller-address.ts'
import { openTestStore } from '../../../support/store/store.ts'
import { PASSWORD, startGuardedServer } from '../guarded-server.ts'

const SOCKET = '198.51.100.7'
const of = (hops: number, told?: string): string | undefined => {
  const headers = told === undefined ? {} : { 'x-forwarded-for': told }
  return createCallerAddress(hops)({ socket: { remoteAddress: SOCKET }, headers } as unknown as IncomingMessage)
}

describe('the address of a caller', () => {
  it("is its socket's where no proxy is trusted", () => {
    expect(of(0, '192.0.2.1')).toBe(SOCKET)
    expect(of(0)).toBe(SOCKET)
  })

  it('is what the outermost trusted proxy says, not what the caller claims', () => {
    expect(of(1, '10.0.0.1, 192.0.2.1')).toBe('192.0.2.1')
    expect(of(2, '10.0.0.1, 192.0.2.1,2001:db8::1')).toBe('192.0.2.1')
    expect(of(2, '192.0.2.1')).toBe('192.0.2.1')
    expect(of(1)).toBe(SOCKET)
    expect(of(1, ' , ')).toBe(SOCKET)
  })

  it('is what wrong passwords are counted by', async () => {
    const store = openTestStore()
    const limits = { burst: 2, refillMs: 1_000_000, running: 1, waiting: 8 }
    const server = await startGuardedServer(store, { limits, proxyHops: 1 })
    const ask = (password: string, told: string) =>
      server.call('newToken', { password, endpoints: ['*'] }, { 'x-forwarded-for': told })
    const wrong = await ask('wrong', '192.0.2.1')
    expect(await ask('wrong', '10.0.0.1, 192.0.2.1')).toBe(wrong)
    expect(await ask(PASSWORD, '10.0.0.2, 192.0.2.1')).toMatch(/too many incorrect passwords/)
    expect(await ask(PASSWORD, '192.0.2.2')).toHaveProperty('token')
    await server.close()
    await store.close()
  })
})
