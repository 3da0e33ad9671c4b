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
      coins.set(`${txid}:${vout}`, { txid, vout, value, script, ...(height === undefined ? {} : { height }) })
    }
    for (const script of touched) of(script).txCount += 1
  }
  return { totals, coins, spent, apply }
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
  const chain = createBook()
  const hashes = new Map<string, string>()
  let indexed = -1

  let indexing = Promise.resolve()
  const index = async (): Promise<void> => {
    while (indexed < node.chain.height) {
      const { txs } = await node.chain.getBlock(indexed + 1)
      indexed += 1
      for (const tx of txs) chain.apply(tx, indexed)
    }
  }

  return async (): Promise<LedgerView> => {
    // One after the other: who came second saw a mempool without what the block took, and a chain without the block.
    indexing = indexing.catch(() => {}).then(index)
    await indexing
    const pool = createBook(chain.coins)
    for (const tx of inOrder([...node.mempool.map.values()].map((entry) => entry.tx))) pool.apply(tx)
    for (const script of [...chain.totals.keys(), ...pool.totals.keys()]) {
      if (!hashes.has(script)) hashes.set(script, electrumHash(script))
    }
    return {
      height: node.chain.height,
      tipHash: node.chain.tip.rhash(),
      script: (script) => ({
        confirmed: chain.totals.get(script) ?? zero(),
        mempool: pool.totals.get(script) ?? zero(),
        utxos: [
          ...[...chain.coins].filter(([key, coin]) => coin.script === script && !pool.spent.has(key)),
          ...[...pool.coins].filter(([, coin]) => coin.script === script),
        ].map(([, { script: _, ...utxo }]) => utxo),
      }),
      scriptByHash: (wanted) => [...hashes].find(([, known]) => known === wanted)?.[0],
    }
  }
}
