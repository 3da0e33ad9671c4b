import { once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { DeadlineError, UpstreamRateLimitedError, UpstreamUnavailableError } from '../../../src/errors.ts'
import {
  answerAll,
  ask,
  evm,
  itemsOf,
  post,
  type Read,
  scriptedChain,
  startBalanceApi,
} from '../../support/balance-api.ts'

const A = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'
const B = '0x1111111111111111111111111111111111111111'
const WALLET = 'avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r'
const OTHER = 'avax18wvaf02nxrfpxhz5fwrj5yjydhhrlef6jslzqg'
const P = 'Rr9hnPVPxuUvrdCul-vjEsU1zmqKqRDo'
const evmItem = (addresses: string[], references: string[]) => ({ namespace: 'eip155', addresses, references })

let app: FastifyInstance | undefined
afterEach(async () => {
  await app?.close()
  app = undefined
})
const start = async (setup: Parameters<typeof startBalanceApi>[0]) => {
  const started = await startBalanceApi(setup)
  app = started.app
  return started.url
}
const gate = () => {
  let open: () => void = () => {}
  const closed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { closed, open }
}
const counted = (read: Read) => {
  const calls: { ids: string[]; aborted: () => boolean }[] = []
  const counting: Read = (accounts, context) => {
    calls.push({ ids: accounts.map(({ id }) => id), aborted: () => context.signal.aborted })
    return read(accounts, context)
  }
  return { calls, counting }
}

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
          await slow.closed
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
    expect(seen).toMatchObject([{ addresses: [WALLET, OTHER], extendedPublicKeys: [xpub], filterOutDust: false }])
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

  it('shares one read between identical requests and answers the next from the same reading, byte for byte', async () => {
    const held = gate()
    const { calls, counting } = counted(async (accounts, context) => {
      await held.closed
      return answerAll(() => evm(7n))(accounts, context)
    })
    const url = await start({ chains: [scriptedChain('eip155:1', 'evm', counting)] })
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

  it('sends comments while it waits, never data', async () => {
    const held = gate()
    const url = await start({
      limits: { keepAliveMs: 30 },
      chains: [
        scriptedChain('eip155:1', 'evm', async (accounts, context) => {
          await held.closed
          return answerAll(() => evm(1n))(accounts, context)
        }),
      ],
    })
    const response = await post(url, { data: [evmItem([A], ['1'])] })
    setTimeout(held.open, 150)
    const text = await response.text()
    expect(text.startsWith(': ping\n\n')).toBe(true)
    expect(itemsOf(text)).toHaveLength(1)
  })

  it('cuts a reader that takes nothing and holds only bounded memory for it', async () => {
    const name = 'x'.repeat(2_000_000)
    const big = evm(1n, [{ address: '0xaa', name, symbol: 's', decimals: 1, balance: 1n }])
    const url = await start({
      limits: { stalledReaderMs: 200, keepAliveMs: 50 },
      chains: [
        scriptedChain('eip155:1', 'evm', async (accounts, context) => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          return answerAll(() => big)(accounts, context)
        }),
      ],
    })
    const addresses = Array.from({ length: 50 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`)
    const body = JSON.stringify({ data: [evmItem(addresses, ['1'])] })
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(
      `POST /v1/balance/get-balances HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    socket.pause()
    socket.on('error', () => {})
    const connections = () =>
      new Promise<number>((resolve, reject) =>
        app?.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      )
    await expect.poll(connections).toBe(1)
    await expect.poll(connections, { timeout: 20_000 }).toBe(0)
    socket.destroy()
  })

  it('cuts a reader that takes nothing of an answer that was ready at once', async () => {
    const name = 'x'.repeat(300_000)
    const big = evm(1n, [{ address: '0xaa', name, symbol: 's', decimals: 1, balance: 1n }])
    const url = await start({
      // The first one, which reads as fast as this machine allows, is not to be cut.
      limits: { stalledReaderMs: 2_000, keepAliveMs: 1_000 },
      chains: [
        scriptedChain(
          'eip155:1',
          'evm',
          answerAll(() => big),
          60_000,
        ),
      ],
    })
    const addresses = Array.from({ length: 50 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`)
    const body = JSON.stringify({ data: [evmItem(addresses, ['1'])] })
    expect(itemsOf(await (await post(url, body)).text())).toHaveLength(50)
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const cut = new Promise((resolve) => app?.server.once('connection', (taken) => taken.once('close', resolve)))
    await once(socket, 'connect')
    socket.write(
      `POST /v1/balance/get-balances HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    socket.pause()
    socket.on('error', () => {})
    await cut
    socket.destroy()
  })

  it('lets open streams finish when it closes, and cuts what is left at the bound', async () => {
    const url = await start({
      deadlineMs: 20_000,
      limits: { shutdownGraceMs: 300 },
      chains: [
        scriptedChain('eip155:1', 'evm', async (accounts, context) => {
          await new Promise((resolve) => setTimeout(resolve, 100))
          return answerAll(() => evm(1n))(accounts, context)
        }),
        scriptedChain('eip155:2', 'evm', () => new Promise(() => {})),
      ],
    })
    const finishing = await post(url, { data: [evmItem([A], ['1'])] })
    const hanging = await post(url, { data: [evmItem([A], ['2'])] })
    const closed = app?.close()
    expect(itemsOf(await finishing.text())).toHaveLength(1)
    await expect(hanging.text()).rejects.toThrow()
    await closed
    app = undefined
  })
})
