import { expect, test } from 'vitest'
import { type Named, namedByBlocks } from '../../../../src/chains/avalanche/balances/named-by-blocks.ts'
import { utxoName } from '../../../../src/chains/avalanche/node/utxos.ts'
import type { ChainLetter } from '../../../../src/facts/primary-network.ts'
import { parseBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import { bytesToHex, idFromCb58 } from '../../../../src/lib/bytes/ids.ts'
import type { UpstreamPool } from '../../../../src/upstream/types.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'
import { truthUtxos } from '../recorded-truth.ts'

const inner = (name: string) =>
  new Map(recordedLines<{ height: number; hex: unknown }>(name).map((b) => [b.height, b.hex]))
const blocks: Record<ChainLetter, Map<number, unknown>> = {
  P: inner('p-blocks'),
  X: inner('x-blocks'),
  C: new Map(recordedLines<{ height: number; block: unknown }>('c-blocks').map((b) => [b.height, b.block])),
}

/** The blocks of the recorded network, as its node gives them. */
const pool = {
  rpc: async (path: string, method: string, params: { height: string } | [string, boolean]) => {
    if (Array.isArray(params)) return blocks.C.get(Number(params[0]))
    expect(method).toMatch(/\.getBlockByHeight$/)
    return { block: blocks[path.endsWith('/P') ? 'P' : 'X'].get(Number(params.height)), encoding: 'hex' }
  },
  status: () => [],
} as unknown as UpstreamPool

const namedAt = (chain: ChainLetter, height: number): Promise<Named | undefined> =>
  namedByBlocks(pool, chain, BigInt(height - 1), BigInt(height), {})

const hexOf = (address: string): string => bytesToHex(parseBech32Address(address).bytes)

test.each([
  // The other blocks of P pay rewards out, or decide whether.
  { chain: 'P', of: { blocks: 297, consumed: 503, made: 2_036 } },
  { chain: 'X', of: { blocks: 212, consumed: 316, made: 1_769 } },
  { chain: 'C', of: { blocks: 646, consumed: 28, made: 0 } },
] as const)('blocks of $chain name all that they consume, and the owners of all they make', async ({ chain, of }) => {
  const told = { blocks: 0, consumed: 0, made: 0 }
  for (const height of blocks[chain].keys()) {
    if (height === 0) continue
    const consumed = truthUtxos.filter((utxo) => utxo.consumedOnChain === chain && utxo.consumedAtHeight === height)
    // What a chain exports waits in another one's memory.
    const made = truthUtxos.filter(
      (utxo) => utxo.createdOnChain === chain && utxo.createdAtHeight === height && !utxo.sharedMemory,
    )
    const named = await namedAt(chain, height)
    if (!named) continue
    told.blocks += 1
    told.consumed += consumed.length
    told.made += made.length
    for (const { txHash, outputIndex } of consumed)
      expect(named.utxos).toContain(utxoName(idFromCb58(txHash), outputIndex))
    for (const owner of made.flatMap(({ addresses }) => addresses)) expect(named.owners).toContain(hexOf(owner))
  }
  expect(told).toEqual(of)
})

test('several blocks name what each of them names', async () => {
  const apart = await Promise.all([5, 6, 7].map((height) => namedAt('X', height)))
  expect(await namedByBlocks(pool, 'X', 4n, 7n, {})).toEqual({
    utxos: new Set(apart.flatMap((named) => [...(named?.utxos ?? [])])),
    owners: new Set(apart.flatMap((named) => [...(named?.owners ?? [])])),
  })
})

test('too many blocks, and heights that went back, are not told of', async () => {
  expect(await namedByBlocks(pool, 'X', 10n, 74n, {})).toBeDefined()
  expect(await namedByBlocks(pool, 'X', 10n, 75n, {})).toBeUndefined()
  expect(await namedByBlocks(pool, 'X', 10n, 9n, {})).toBeUndefined()
})

test.each(['P', 'X', 'C'] as const)('a block of %s of another height is no answer', async (chain) => {
  const third = blocks[chain].get(3)
  const answer = chain === 'C' ? third : { block: third, encoding: 'hex' }
  const other = { ...pool, rpc: async () => answer } as unknown as UpstreamPool
  await expect(namedByBlocks(other, chain, 3n, 4n, {})).rejects.toThrow(`${chain} block 3 where 4 was asked for`)
})

test('a block of C without the transactions that its header is of proves nothing', async () => {
  const importing = truthUtxos.find(({ consumedOnChain }) => consumedOnChain === 'C')?.consumedAtHeight as number
  expect((await namedAt('C', importing))?.utxos.size).toBeGreaterThan(0)
  const answer = { ...(blocks.C.get(importing) as object), blockExtraData: '0x' }
  const other = { ...pool, rpc: async () => answer } as unknown as UpstreamPool
  await expect(namedByBlocks(other, 'C', BigInt(importing) - 1n, BigInt(importing), {})).rejects.toThrow('extra data')
})
