import { describe, expect, it } from 'vitest'
import { DeadlineError, UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../src/errors.ts'
import {
  answerAll,
  ask,
  type BalanceApiSetup,
  counted,
  evm,
  evmItem,
  itemsOf,
  post,
  scriptedChain,
  serveBalances,
} from '../../support/balances/balance-api.ts'
import { gate } from '../../support/waiting/gate.ts'

const A = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'
const B = '0x1111111111111111111111111111111111111111'
const WALLET = 'avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r'
const OTHER = 'avax18wvaf02nxrfpxhz5fwrj5yjydhhrlef6jslzqg'
const P = 'Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo'

const start = async (setup: BalanceApiSetup): Promise<string> => (await serveBalances(setup)).url

it('answers a wallet without an id by an error, and the others as ever', async () => {
  const asked: string[][] = []
  const classes = { unlockedStaked: 0n, unlockedUnstaked: 1n, unlockedUnstakedMultiSig: 0n, lockedStaked: 0n }
  const pvm = {
    ...{ native: 1n, ...classes, lockedPlatform: 0n, lockedStakeable: 0n },
    ...{ atomicMemoryUnlocked: {}, atomicMemoryLocked: {} },
  }
  const url = await start({
    chains: [
      scriptedChain(`avax:${P}`, 'pvm', async (accounts, context) => {
        asked.push(accounts.map(({ id }) => id))
        return answerAll(() => pvm)(accounts, context)
      }),
    ],
  })
  const addresses = ['avax1p9575chzhvcwvmvzaqh7yeld76r3af0ha56phl']
  const addressDetails = ['', 'a'].map((id) => ({ id, addresses }))
  const items = await ask(url, { data: [{ namespace: 'avax', references: [P], addressDetails }] })
  expect(items).toEqual([
    {
      caip2Id: `avax:${P}`,
      networkType: 'pvm',
      id: '',
      balances: null,
      error: '[getPvmBalances] the id of the wallet is empty',
    },
    expect.objectContaining({ id: 'a', error: null }),
  ])
  expect(asked.map((ids) => ids.length)).toEqual([1])
  // Nothing is left to read: the chain is not asked, and nobody waits for it.
  const only = [{ namespace: 'avax', references: [P], addressDetails: [{ id: '', addresses }] }]
  expect(await ask(url, { data: only })).toEqual([expect.objectContaining({ id: '', balances: null })])
  expect(asked).toHaveLength(1)
})

describe('get-balances stream', () => {
  it('frames items as wallets need it and echoes the address as written', async () => {
    const url = await start({
      chains: [
        scriptedChain(
          'eip155:1',
          'evm',
          answerAll(() => evm(12_345_678_901_234_567_890n)),
        ),
      ],
    })
    const response = await post(url, { data: [evmItem([A], ['1'])] })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toContain('no-cache')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const [item] = itemsOf(await response.text())
    expect(item).toEqual({
      caip2Id: 'eip155:1',
      networkType: 'evm',
      id: A,
      balances: {
        nativeTokenBalance: {
          name: 'Avalanche',
          symbol: 'AVAX',
          type: 'native',
          decimals: 18,
          balance: '12345678901234567890',
          internalId: 'NATIVE-avax',
        },
        erc20TokenBalances: [],
      },
      currency: 'usd',
      error: null,
    })
  })

  it('writes a fast chain while a slow one still works', async () => {
    const slow = gate()
    const url = await start({
      chains: [
        scriptedChain('eip155:1', 'evm', async (accounts) => {
          await slow.opened
          return answerAll(() => evm(1n))(accounts, {} as never)
        }),
        scriptedChain(
          'eip155:2',
          'evm',
          answerAll(() => evm(2n)),
        ),
      ],
    })
    const response = await post(url, { data: [evmItem([A], ['1', '2'])] })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    expect(itemsOf(first).map((item) => item['caip2Id'])).toEqual(['eip155:2'])
    slow.open()
    const second = new TextDecoder().decode((await reader.read()).value)
    expect(itemsOf(second).map((item) => item['caip2Id'])).toEqual(['eip155:1'])
    expect((await reader.read()).done).toBe(true)
  })

  it('answers every pair exactly once, over repeated items, ids and references', async () => {
    const { calls, counting } = counted(answerAll(() => evm(1n)))
    const url = await start({
      chains: [scriptedChain('eip155:1', 'evm', counting), scriptedChain('eip155:2', 'evm', counting)],
    })
    const body = { data: [evmItem([A, B, A], ['1', '2', '1']), evmItem([B, A.toLowerCase()], ['2'])] }
    const items = itemsOf(await (await post(url, body)).text())
    const pairs = items.map((item) => `${item['caip2Id']} ${item['id']}`).sort()
    expect(pairs).toEqual(
      [`eip155:1 ${A}`, `eip155:1 ${B}`, `eip155:2 ${A}`, `eip155:2 ${A.toLowerCase()}`, `eip155:2 ${B}`].sort(),
    )
    expect(calls.map((call) => call.ids.length)).toEqual([2, 2])
  })

  it('merges all entries of one wallet id, keys and addresses, into one account', async () => {
    const seen: unknown[] = []
    const pvm = {
      native: 5n,
      unlockedStaked: 0n,
      unlockedUnstaked: 5n,
      unlockedUnstakedMultiSig: 0n,
      lockedStaked: 0n,
      lockedPlatform: 0n,
      lockedStakeable: 0n,
      atomicMemoryUnlocked: {},
      atomicMemoryLocked: {},
    }
    const url = await start({
      chains: [
        scriptedChain(`avax:${P}`, 'pvm', async (accounts) => {
          seen.push(...accounts)
          return new Map(accounts.map(({ id }) => [id, { ok: true, value: pvm }]))
        }),
      ],
    })
    const xpub = `xpub${'6'.repeat(107)}`
    const items = itemsOf(
      await (
        await post(url, {
          data: [
            {
              namespace: 'avax',
              references: [P],
              addressDetails: [
                { id: 'w', addresses: [WALLET] },
                { id: 'w', addresses: [OTHER, WALLET] },
              ],
            },
            {
              namespace: 'avax',
              references: [P],
              extendedPublicKeyDetails: [{ id: 'w', extendedPublicKey: xpub }],
              filterOutDustUtxos: false,
            },
          ],
        })
      ).text(),
    )
    expect(items).toHaveLength(1)
    // What is named twice is compared where it is read.
    expect(seen).toMatchObject([
      { addresses: [WALLET, OTHER, WALLET], extendedPublicKeys: [xpub], filterOutDust: false },
    ])
    expect(items[0]).toMatchObject({
      id: 'w',
      balances: { categories: { unlockedUnstaked: '5', lockedStaked: '0', atomicMemoryUnlocked: {} } },
    })
  })

  it('turns an unknown chain, a failing chain and a late chain into handled errors with networkType', async () => {
    const url = await start({
      deadlineMs: 100,
      chains: [
        scriptedChain('eip155:1', 'evm', async () =>
          Promise.reject(new UpstreamUnavailableError('secret-host refused')),
        ),
        scriptedChain('eip155:2', 'evm', () => new Promise(() => {})),
        scriptedChain('eip155:3', 'evm', async () => Promise.reject(new UpstreamRateLimitedError('all'))),
        scriptedChain('eip155:4', 'evm', async () => Promise.reject(new TypeError('oops'))),
        scriptedChain('eip155:5', 'evm', async () => new Map()),
        scriptedChain('eip155:6', 'evm', async () =>
          Promise.reject(new DeadlineError('eip155:6: secret-host is late')),
        ),
      ],
    })
    const text = await (await post(url, { data: [evmItem([A], ['143', '1', '2', '3', '4', '5', '6'])] })).text()
    expect(text).not.toContain('secret-host')
    expect(text).not.toContain('oops')
    const errors = Object.fromEntries(
      itemsOf(text).map((item) => {
        expect(item).toMatchObject({ networkType: 'evm', id: A, balances: null })
        return [item['caip2Id'], item['error']]
      }),
    )
    expect(errors['eip155:143']).toBe('[getEvmBalances] unsupported chain id: 143')
    expect(errors['eip155:2']).toBe('[getEvmBalances] timed out after 100 ms')
    expect(errors['eip155:6']).toBe(errors['eip155:2'])
    expect(errors['eip155:3']).toBe('[getEvmBalances] Rate limit exceeded')
    expect(Object.values(errors).filter((error) => String(error).includes('Rate limit exceeded'))).toHaveLength(1)
    expect(Object.keys(errors)).toHaveLength(7)
  })
})
