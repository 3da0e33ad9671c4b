import type { EvmRows, PrimaryRows, RangeProgress, SpendRow, Store, UtxoRow } from '../../../src/store/index.ts'

/** A made-up P chain of any size, the same for the same seed: outputs of few big and many small owners, most consumed. */
export interface GeneratedChain {
  /** Ranges in order; each is made when it is asked for. */
  ranges(): Generator<{ rows: PrimaryRows; progress: RangeProgress }>
  /** An owner by its place; 0 has a twentieth of all outputs, the rest share evenly. */
  address(index: number): string
  /** Unix seconds of the block at a height. */
  time(height: number): bigint
  readonly heights: number
}

export interface ChainSize {
  utxos: number
  owners: number
  /** Outputs made by a block, each block being one transaction. */
  perBlock?: number
  blocksPerRange?: number
  /** Share of outputs that are consumed later. */
  consumed?: number
}

const START = 1_700_000_000
const BLOCK_SECONDS = 2
/** Outputs that may still be consumed; older ones stay for ever. */
const MEMORY = 50_000

export function generateChain(size: ChainSize): GeneratedChain {
  const { utxos, owners, perBlock = 10, blocksPerRange = 500, consumed = 0.7 } = size
  const heights = Math.ceil(utxos / perBlock)
  const time = (height: number): bigint => BigInt(START + height * BLOCK_SECONDS)
  return {
    heights,
    time,
    address: generatedAddress,
    *ranges() {
      const random = createRandom(7)
      const open: { txId: string; outputIndex: number }[] = []
      for (let from = 0; from < heights; from += blocksPerRange) {
        const to = Math.min(from + blocksPerRange, heights) - 1
        const rows = { blocks: [], utxos: [] as UtxoRow[], spends: [] as SpendRow[] }
        for (let height = from; height <= to; height++) {
          const made = outputsOf(height)
          rows.utxos.push(...made)
          for (let count = Math.floor(perBlock * consumed); count > 0 && open.length > 0; count--) {
            const at = Math.floor(random() * open.length)
            const chosen = open[at]
            const last = open.pop()
            if (chosen === undefined || last === undefined) break
            if (at < open.length) open[at] = last
            rows.spends.push({ ...chosen, by: txId(height), height: BigInt(height), time: time(height) })
          }
          for (const { txId: id, outputIndex, exportedTo } of made) {
            // X is not generated, so nobody imports there.
            if (exportedTo !== undefined) continue
            const entry = { txId: id, outputIndex }
            if (open.length < MEMORY) open.push(entry)
            else open[Math.floor(random() * MEMORY)] = entry
          }
        }
        yield { rows: { ...rows, blocks: blocksOf(from, to) }, progress: progressOf(from, to) }
      }

      function outputsOf(height: number): UtxoRow[] {
        return Array.from({ length: perBlock }, (_, outputIndex) => {
          const owner = random() < 0.05 ? 0 : 1 + Math.floor(random() * (owners - 1))
          const second = random() < 0.02 ? [generatedAddress(1 + Math.floor(random() * (owners - 1)))] : []
          return {
            txId: txId(height),
            outputIndex,
            kind: 'transfer',
            assetId: id(0xa1, random() < 0.9 ? 0 : 1),
            amount: BigInt(Math.floor(random() * 1e12)),
            addresses: [...new Set([generatedAddress(owner), ...second])],
            threshold: 1,
            locktime: random() < 0.01 ? BigInt(START * 2) : 0n,
            height: BigInt(height),
            time: time(height),
            ...(random() < 0.02 ? { exportedTo: 'X' as const } : {}),
          }
        })
      }
    },
  }

  function blocksOf(from: number, to: number) {
    return Array.from({ length: to - from + 1 }, (_, index) => {
      const height = from + index
      return {
        height: BigInt(height),
        id: id(0xb1, height + 1),
        parentId: id(0xb1, height),
        outerId: id(0xb2, height + 1),
        outerParentId: id(0xb2, height),
        type: 'BanffStandardBlock',
        time: time(height),
        size: 700,
        txIds: [txId(height)],
        proposer: {
          nodeId: generatedAddress(900_000_000 + (height % 1_000)),
          pChainHeight: BigInt(height),
          time: time(height),
        },
      }
    })
  }

  function progressOf(from: number, to: number): RangeProgress {
    return {
      from: BigInt(from),
      parentId: id(0xb1, from),
      height: BigInt(to),
      blockId: id(0xb1, to + 1),
      time: time(to),
    }
  }
}

/** Ids have to look random: in order, they would flatter the indexes. */
const id = (kind: number, number: number): string => scatter(kind, number).padEnd(64, '5')
const txId = (height: number): string => id(0xc1, height)
export const generatedAddress = (index: number): string => scatter(0xd1, index).padEnd(40, '7')

function scatter(kind: number, number: number): string {
  const mixed = BigInt.asUintN(64, (BigInt(number) + 1n) * 0x9e3779b97f4a7c15n)
  return (
    mixed.toString(16).padStart(16, '0') + kind.toString(16).padStart(2, '0') + number.toString(16).padStart(10, '0')
  )
}

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Writes the chain; answers how many rows that were: outputs and consumptions. */
export async function fillGenerated(store: Store, chain: GeneratedChain): Promise<number> {
  const stream = {
    name: 'generated:P',
    kind: 'primary' as const,
    network: 'generated',
    testnet: true,
    chain: 'P' as const,
  }
  await store.writer.register(stream)
  let rows = 0
  for (const range of chain.ranges()) {
    await store.writer.commitRange(stream.name, { primary: range.rows }, range.progress)
    rows += (range.rows.utxos?.length ?? 0) + (range.rows.spends?.length ?? 0)
  }
  return rows
}

/** Blocks of an EVM chain with transactions, NFTs and participants. */
export function generatedEvmRows(from: number, to: number): EvmRows {
  const heights = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const indexes = Array.from({ length: 5 }, (_, index) => index)
  return {
    blocks: heights.map((height) => ({
      height: BigInt(height),
      hash: id(0xe1, height + 1),
      parentHash: id(0xe1, height),
      time: BigInt(START + height * BLOCK_SECONDS),
      txCount: 5,
      failedCount: height % 50 === 0 ? 1 : 0,
      baseFee: 25n,
      gasUsed: 100_000n,
      gasLimit: 15_000_000n,
      gasCost: 0n,
      feesSpent: 1_000_000n,
      cumulativeTransactions: BigInt(5 * (height + 1)),
    })),
    transactions: heights.flatMap((height) =>
      indexes.map((index) => ({
        height: BigInt(height),
        index,
        hash: id(0xe2, height * 10 + index),
        from: generatedAddress(height * 10 + index),
        to: generatedAddress(index),
        value: 10n ** 18n,
        success: !(height % 50 === 0 && index === 0),
        type: 2,
        gasLimit: 21_000n,
        gasUsed: 21_000n,
        gasPrice: 30n,
        nonce: 1n,
        selector: '',
      })),
    ),
    nfts: heights.map((height) => ({
      contract: generatedAddress(height % 20),
      tokenId: BigInt(height),
      standard: 'ERC-721' as const,
      owner: generatedAddress(height),
      height: BigInt(height),
      logIndex: 0,
      firstHeight: BigInt(height),
    })),
    participants: heights.flatMap((height) =>
      indexes.map((index) => ({ address: generatedAddress(height * 10 + index), height: BigInt(height) })),
    ),
    holdings: heights.map((height) => ({
      address: generatedAddress(height),
      contract: generatedAddress(5),
      height: BigInt(height),
    })),
  }
}

export const generatedEvmId = (height: number): string => id(0xe1, height)
