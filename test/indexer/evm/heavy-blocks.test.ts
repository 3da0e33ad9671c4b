import { expect, it, onTestFinished } from 'vitest'
import { createEvmStream } from '../../../src/indexer/evm/evm-stream.ts'
import type { IndexWriter } from '../../../src/store/index.ts'
import { startTestPool } from '../../support/upstream/upstream-pool.ts'

const TIP = 1_000
const { signal } = new AbortController()

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
const hex = (value: number): string => `0x${value.toString(16)}`

/**
 * A chain of blocks with one transaction each, of so many characters of call data.
 * @param atMost blocks from height 100 on that the node can tell at a time
 * @param logs of each transaction, all empty
 */
async function startStream(characters: number, { atMost = TIP, logs = 0 } = {}) {
  let told = 0
  const input = `0x${'0'.repeat(characters)}`
  const head = (height: number) => ({
    number: hex(height),
    hash: word(height + 1),
    parentHash: word(height),
    timestamp: '0x1',
    gasUsed: '0x5208',
    gasLimit: '0xffffff',
  })
  const transaction = (height: number) => ({
    hash: word(height + 1_000_000),
    from: `0x${'11'.repeat(20)}`,
    to: `0x${'22'.repeat(20)}`,
    value: '0x0',
    gas: '0x5208',
    gasPrice: '0x1',
    nonce: hex(height),
    input,
  })
  const receipt = (height: number) => ({
    transactionHash: word(height + 1_000_000),
    blockHash: word(height + 1),
    status: '0x1',
    gasUsed: '0x5208',
    cumulativeGasUsed: '0x5208',
    effectiveGasPrice: '0x1',
    logs: Array.from({ length: logs }, (_, at) => ({
      address: `0x${'33'.repeat(20)}`,
      topics: [],
      data: '0x',
      logIndex: hex(at),
    })),
  })
  const { pool } = await startTestPool([
    {
      answer: ({ method, params }: { method: string; params: unknown }) => {
        const [place, whole] = params as [string, boolean]
        const height = place === 'latest' ? TIP : Number(place)
        if (place === 'latest') told = 0
        if (method === 'eth_getBlockReceipts') return height >= 100 && ++told > atMost ? null : [receipt(height)]
        if (method !== 'eth_getBlockByNumber') return null
        return { ...head(height), transactions: whole ? [transaction(height)] : [] }
      },
    },
  ])
  onTestFinished(() => pool.close())
  const definition = { name: 'eip155:4242', kind: 'evm', testnet: true, evmChainId: 4_242n } as const
  return createEvmStream({
    definition,
    pool,
    path: '/',
    writer: { evmBlock: async () => undefined } as unknown as IndexWriter,
  })
}

/** Blocks of each page. */
async function pagesOf(characters: number, count: number, logs = 0): Promise<number[]> {
  const stream = await startStream(characters, { logs })
  const pages: number[] = []
  let after: { height: bigint; id: string } | undefined
  while (pages.length < count) {
    const { blocks } = await stream.fetch(after ? after.height + 1n : 0n, after, signal)
    pages.push(blocks.length)
    after = blocks.at(-1)
  }
  return pages
}

it('pages of heavy blocks are as small as they have to be: hundreds of them are more than a heap holds', async () => {
  expect(await pagesOf(3 * 1_024 * 1_024, 6)).toEqual([1, 2, 4, 8, 10, 10])
})

it('pages of blocks full of logs are small, empty as these may be', async () => {
  expect(await pagesOf(10, 6, 4_000)).toEqual([1, 2, 4, 8, 13, 13])
})

it('pages of light blocks grow', async () => {
  expect(await pagesOf(10, 10)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 256])
})

it('pages that a node cannot tell in their time are asked for in smaller ones, until one comes', async () => {
  const stream = await startStream(10, { atMost: 5 })
  let after: { height: bigint; id: string } | undefined
  for (let tries = 0; tries < 20; tries++) {
    const page = await stream.fetch(after ? after.height + 1n : 0n, after, signal).catch(() => undefined)
    after = page?.blocks.at(-1) ?? after
  }
  expect(Number(after?.height)).toBeGreaterThan(105)
})
