import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  answerAll,
  evm,
  evmItem,
  itemsOf,
  post,
  scriptedChain,
  serveBalances,
} from '../../support/balances/balance-api.ts'
import { gate } from '../../support/waiting/gate.ts'

const A = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'
const fifty = {
  data: [
    evmItem(
      Array.from({ length: 50 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`),
      ['1'],
    ),
  ],
}
const named = (length: number) =>
  evm(1n, [{ address: '0xaa', name: 'x'.repeat(length), symbol: 's', decimals: 1, balance: 1n }])

/** Asks, so many times at once, and takes nothing of the answers; over when the server cuts the connection. */
async function untilCut(app: FastifyInstance, url: string, question: object, times = 1): Promise<void> {
  const body = JSON.stringify(question)
  const { hostname, port } = new URL(url)
  const cut = new Promise((resolve) => app.server.once('connection', (taken) => taken.once('close', resolve)))
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  const request = `POST /v1/balance/get-balances HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  socket.write(request.repeat(times))
  socket.pause()
  await cut
}

describe('an open stream', () => {
  it('has comments while it waits, never data', async () => {
    const held = gate()
    const { url } = await serveBalances({
      limits: { keepAliveMs: 30 },
      chains: [
        scriptedChain('eip155:1', 'evm', async (accounts, context) => {
          await held.opened
          return answerAll(() => evm(1n))(accounts, context)
        }),
      ],
    })
    const response = await post(url, { data: [evmItem([A], ['1'])] })
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.startsWith(': ping\n\n')) held.open()
    }
    expect(text.startsWith(': ping\n\n')).toBe(true)
    expect(itemsOf(text)).toHaveLength(1)
  })

  it('is cut when its reader takes nothing, and of its answer no more is made than that one reader may hold', async () => {
    let written = 0
    const watched = () => {
      const balances = named(2_000_000)
      const [token] = balances.tokens
      const { name } = { ...token }
      Object.defineProperty(token, 'name', {
        get: () => {
          written += 1
          return name
        },
      })
      return balances
    }
    const { url, app } = await serveBalances({
      limits: { stalledReaderMs: 200, keepAliveMs: 50 },
      chains: [
        scriptedChain('eip155:1', 'evm', async (accounts, context) => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          return answerAll(watched)(accounts, context)
        }),
      ],
    })
    await untilCut(app, url, fifty)
    // What the system holds for the connection, one write that waits, and one that is being made.
    expect(written).toBeGreaterThan(0)
    expect(written).toBeLessThan(15)
  })

  it('is cut when its reader takes nothing of an answer that was ready at once', async () => {
    const { url, app } = await serveBalances({
      // The first reader, which is as fast as this machine allows, is not to be cut.
      limits: { stalledReaderMs: 4_000, keepAliveMs: 1_000 },
      chains: [
        scriptedChain(
          'eip155:1',
          'evm',
          answerAll(() => named(300_000)),
          600_000,
        ),
      ],
    })
    expect(itemsOf(await (await post(url, fifty)).text())).toHaveLength(50)
    await untilCut(app, url, fifty)
  })

  it('is no stream where all is known: who takes nothing is cut no later, however rare comments are', async () => {
    const { url, app } = await serveBalances({
      limits: { stalledReaderMs: 500, keepAliveMs: 600_000 },
      chains: [
        scriptedChain(
          'eip155:1',
          'evm',
          answerAll(() => named(4_000)),
          600_000,
        ),
      ],
    })
    expect(itemsOf(await (await post(url, fifty)).text())).toHaveLength(50)
    // More than the system takes for a connection.
    await untilCut(app, url, fifty, 100)
  })

  it('is over when its reader leaves before the headers are out', async () => {
    let leaving: ServerResponse | undefined
    const read: { signal?: AbortSignal } = {}
    const errors: string[] = []
    const { url, app } = await serveBalances({
      errorLog: (line) => errors.push(line),
      limits: { maxStreams: 1 },
      chains: [
        scriptedChain('eip155:1', 'evm', (accounts, { signal, deadline }) => {
          if (!leaving) return answerAll(() => evm(1n))(accounts, { signal, deadline })
          read.signal = signal
          leaving.destroy()
          leaving = undefined
          return new Promise(() => {})
        }),
      ],
    })
    app.server.once('request', (_request, response) => {
      leaving = response
    })
    await expect(post(url, { data: [evmItem([A], ['1'])] })).rejects.toThrow()
    await expect.poll(() => read.signal?.aborted).toBe(true)
    // There is room for one stream, and it is free again.
    expect(itemsOf(await (await post(url, { data: [evmItem([A], ['1'])] })).text())).toHaveLength(1)
    // Nothing has failed here.
    expect(errors).toEqual([])
  })

  it('may finish while the server closes; what is left at the bound is cut', async () => {
    const held = gate()
    const { url, app } = await serveBalances({
      limits: { shutdownGraceMs: 2_000 },
      chains: [
        scriptedChain('eip155:1', 'evm', async (accounts, context) => {
          await held.opened
          return answerAll(() => evm(1n))(accounts, context)
        }),
        scriptedChain('eip155:2', 'evm', () => new Promise(() => {})),
      ],
    })
    const finishing = await post(url, { data: [evmItem([A], ['1'])] })
    const hanging = await post(url, { data: [evmItem([A], ['2'])] })
    const closed = app.close()
    held.open()
    expect(itemsOf(await finishing.text())).toHaveLength(1)
    await expect(hanging.text()).rejects.toThrow()
    await closed
  })
})
