import type { BlockRow, EvmRows, PrimaryRows, RangeProgress, Store, UtxoRow } from '../../../src/store/index.ts'

/** Made-up ids and ranges for tests of the writer. */
export const id = (number: number): string => number.toString(16).padStart(64, '0')
export const address = (number: number): string => number.toString(16).padStart(40, '0')
export const AVAX = id(0xa1)

export async function registerAll(store: Store): Promise<void> {
  const base = { kind: 'primary' as const, network: 'testnet', testnet: true }
  await store.writer.register({ ...base, name: 'testnet:P', chain: 'P' })
  await store.writer.register({ ...base, name: 'testnet:X', chain: 'X' })
  await store.writer.register({ ...base, name: 'testnet:C', chain: 'C', evmChainId: 43113n })
}

/** Progress of a range in which the block at height h has id(h + 1). */
export function range(from: number, to = from): RangeProgress {
  return {
    from: BigInt(from),
    parentId: id(from),
    height: BigInt(to),
    blockId: id(to + 1),
    time: BigInt(1_000 + to),
  }
}

/** The stored tip when that block is the last one. */
export const tipAt = (height: number) => ({ height: BigInt(height), blockId: id(height + 1) })

export function block(height: number, more: Partial<BlockRow> = {}): BlockRow {
  return {
    height: BigInt(height),
    id: id(height + 1),
    parentId: id(height),
    type: 'BanffStandardBlock',
    time: BigInt(1_000 + height),
    size: 100,
    txIds: [],
    ...more,
  }
}

/** An output of transaction id(tx) to address(1). */
export function output(tx: number, height: number, more: Partial<UtxoRow> = {}): UtxoRow {
  return {
    txId: id(tx),
    outputIndex: 0,
    kind: 'transfer',
    assetId: AVAX,
    amount: 5n,
    addresses: [address(1)],
    threshold: 1,
    locktime: 0n,
    height: BigInt(height),
    time: BigInt(1_000 + height),
    ...more,
  }
}

export const spend = (tx: number, height: number, by: number) => ({
  txId: id(tx),
  outputIndex: 0,
  by: id(by),
  height: BigInt(height),
  time: BigInt(1_000 + height),
})

export const commit = (store: Store, stream: string, from: number, primary: PrimaryRows, to = from): Promise<void> =>
  store.writer.commitRange(stream, { primary }, range(from, to))

/** All outputs in the list of address(1) on a chain of the test network, oldest first. */
export async function listed(store: Store, letter: 'P' | 'X' | 'C', owner = address(1), includeSpent = true) {
  const page = await store.reader.utxos.list({
    chain: { network: 'testnet', letter },
    addresses: [owner],
    includeSpent,
    sortBy: 'timestamp',
    order: 'asc',
    limit: 100,
  })
  return page.utxos
}

/** An L1, and a collection of NFTs on it. */
export const L1 = { name: 'eip155:77', kind: 'evm' as const, testnet: false, evmChainId: 77n }
export const NFTS = { chainId: L1.evmChainId, contract: address(0xcc) }

/** One of them as the block of this height leaves it. */
export const nft = (height: number, owner: string, tokenId = 2n ** 255n) => ({
  contract: NFTS.contract,
  tokenId,
  standard: 'ERC-721' as const,
  owner,
  height: BigInt(height),
  firstHeight: BigInt(height),
  logIndex: 0,
})

export const commitEvm = (store: Store, stream: string, height: number, evm: EvmRows): Promise<void> =>
  store.writer.commitRange(stream, { evm }, range(height))

/** The movement of the token of `nft`. */
export const nftTransfer = (height: number, to: string) => ({
  height: BigInt(height),
  logIndex: 0,
  batchIndex: 0,
  txIndex: 0,
  standard: 'ERC-721' as const,
  contract: NFTS.contract,
  from: address(0),
  to,
  tokenId: 2n ** 255n,
  amount: 1n,
})

/** A block of an EVM chain as `range` has it. */
export const evmBlock = (height: number, more: object = {}) => ({
  height: BigInt(height),
  hash: id(height + 1),
  parentHash: id(height),
  time: BigInt(1_000 + height),
  txCount: 2,
  failedCount: 1,
  baseFee: 25n,
  gasUsed: 2n,
  gasLimit: 15_000_000n,
  gasCost: 0n,
  feesSpent: 2n ** 200n,
  cumulativeTransactions: BigInt(2 * height + 2),
  ...more,
})
