import { hash } from 'node:crypto'
import type { BcoinNode, BcoinTx } from './bcoin.ts'

/** Sums over the outputs of one script, satoshi. */
export interface Totals {
  fundedSum: bigint
  fundedCount: number
  spentSum: bigint
  spentCount: number
  txCount: number
}

export interface Utxo {
  txid: string
  vout: number
  value: bigint
  /** Absent while in the mempool. */
  height?: number
}

export interface ScriptState {
  confirmed: Totals
  mempool: Totals
  utxos: Utxo[]
}

/** What the facades know about the chain; the view of one moment. */
export interface LedgerView {
  height: number
  tipHash: string
  script(script: string): ScriptState
  /** Its outputs in blocks, whoever has spent them since. */
  history(script: string): Utxo[]
  scriptByHash(scriptHash: string): string | undefined
}

interface Coin extends Utxo {
  script: string
}

const zero = (): Totals => ({ fundedSum: 0n, fundedCount: 0, spentSum: 0n, spentCount: 0, txCount: 0 })
const electrumHash = (script: string): string =>
  hash('sha256', Buffer.from(script, 'hex'), 'buffer').reverse().toString('hex')

/** Applies transactions to totals per script and to the set of unspent coins. */
const createBook = (below?: ReadonlyMap<string, Coin>) => {
  const totals = new Map<string, Totals>()
  const coins = new Map<string, Coin>()
  const made: Coin[] = []
  const spent = new Set<string>()
  const of = (script: string): Totals => {
    const known = totals.get(script) ?? zero()
    totals.set(script, known)
    return known
  }
  const apply = (tx: BcoinTx, height?: number): void => {
    const touched = new Set<string>()
    const txid = tx.txid()
    for (const { prevout } of tx.isCoinbase() ? [] : tx.inputs) {
      const key = `${prevout.txid()}:${prevout.index}`
      const coin = coins.get(key) ?? below?.get(key)
      if (!coin) throw new Error(`spends an unknown coin ${key}`)
      const sums = of(coin.script)
      sums.spentSum += coin.value
      sums.spentCount += 1
      touched.add(coin.script)
      coins.delete(key)
      spent.add(key)
    }
    for (const [vout, output] of tx.outputs.entries()) {
      const script = output.script.toRaw().toString('hex')
      const value = BigInt(output.value)
      const sums = of(script)
      sums.fundedSum += value
      sums.fundedCount += 1
      touched.add(script)
      const coin: Coin = { txid, vout, value, script, ...(height === undefined ? {} : { height }) }
      coins.set(`${txid}:${vout}`, coin)
      made.push(coin)
    }
    for (const script of touched) of(script).txCount += 1
  }
  return { totals, coins, made, spent, apply }
}

/** Parents before children: a mempool is a set, its transactions may spend each other. */
const inOrder = (transactions: BcoinTx[]): BcoinTx[] => {
  const byId = new Map(transactions.map((tx) => [tx.txid(), tx]))
  const done = new Set<BcoinTx>()
  const visit = (tx: BcoinTx): void => {
    if (done.has(tx)) return
    for (const { prevout } of tx.inputs) {
      const parent = byId.get(prevout.txid())
      if (parent) visit(parent)
    }
    done.add(tx)
  }
  for (const tx of transactions) visit(tx)
  return [...done]
}

/** Own index over a node's blocks and mempool (bcoin's own mixes the scripts of one key). */
export const createLedger = (node: BcoinNode) => {
  let chain = createBook()
  const hashes = new Map<string, string>()
  let blocks: string[] = []

  let indexing = Promise.resolve()
  const index = async (): Promise<void> => {
    while (blocks.length <= node.chain.height || blocks.at(-1) !== node.chain.tip.rhash()) {
      const block = await node.chain.getBlock(blocks.length)
      const last = blocks.length === 0 ? undefined : await node.chain.getBlock(blocks.length - 1)
      if (last?.rhash() !== blocks.at(-1)) {
        // The chain has gone back: a few hundred blocks are soon read again.
        blocks = []
        chain = createBook()
        continue
      }
      if (!block) continue
      for (const tx of block.txs) chain.apply(tx, blocks.length)
      blocks.push(block.rhash())
    }
  }

  return async (): Promise<LedgerView> => {
    // One after the other: who came second saw a mempool without what the block took, and a chain without the block.
    indexing = indexing.catch(() => {}).then(index)
    await indexing
    const { totals, coins, made } = chain
    const pool = createBook(coins)
    for (const tx of inOrder([...node.mempool.map.values()].map((entry) => entry.tx))) pool.apply(tx)
    for (const script of [...totals.keys(), ...pool.totals.keys()]) {
      if (!hashes.has(script)) hashes.set(script, electrumHash(script))
    }
    return {
      height: node.chain.height,
      tipHash: node.chain.tip.rhash(),
      script: (script) => ({
        confirmed: totals.get(script) ?? zero(),
        mempool: pool.totals.get(script) ?? zero(),
        utxos: [
          ...[...coins].filter(([key, coin]) => coin.script === script && !pool.spent.has(key)),
          ...[...pool.coins].filter(([, coin]) => coin.script === script),
        ].map(([, { script: _, ...utxo }]) => utxo),
      }),
      history: (script) => made.filter((coin) => coin.script === script),
      scriptByHash: (wanted) => [...hashes].find(([, known]) => known === wanted)?.[0],
    }
  }
}
