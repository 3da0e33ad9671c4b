import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Hex, serializeTransaction } from 'viem'
import { keptFile } from '../programs/kept-file.ts'
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

const require = createRequire(import.meta.url)

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
 *
 * The first time that takes as long as all other chains of the sandbox; then the chain is kept as it was.
 */
export async function startRecordedEvm(chainId: number, blocks: readonly RecordedEvmBlock[]): Promise<Anvil> {
  let made: Anvil | undefined
  const makeState = async (): Promise<Uint8Array> => {
    const anvil = await startEmpty(chainId)
    const state = await orStop(anvil, runAgain(anvil, blocks))
    made = anvil
    return Buffer.from(state)
  }
  const file = await keptFile(`chain-${nameOf(chainId, blocks)}.txt`, makeState).catch((error: unknown) => {
    // It runs, wherever it could not be kept.
    if (made === undefined) throw error
    return ''
  })
  if (made !== undefined) return made
  const anvil = await startEmpty(chainId)
  return orStop(anvil, loaded(anvil, await readFile(file, 'utf8')))
}

/** The program that runs them, these lines and what runs. */
function nameOf(chainId: number, blocks: readonly RecordedEvmBlock[]): string {
  const hash = createHash('sha256').update(String(chainId))
  for (const file of [new URL(import.meta.url), require.resolve('@foundry-rs/anvil/package.json')])
    hash.update(readFileSync(file))
  for (const { block } of blocks) {
    hash.update(block.miner)
    for (const transaction of block.transactions) hash.update(transaction.hash)
  }
  return hash.digest('hex').slice(0, 16)
}

const startEmpty = (chainId: number): Promise<Anvil> =>
  startAnvil({
    chainId,
    gasLimit: 2_000_000_000,
    // The recorded fees were paid at a base fee of 1 wei; the wide gas limit keeps it there.
    // Nobody owns anything whom the recorded blocks do not name.
    args: [
      ...['--no-mining', '--order', 'fifo', '--block-base-fee-per-gas', String(BASE_FEE), '--hardfork', 'cancun'],
      ...['--balance', '0'],
    ],
  })

async function orStop<T>(anvil: Anvil, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

async function loaded(anvil: Anvil, state: string): Promise<Anvil> {
  await anvil.rpc('anvil_loadState', [state])
  await anvil.rpc('evm_setAutomine', [true])
  return anvil
}

/**
 * Exports from C are no EVM transactions, and each counts as one of the account's: between blocks nonces may move on.
 * Where they did not, a transaction would wait for ever, and its contract would never be there.
 */
async function followNonces(anvil: Anvil, transactions: readonly RecordedTransaction[], next: Map<string, number>) {
  for (const { from, nonce } of transactions) {
    if (Number(nonce) !== (next.get(from) ?? 0)) await anvil.rpc('anvil_setNonce', [from, nonce])
    next.set(from, Number(nonce) + 1)
  }
}

/** Gives all of the chain as anvil tells it, hex. */
async function runAgain(anvil: Anvil, blocks: readonly RecordedEvmBlock[]): Promise<string> {
  const senders = new Set(blocks.flatMap(({ block }) => block.transactions.map(({ from }) => from)))
  for (const sender of senders) await anvil.rpc('anvil_setBalance', [sender, `0x${STARTING_BALANCE.toString(16)}`])
  let miner: string | undefined
  const nonces = new Map<string, number>()
  for (const { block } of blocks) {
    if (block.transactions.length === 0) continue
    await followNonces(anvil, block.transactions, nonces)
    for (const recorded of block.transactions) {
      const hash = await anvil.rpc('eth_sendRawTransaction', [rawTransaction(recorded, anvil.chainId)])
      if (hash !== recorded.hash) throw new Error(`transaction ${recorded.hash} became ${hash}`)
    }
    if (block.miner !== miner) await anvil.rpc('anvil_setCoinbase', [block.miner])
    miner = block.miner
    await anvil.rpc('evm_mine')
  }
  await anvil.rpc('evm_setAutomine', [true])
  return anvil.rpc('anvil_dumpState')
}
