import { type Hex, serializeTransaction } from 'viem'
import { type Anvil, startAnvil } from './anvil.ts'

/** A transaction as `eth_getBlockByNumber` gives it. */
interface RecordedTransaction {
  hash: string
  from: string
  to: Hex | null
  nonce: string
  gas: string
  value: string
  input: Hex
  type: string
  gasPrice: string
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
  accessList?: { address: Hex; storageKeys: Hex[] }[]
  v: string
  r: Hex
  s: Hex
}

export interface RecordedReceipt {
  transactionHash: string
  from: string
  to: string | null
  gasUsed: string
  /** wei */
  effectiveGasPrice: string
  logs: { address: string; topics: string[]; data: string }[]
}

export interface RecordedEvmBlock {
  block: { number: string; timestamp: string; gasLimit: string; miner: string; transactions: RecordedTransaction[] }
  receipts: RecordedReceipt[]
}

/** What each sender starts with, wei. */
export const STARTING_BALANCE = 10n ** 24n
/** Base fee of every block, wei. */
export const BASE_FEE = 1n

const types: Record<string, string> = { '0x0': 'legacy', '0x1': 'eip2930', '0x2': 'eip1559' }

/** The signed bytes again. */
function rawTransaction(recorded: RecordedTransaction, chainId: number): Hex {
  const fees =
    recorded.type === '0x2'
      ? {
          maxFeePerGas: BigInt(recorded.maxFeePerGas ?? 0),
          maxPriorityFeePerGas: BigInt(recorded.maxPriorityFeePerGas ?? 0),
        }
      : { gasPrice: BigInt(recorded.gasPrice) }
  const transaction = {
    type: types[recorded.type],
    chainId,
    nonce: Number(recorded.nonce),
    gas: BigInt(recorded.gas),
    value: BigInt(recorded.value),
    data: recorded.input,
    ...(recorded.to && { to: recorded.to }),
    ...(recorded.accessList && { accessList: recorded.accessList }),
    ...fees,
  }
  const v = BigInt(recorded.v)
  const signature = recorded.type === '0x0' ? { v } : { yParity: Number(v) }
  return serializeTransaction(
    transaction as Parameters<typeof serializeTransaction>[0],
    { r: recorded.r, s: recorded.s, ...signature } as Parameters<typeof serializeTransaction>[1],
  )
}

/**
 * A local chain on which every transaction of recorded blocks ran again, in the same order: the same contracts at the
 * same addresses with the same storage. Native balances are not the recorded ones (imports from other chains are no EVM
 * transactions, and what L1s make of their coin is made by no code): senders start with `STARTING_BALANCE`; set what is
 * needed with `anvil_setBalance`. Whoever gets the fees is who got them.
 */
export async function startRecordedEvm(chainId: number, blocks: readonly RecordedEvmBlock[]): Promise<Anvil> {
  const anvil = await startAnvil({
    chainId,
    gasLimit: 2_000_000_000,
    // The recorded fees were paid at a base fee of 1 wei; the wide gas limit keeps it there.
    // Nobody owns anything whom the recorded blocks do not name.
    args: [
      ...['--no-mining', '--order', 'fifo', '--block-base-fee-per-gas', String(BASE_FEE), '--hardfork', 'cancun'],
      ...['--balance', '0'],
    ],
  })
  try {
    const senders = new Set(blocks.flatMap(({ block }) => block.transactions.map(({ from }) => from)))
    for (const sender of senders) await anvil.rpc('anvil_setBalance', [sender, `0x${STARTING_BALANCE.toString(16)}`])
    let miner: string | undefined
    for (const { block } of blocks) {
      if (block.transactions.length === 0) continue
      for (const recorded of block.transactions) {
        const hash = await anvil.rpc('eth_sendRawTransaction', [rawTransaction(recorded, chainId)])
        if (hash !== recorded.hash) throw new Error(`transaction ${recorded.hash} became ${hash}`)
      }
      if (block.miner !== miner) await anvil.rpc('anvil_setCoinbase', [block.miner])
      miner = block.miner
      await anvil.rpc('evm_mine')
    }
    await anvil.rpc('evm_setAutomine', [true])
    return anvil
  } catch (error) {
    await anvil.stop()
    throw error
  }
}
