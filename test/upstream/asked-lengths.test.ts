import { expect, it } from 'vitest'
import { createSolanaBalanceSource } from '../../src/chains/solana/index.ts'
import { encodeBase58 } from '../../src/lib/bytes/base58.ts'
import { startTestPool } from '../support/upstream/upstream-pool.ts'

const limits = { maxResponseBytes: 20_000, maxAttempts: 1 }
const LONG = 'x'.repeat(3_000)

interface Entry {
  id: number
  method: string
  params: unknown[][]
}

/** A server whose answers are written by `resultOf`, alone and in batches. */
const answering = (resultOf: (entry: Entry) => unknown) => (_request: unknown, body: Buffer) => {
  const sent = JSON.parse(body.toString()) as Entry | Entry[]
  const answers = [sent].flat().map((entry) => ({ jsonrpc: '2.0', id: entry.id, result: resultOf(entry) }))
  return { body: JSON.stringify(Array.isArray(sent) ? answers : answers[0]) }
}

it('a batch that is too long together says nothing about its upstream', async () => {
  const { pool } = await startTestPool([{ handle: answering(() => LONG) }], { limits })
  for (let round = 0; round < 3; round++)
    expect(await Promise.all(Array.from({ length: 40 }, (_, at) => pool.rpc('', 'm', [round, at])))).toEqual(
      Array(40).fill(LONG),
    )
  expect(pool.status()).toMatchObject([{ breaker: 'closed', errorRate: 0 }])
})

it('answers that are longer than anybody was to expect do', async () => {
  const { pool } = await startTestPool([{ handle: answering(() => LONG.repeat(9)) }], { limits })
  for (let at = 0; at < 6; at++) await pool.rpc('', 'm', [at]).catch(() => undefined)
  expect(pool.status()).toMatchObject([{ breaker: 'open' }])
})

it('Solana: owners of more token accounts than fit into an answer are errors, and no fault of the server', async () => {
  const account = { lamports: 7, owner: '', data: ['', 'base64'] }
  const resultOf = ({ method, params: [first] }: Entry): unknown => {
    if (method === 'getGenesisHash') return '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
    const value = method === 'getTokenAccountsByOwner' ? LONG.repeat(9) : first?.map(() => account)
    return { context: { slot: 9 }, value }
  }
  const { pool } = await startTestPool([{ handle: answering(resultOf) }], { limits })
  const native = { name: 'Solana', symbol: 'SOL', decimals: 9, internalId: 'NATIVE-sol' }
  const caip2Id = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
  const source = createSolanaBalanceSource({
    caip2Id,
    native,
    pool,
    tokens: { tokens: () => [] },
  })
  const accounts = Array.from({ length: 8 }, (_, at) => ({ id: encodeBase58(Buffer.alloc(32, at + 1)) }))
  const outcomes = await source.readBalances(accounts, {
    signal: new AbortController().signal,
    deadline: Date.now() + 30_000,
  })
  expect([...outcomes.values()].map(({ ok }) => ok)).toEqual(Array(8).fill(false))
  expect(pool.status()).toMatchObject([{ breaker: 'closed', errorRate: 0 }])
})
