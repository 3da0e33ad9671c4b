import { describe, expect, it } from 'vitest'
import {
  ChainNotRunError,
  DeadlineError,
  JsonRpcError,
  UnsettledReadError,
  UpstreamRefusedError,
  UpstreamUnavailableError,
} from '../../../src/errors.ts'
import { failureMessage } from '../../../src/services/balances/failure-message.ts'
import { StoreUnavailableError } from '../../../src/store/index.ts'

const late = (afterMs: number, deadlineMs: number): string =>
  failureMessage('evm', new DeadlineError('secret-host is late'), { afterMs, deadlineMs })

describe('failureMessage', () => {
  it.each([
    // A read that joined another one at its end, and one that failed within the millisecond.
    [0, 8_000, 100],
    [1, 8_000, 100],
    [101, 8_000, 200],
    // What had nearly all of the time had all of it.
    [7_200, 8_000, 8_000],
    [9_500, 8_000, 8_000],
    // Never more than there was.
    [0, 50, 50],
    [130, 150, 150],
  ])('says of %i ms of %i a round time', (afterMs, deadlineMs, said) => {
    expect(late(afterMs, deadlineMs)).toBe(`[getEvmBalances] timed out after ${said} ms`)
  })

  it.each([
    [UpstreamUnavailableError, 'no upstream of the chain could be reached'],
    [UnsettledReadError, 'the chain moved during every reading, or no one upstream told all of it'],
    [ChainNotRunError, 'no upstream runs the chain that coins were exported from'],
    [StoreUnavailableError, 'the own index cannot be read'],
  ])('tells servers that are away from those that cannot know (%o)', (Kind, said) => {
    const message = failureMessage('avm', new Kind('secret-host'), { afterMs: 1, deadlineMs: 8_000 })
    expect(message).toBe(`[getAvmBalances] ${said}`)
  })

  it.each([
    [new JsonRpcError('secret-host says no', -32_602), 'code -32602'],
    [new UpstreamRefusedError('secret-host status 400: no', 400), 'status 400'],
  ])('tells what an upstream refuses from a fault of this server (%o)', (error, said) => {
    const message = failureMessage('btc', error, { afterMs: 1, deadlineMs: 8_000 })
    expect(message).toBe(`[getBtcBalances] the upstream refused the read (${said})`)
  })
})
