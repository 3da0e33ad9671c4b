import type { Anvil } from '../support/evm/anvil.ts'
import { BASE_FEE, type RecordedEvmBlock, type RecordedReceipt, STARTING_BALANCE } from '../support/evm/recorded-evm.ts'
import type { Recordings } from '../support/replay-node/recorded/recordings.ts'

/** subnet-evm's precompile that makes the native coin, and its `NativeCoinMinted(sender, recipient, amount)`. */
const NATIVE_MINTER = '0x0200000000000000000000000000000000000001'
const NATIVE_COIN_MINTED = '0x400cd392f3d56fd10bb1dbd5839fdda8298208ddaa97b368faa053e1850930ee'

/**
 * What everybody owns of an L1's native coin at the end of the recorded blocks, wei by address in lower case, where that
 * is not what the rebuilt chain has come to: it gave senders what they needed, at fees of its own, and its code makes no
 * coins. Whoever neither sent anything, nor was given any at the beginning, by the minter or as a fee has what he has there.
 *
 * @param genesis what the L1's genesis gave out, wei by address
 */
export async function l1Balances(
  rebuilt: Anvil,
  recorded: readonly RecordedEvmBlock[],
  genesis: ReadonlyMap<string, bigint>,
): Promise<ReadonlyMap<string, bigint>> {
  const differences = new Map<string, bigint>()
  const add = (account: string, amount: bigint): void => {
    const address = account.toLowerCase()
    differences.set(address, (differences.get(address) ?? 0n) + amount)
  }
  for (const [account, amount] of genesis) add(account, amount)
  for (const sender of new Set(recorded.flatMap(({ receipts }) => receipts.map(({ from }) => from))))
    add(sender, -STARTING_BALANCE)
  const again = await receiptsOf(rebuilt)
  for (const { block, receipts } of recorded)
    for (const receipt of receipts) {
      const run = again.get(receipt.transactionHash)
      if (run === undefined) throw new Error(`transaction ${receipt.transactionHash} did not run again`)
      add(receipt.from, feeOf(run) - feeOf(receipt))
      // A rebuilt block burns its base fee.
      add(block.miner, feeOf(receipt) - (feeOf(run) - BigInt(run.gasUsed) * BASE_FEE))
      for (const { recipient, amount } of receipt.logs.flatMap(mintOf)) add(recipient, amount)
    }
  const balances = new Map<string, bigint>()
  for (const [account, difference] of differences) {
    const balance = BigInt(await rebuilt.rpc('eth_getBalance', [account, 'latest'])) + difference
    if (balance < 0n) throw new Error(`${account} would own ${balance} wei`)
    balances.set(account, balance)
  }
  return balances
}

async function receiptsOf(rebuilt: Anvil): Promise<Map<string, RecordedReceipt>> {
  const tip = Number(await rebuilt.rpc('eth_blockNumber'))
  const found = new Map<string, RecordedReceipt>()
  for (let height = 1; height <= tip; height++)
    for (const receipt of await rebuilt.rpc<RecordedReceipt[]>('eth_getBlockReceipts', [`0x${height.toString(16)}`]))
      found.set(receipt.transactionHash, receipt)
  return found
}

const feeOf = ({ gasUsed, effectiveGasPrice }: RecordedReceipt): bigint => BigInt(gasUsed) * BigInt(effectiveGasPrice)

function mintOf({ address, topics, data }: RecordedReceipt['logs'][number]): { recipient: string; amount: bigint }[] {
  const [event, , recipient] = topics
  if (address.toLowerCase() !== NATIVE_MINTER || event !== NATIVE_COIN_MINTED || recipient === undefined) return []
  return [{ recipient: `0x${recipient.slice(-40)}`, amount: BigInt(data) }]
}

interface ChainCreation {
  id: string
  json: { unsignedTx: { genesisData?: string } }
}

/** What the transaction that created an L1 gave out, wei by address. Throws where it was not recorded. */
export function l1Genesis(recordings: Recordings, blockchainID: string): ReadonlyMap<string, bigint> {
  for (const line of recordings.lines('network/p-txs.ndjson.gz')) {
    if (!line.includes(`"id":"${blockchainID}"`)) continue
    const { id, json } = JSON.parse(line) as ChainCreation
    if (id !== blockchainID || json.unsignedTx.genesisData === undefined) continue
    const genesis = Buffer.from(json.unsignedTx.genesisData, 'base64').toString()
    const { alloc = {} } = JSON.parse(genesis) as { alloc?: Record<string, { balance?: string }> }
    return new Map(
      Object.entries(alloc).map(([name, { balance = '0' }]) => [`0x${name.replace(/^0x/, '')}`, BigInt(balance)]),
    )
  }
  throw new Error(`what ${blockchainID} began with was not recorded`)
}
