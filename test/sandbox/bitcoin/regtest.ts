import { type AccountName, bitcoinAccounts, type SandboxBitcoinAccount } from './accounts.ts'
import { type BcoinNode, type BcoinTx, bcoin } from './bcoin.ts'
import { createLedger } from './ledger.ts'

const FEE = 1_000n
/** Segwit is active from block 432 of a regtest chain on. */
const FIRST_BLOCKS = 440

const script = (account: SandboxBitcoinAccount) => bcoin.Script.fromRaw(Buffer.from(account.script, 'hex'))

const ringOf = (account: SandboxBitcoinAccount) => {
  const ring = bcoin.KeyRing.fromPrivate(account.privateKey, true)
  ring.witness = account.kind !== 'p2pkh'
  ring.nested = account.kind === 'p2sh'
  ring.refresh()
  return ring
}

const sumOf = (coins: { value: number; script: { toRaw(): Buffer } }[], account: SandboxBitcoinAccount): bigint =>
  coins
    .filter((coin) => coin.script.toRaw().toString('hex') === account.script)
    .reduce((sum, coin) => sum + BigInt(coin.value), 0n)

/** A bcoin full node on regtest, in memory, with helpers to pay between the fixed accounts. */
export const openRegtest = async () => {
  const node: BcoinNode = new bcoin.FullNode({
    network: 'regtest',
    memory: true,
    workers: false,
    listen: false,
    indexAddress: true,
    indexTX: true,
    logLevel: 'none',
    logConsole: false,
    noWallet: true,
    // No HTTP server of its own: the facades are the only doors.
    httpPort: 0,
    httpHost: '127.0.0.1',
  })
  // With every block it asks the system how much memory is used, logged or not: a third of a second in all.
  node.logger.logger.memory = () => {}
  await node.open()
  const look = createLedger(node)

  const mine = async (blocks: number): Promise<void> => {
    const to = bcoin.Address.fromScript(script(bitcoinAccounts.miner))
    for (let index = 0; index < blocks; index += 1) {
      const block = await node.miner.mineBlock(node.chain.tip, to)
      if (!(await node.chain.add(block))) throw new Error('own block refused')
    }
  }

  /**
   * Goes back by `depth` blocks and on by `blocks` on another branch, whose first block holds `transactions` and whose
   * others are empty. As many blocks as before, or fewer, win because the old branch is taken for one with less work.
   */
  const reorganize = async (depth: number, blocks: number, transactions: readonly string[] = []): Promise<void> => {
    const fork = await node.chain.getEntry(node.chain.height - depth)
    const to = bcoin.Address.fromScript(script(bitcoinAccounts.miner))
    let tip = fork
    for (let index = 0; index < blocks; index += 1) {
      const job = await node.miner.cpu.createJob(tip, to)
      job.attempt.items.length = 0
      job.attempt.fees = 0
      for (const txid of index === 0 ? transactions : []) job.attempt.pushTX(signed.get(txid) as BcoinTx)
      job.refresh()
      if (index === blocks - 1) node.chain.tip.chainwork = fork.chainwork
      const entry = await node.chain.add(await job.mineAsync())
      if (!entry) throw new Error('own block refused')
      tip = entry
    }
    if (node.chain.tip.rhash() !== tip.rhash()) throw new Error('the other branch did not win')
  }

  const signed = new Map<string, BcoinTx>()

  /**
   * Signs a payment; what is left goes back to the payer. Gives the transaction id. It is put into the mempool, unless it
   * is to spend what `rival` spends.
   */
  const pay = async (from: AccountName, to: AccountName, amount: bigint, rival?: string): Promise<string> => {
    const payer = bitcoinAccounts[from]
    const view = await look()
    const tx = new bcoin.MTX()
    const spent = new Set(signed.get(String(rival))?.inputs.map(({ prevout }) => `${prevout.txid()}:${prevout.index}`))
    let gathered = 0n
    for (const utxo of rival === undefined ? view.script(payer.script).utxos : view.history(payer.script)) {
      if (rival !== undefined && !spent.has(`${utxo.txid}:${utxo.vout}`)) continue
      const young = from === 'miner' && (utxo.height ?? view.height) > view.height - 100
      if (young || gathered >= amount + FEE) continue
      const found = await coin(utxo.txid, utxo.vout, utxo.height)
      tx.addCoin(found)
      gathered += utxo.value
    }
    if (gathered < amount + FEE) throw new Error(`${from} cannot pay ${amount}`)
    tx.addOutput({ script: script(bitcoinAccounts[to]), value: Number(amount) })
    if (gathered > amount + FEE) tx.addOutput({ script: script(payer), value: Number(gathered - amount - FEE) })
    tx.sign(ringOf(payer))
    const made = tx.toTX()
    signed.set(made.txid(), made)
    if (rival === undefined) await node.mempool.addTX(made)
    return made.txid()
  }

  const coin = async (txid: string, vout: number, height: number | undefined) => {
    const candidates =
      height === undefined
        ? [...node.mempool.map.values()].map((entry) => entry.tx)
        : (await node.chain.getBlock(height)).txs
    const tx = candidates.find((one) => one.txid() === txid)
    if (!tx) throw new Error(`no transaction ${txid}`)
    return bcoin.Coin.fromTX(tx, vout, height ?? -1)
  }

  await mine(FIRST_BLOCKS)
  return {
    look,
    mine,
    reorganize,
    pay,
    blockHash: async (height: number) =>
      height >= 0 && height <= node.chain.height ? (await node.chain.getBlock(height)).rhash() : undefined,
    header: async (height: number) =>
      height >= 0 && height <= node.chain.height
        ? // bcoin appends a transaction count of zero to a bare header.
          (await node.chain.getBlock(height)).toHeaders().toRaw().subarray(0, 80).toString('hex')
        : undefined,
    /** Balances as bcoin's own coin index tells them: in blocks, and with the mempool applied. */
    ownAnswer: async (name: AccountName) => {
      const account = bitcoinAccounts[name]
      const at = [bcoin.Address.fromScript(script(account))]
      return {
        confirmed: sumOf(await node.chain.getCoinsByAddress(at), account),
        total: sumOf(await node.getCoinsByAddress(at), account),
      }
    },
    close: () => node.close(),
  }
}

export type Regtest = Awaited<ReturnType<typeof openRegtest>>
