import { createRequire } from 'node:module'

/** The parts of bcoin that the sandbox touches; the package carries no types. */
export interface BcoinOutput {
  value: number
  script: { toRaw(): Buffer }
}
export interface BcoinTx {
  inputs: { prevout: { index: number; txid(): string } }[]
  outputs: BcoinOutput[]
  isCoinbase(): boolean
  txid(): string
}
export interface BcoinCoin {
  value: number
  script: { toRaw(): Buffer }
}
interface Mtx {
  addCoin(coin: BcoinCoin): void
  addOutput(output: { script: unknown; value: number }): void
  sign(ring: Ring): number
  toTX(): BcoinTx
}
interface Ring {
  witness: boolean
  nested: boolean
  refresh(): void
}
interface Entry {
  rhash(): string
  height: number
  chainwork: unknown
}
interface BcoinBlock {
  txs: BcoinTx[]
  rhash(): string
  toHeaders(): { toRaw(): Buffer }
}
interface BlockJob {
  attempt: { items: unknown[]; fees: number; pushTX(tx: BcoinTx): boolean }
  refresh(): void
  mineAsync(): Promise<unknown>
}
export interface BcoinNode {
  logger: { logger: { memory(): void } }
  open(): Promise<void>
  close(): Promise<void>
  chain: {
    tip: Entry
    height: number
    add(block: unknown): Promise<Entry | null>
    getBlock(height: number): Promise<BcoinBlock>
    getEntry(height: number): Promise<Entry>
    getCoinsByAddress(addresses: unknown[]): Promise<BcoinCoin[]>
  }
  mempool: {
    map: Map<string, { tx: BcoinTx }>
    addTX(tx: BcoinTx): Promise<unknown>
  }
  miner: {
    mineBlock(tip: Entry, address: unknown): Promise<unknown>
    cpu: { createJob(tip: Entry, address: unknown): Promise<BlockJob> }
  }
  getCoinsByAddress(addresses: unknown[]): Promise<BcoinCoin[]>
}
interface Bcoin {
  FullNode: new (options: Record<string, unknown>) => BcoinNode
  MTX: new () => Mtx
  KeyRing: { fromPrivate(key: Buffer, compressed: boolean): Ring }
  Script: { fromRaw(data: Buffer): unknown }
  Address: { fromScript(script: unknown): unknown }
  Coin: { fromTX(tx: BcoinTx, index: number, height: number): BcoinCoin }
}

// Its native parts do not build on current Node; the plain JavaScript ones do.
process.env.NODE_BACKEND = 'js'
export const bcoin: Bcoin = createRequire(import.meta.url)('bcoin')
