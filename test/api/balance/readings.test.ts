import { describe, expect, it } from 'vitest'
import { UpstreamUnavailableError } from '../../../src/errors.ts'
import {
  answerAll,
  type BalanceApiSetup,
  counted,
  evm,
  evmItem,
  itemsOf,
  post,
  type Read,
  scriptedChain,
  serveBalances,
} from '../../support/balances/balance-api.ts'
import { gate } from '../../support/waiting/gate.ts'

const A = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'
const start = async (setup: BalanceApiSetup): Promise<string> => (await serveBalances(setup)).url

describe('a reading', () => {
  it('shares one read between identical requests and answers the next from the same reading, byte for byte', async () => {
    const held = gate()
    const { calls, counting } = counted(async (accounts, context) => {
      await held.opened
      return answerAll(() => evm(7n))(accounts, context)
    })
    const url = await start({ chains: [scriptedChain('eip155:1', 'evm', counting, 60_000)] })
    const body = { data: [evmItem([A], ['1'])] }
    const both = [post(url, body), post(url, body)].map(async (response) => (await response).text())
    await expect.poll(() => calls.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    held.open()
    const [one, two] = await Promise.all(both)
    const three = await (await post(url, body)).text()
    expect(one).toBe(two)
    expect(three).toBe(one)
    expect(calls).toHaveLength(1)
  })

  it('waits for any number of chains without a warning of leaks', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const references = Array.from({ length: 20 }, (_, at) => String(at + 1))
    const read: Read = async (accounts, context) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return answerAll(() => evm(1n))(accounts, context)
    }
    const url = await start({
      chains: references.map((reference) => scriptedChain(`eip155:${reference}`, 'evm', read)),
    })
    expect(itemsOf(await (await post(url, { data: [evmItem([A], references)] })).text())).toHaveLength(20)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('cancels the read only when the last reader has left', async () => {
    const { calls, counting } = counted(() => new Promise(() => {}))
    const url = await start({ deadlineMs: 20_000, chains: [scriptedChain('eip155:1', 'evm', counting)] })
    const one = new AbortController()
    const two = new AbortController()
    const body = { data: [evmItem([A], ['1'])] }
    // Held to the end: fetch ends the connection of an answer that is collected as garbage.
    const readers = [await post(url, body, { signal: one.signal }), await post(url, body, { signal: two.signal })]
    one.abort()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(calls[0]?.aborted()).toBe(false)
    two.abort()
    await expect.poll(() => calls[0]?.aborted()).toBe(true)
    expect(readers.map(({ status }) => status)).toEqual([200, 200])
  })

  it('serves a kept reading while it is young enough and an error after that', async () => {
    let at = 1_000_000
    let broken = false
    const url = await start({
      now: () => at,
      maxStaleMs: 10_000,
      chains: [
        scriptedChain('eip155:1', 'evm', async (accounts, context) => {
          if (broken) throw new UpstreamUnavailableError('down')
          at += 500
          return answerAll(() => evm(9n))(accounts, context)
        }),
      ],
    })
    const body = { data: [evmItem([A], ['1'])] }
    await (await post(url, body)).text()
    broken = true
    // The state may be as old as the beginning of the read.
    at += 9_500
    expect(itemsOf(await (await post(url, body)).text())[0]).toMatchObject({ error: null })
    at += 1
    expect(itemsOf(await (await post(url, body)).text())[0]).toMatchObject({ balances: null })
  })

  it('is read again when it is too old, though the others of the same answer are not', async () => {
    let at = 1_000_000
    let holds = 1n
    const answered: Read = (accounts, context) => answerAll(() => evm(holds))(accounts, context)
    const quick = counted(answered)
    const slow = counted(answered)
    const url = await start({
      now: () => at,
      chains: [
        scriptedChain('eip155:1', 'evm', quick.counting, 1_000),
        scriptedChain('eip155:2', 'evm', slow.counting, 10_000),
      ],
    })
    const body = { data: [evmItem([A], ['1', '2'])] }
    const balances = async (): Promise<unknown[]> =>
      itemsOf(await (await post(url, body)).text())
        .sort((a, b) => String(a['caip2Id']).localeCompare(String(b['caip2Id'])))
        .map((item) => (item['balances'] as { nativeTokenBalance: { balance: string } }).nativeTokenBalance.balance)
    expect(await balances()).toEqual(['1', '1'])
    holds = 2n
    at += 999
    // The second time these bytes are the answer to that body, the third time without looking at the chains.
    expect([await balances(), await balances()]).toEqual([
      ['1', '1'],
      ['1', '1'],
    ])
    at += 1
    expect([await balances(), await balances()]).toEqual([
      ['2', '1'],
      ['2', '1'],
    ])
    expect([quick.calls.length, slow.calls.length]).toEqual([2, 1])
  })

  it('is handed out also where there is no room for another stream, and a wrong body is told so', async () => {
    const url = await start({
      limits: { maxStreams: 1 },
      chains: [
        scriptedChain(
          'eip155:1',
          'evm',
          answerAll(() => evm(7n)),
          60_000,
        ),
        scriptedChain('eip155:2', 'evm', () => new Promise(() => {})),
      ],
    })
    const known = { data: [evmItem([A], ['1'])] }
    const before = await (await post(url, known)).text()
    const leaving = new AbortController()
    const hanging = await post(url, { data: [evmItem([A], ['2'])] }, { signal: leaving.signal })
    const full = await post(url, { data: [evmItem([A], ['1', '2'])] })
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await post(url, { data: [] })).status).toBe(400)
    for (const _ of 'twice') expect(await (await post(url, known)).text()).toBe(before)
    expect(hanging.status).toBe(200)
    leaving.abort()
  })
})
