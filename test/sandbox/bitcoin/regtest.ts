import { type AccountName, bitcoinAccounts, type SandboxBitcoinAccount } from './accounts.ts'
import { type BcoinNode, bcoin } from './bcoin.ts'
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
  await node.open()
  const look = createLedger(node)

  const mine = async (blocks: number): Promise<void> => {
    const to = bcoin.Address.fromScript(script(bitcoinAccounts.miner))
    for (let index = 0; index < blocks; index += 1) {
      const block = await node.miner.mineBlock(node.chain.tip, to)
      if (!(await node.chain.add(block))) throw new Error('own block refused')
    }
  }

  /** Puts a payment into the mempool; what is left goes back to the payer. Gives the transaction id. */
  const pay = async (from: AccountName, to: AccountName, amount: bigint): Promise<string> => {
    const payer = bitcoinAccounts[from]
    const view = await look()
    const tx = new bcoin.MTX()
    let gathered = 0n
    for (const utxo of view.script(payer.script).utxos) {
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
    const signed = tx.toTX()
    await node.mempool.addTX(signed)
    return signed.txid()
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
