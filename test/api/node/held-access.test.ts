import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { AccessGuard } from '../../../src/api/node/access.ts'
import { createEvmSockets } from '../../../src/api/node/evm/ws/sockets.ts'
import { createHeldAccess } from '../../../src/api/node/held-access.ts'
import { openTestStore } from '../../support/store/store.ts'
import { PASSWORD, startGuardedServer } from './guarded-server.ts'

describe('a WebSocket', () => {
  it('ends with its token: revoked, or of another password; nobody comes back with it', async () => {
    const store = openTestStore()
    const chains = createEvmSockets({ answer: () => Promise.reject(), targets: () => [], onHead: () => undefined })
    const server = await startGuardedServer(store, { sockets: chains.upgrade })
    onTestFinished(async () => {
      chains.close()
      await server.close()
      await store.close()
    })
    const newToken = async (): Promise<string> => {
      const made = await server.call('newToken', { password: PASSWORD, endpoints: ['/ext/bc/C/ws'] })
      return (made as { token: string }).token
    }
    const open = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ext/bc/C/ws`, { headers })
      const ended = new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, reason.toString()])))
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
      return { socket, ended }
    }
    const [first, second] = [await newToken(), await newToken()]
    const [one, other] = [await open(first), await open(second)]
    await server.call('revokeToken', { password: PASSWORD, token: first })
    const over = [1008, 'the access token is no longer valid']
    expect(await one.ended).toEqual(over)
    await expect(open(first)).rejects.toThrow('401')
    expect(other.socket.readyState).toBe(WebSocket.OPEN)
    await server.call('changePassword', { oldPassword: PASSWORD, newPassword: `${PASSWORD} and one more` })
    expect(await other.ended).toEqual(over)
  })
})

describe('what came in with a token', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is told goodbye and cut once the token is over, not where tokens cannot be checked, and nothing is looked at when all are gone', () => {
    const word: { status?: number } = {}
    const asked: string[] = []
    const guard: AccessGuard = ({ authorization = '' }) => {
      asked.push(authorization)
      return word.status === undefined || authorization === 'b' ? undefined : { status: word.status, body: Buffer.of() }
    }
    const access = createHeldAccess(guard)
    const [a, b] = [new PassThrough(), new PassThrough()]
    const over = access.watch({ path: '/ext/bc/C/ws', target: '/ext/bc/C/ws', authorization: 'a' }, a)
    const other = access.watch({ path: '/ext/bc/C/ws', target: '/ext/bc/C/ws', authorization: 'b' }, b)
    vi.advanceTimersByTime(1_000)
    word.status = 503
    vi.advanceTimersByTime(1_000)
    expect([asked.join(''), over.aborted, a.destroyed]).toEqual(['abab', false, false])
    word.status = 401
    vi.advanceTimersByTime(1_000)
    expect([over.aborted, a.destroyed, other.aborted]).toEqual([true, false, false])
    vi.advanceTimersByTime(1_000)
    expect([a.destroyed, b.destroyed]).toEqual([true, false])
    b.destroy()
    b.emit('close')
    a.emit('close')
    expect(vi.getTimerCount()).toBe(0)
  })
})
