import { blockFile } from '../recorded/chain-tips.ts'
import type { Recordings } from '../recorded/recordings.ts'
import { decodeCb58 } from '../wire/binary-text.ts'
import { readAtomicTransfers } from './atomic-transfers.ts'
import type { EvmBlock, EvmReceipt } from './evm-chain.ts'
import type { CallFrame, EvmTraces } from './evm-traces.ts'

/** Native balances, nonces and code at any height, replayed from recorded traces, receipts and atomic transactions. */
export interface EvmState {
  /** wei */
  balance(account: string, height: number): bigint
  nonce(account: string, height: number): bigint
  /** Hex of the deployed code, `0x` for none. */
  code(account: string, height: number): string
  /** Everybody who ever owned the native coin, hex in lower case. */
  owners(): string[]
}

/** Values that change over time, per account the heights of the changes in order. */
class Timeline<T> {
  private readonly changes = new Map<string, [height: number, value: T][]>()

  set(account: string, height: number, value: T): void {
    const list = this.changes.get(account) ?? []
    const last = list.at(-1)
    if (last?.[0] === height) last[1] = value
    else list.push([height, value])
    this.changes.set(account, list)
  }

  at(account: string, height: number): T | undefined {
    const list = this.changes.get(account) ?? []
    return list.findLast(([changed]) => changed <= height)?.[1]
  }

  accounts(): string[] {
    return [...this.changes.keys()]
  }

  latest(account: string): T | undefined {
    return this.changes.get(account)?.at(-1)?.[1]
  }
}

interface Replayed {
  balances: Timeline<bigint>
  nonces: Timeline<bigint>
  codes: Timeline<string>
}

const WEI_PER_NAVAX = 1_000_000_000n
const MOVES_VALUE = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])
const CREATES = new Set(['CREATE', 'CREATE2'])

/** A precompile that comes with an upgrade is an account from the first block of that upgrade on. */
const WARP_PRECOMPILE = '0x0200000000000000000000000000000000000005'

interface Genesis {
  cChainGenesis: string
}

interface GenesisAccount {
  balance?: string
  code?: string
  nonce?: string
}

function add(state: Replayed, account: string, height: number, amount: bigint): void {
  if (amount !== 0n) state.balances.set(account, height, (state.balances.latest(account) ?? 0n) + amount)
}

/** What ends a creation before its creator's nonce is counted up. */
const NOT_BEGUN = new Set(['max call depth exceeded', 'insufficient balance for transfer', 'nonce uint64 overflow'])

function countCreation(state: Replayed, creator: string, height: number): void {
  state.nonces.set(creator, height, (state.nonces.latest(creator) ?? 0n) + 1n)
}

/** A frame that failed moved nothing, nor did anything it called; who tried to create has used up a nonce all the same. */
function applyFrame(state: Replayed, frame: CallFrame, height: number, top: boolean): void {
  if (frame.error !== undefined) {
    if (!top && CREATES.has(frame.type) && !NOT_BEGUN.has(frame.error)) countCreation(state, frame.from, height)
    return
  }
  const value = BigInt(frame.value ?? 0)
  const target = frame.to
  if (MOVES_VALUE.has(frame.type) && target !== undefined) {
    add(state, frame.from, height, -value)
    add(state, target, height, value)
  }
  if (CREATES.has(frame.type) && target !== undefined) {
    state.codes.set(target, height, frame.output ?? '0x')
    state.nonces.set(target, height, 1n)
    if (!top) countCreation(state, frame.from, height)
  }
  for (const call of frame.calls ?? []) applyFrame(state, call, height, false)
}

function applyTransaction(state: Replayed, block: EvmBlock, receipt: EvmReceipt, index: number, height: number): void {
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  add(state, receipt.from, height, -fee)
  add(state, block.miner, height, fee)
  state.nonces.set(receipt.from, height, BigInt(block.transactions[index]?.nonce ?? 0) + 1n)
}

function startFromGenesis(recordings: Recordings): Replayed {
  const state: Replayed = { balances: new Timeline(), nonces: new Timeline(), codes: new Timeline() }
  const { cChainGenesis } = recordings.json<Genesis>('network/genesis.json')
  const { alloc } = JSON.parse(cChainGenesis) as { alloc: Record<string, GenesisAccount> }
  for (const [name, account] of Object.entries(alloc)) {
    const address = `0x${name.replace(/^0x/, '').toLowerCase()}`
    add(state, address, 0, BigInt(account.balance ?? 0))
    if (account.code !== undefined) state.codes.set(address, 0, account.code.toLowerCase())
  }
  return state
}

/** When warp messages came, unix seconds. */
function warpSince(recordings: Recordings): number {
  const { upgrades } = recordings.json<{ upgrades?: { durangoTime?: string } }>('network/network.json')
  return Date.parse(upgrades?.durangoTime ?? '') / 1000
}

function replay(recordings: Recordings, traces: EvmTraces, avaxAssetID: string): Replayed {
  const state = startFromGenesis(recordings)
  const since = warpSince(recordings)
  const avax = Buffer.from(decodeCb58(avaxAssetID)).toString('hex')
  let height = 0
  for (const line of recordings.lines(blockFile('C'))) {
    const { block, receipts } = JSON.parse(line) as { block: EvmBlock; receipts: EvmReceipt[] }
    if (Number(block.timestamp) >= since && state.codes.latest(WARP_PRECOMPILE) === undefined) {
      state.codes.set(WARP_PRECOMPILE, height, '0x01')
      state.nonces.set(WARP_PRECOMPILE, height, 1n)
    }
    const frames = receipts.length === 0 ? [] : traces.frames(height)
    for (const [index, receipt] of receipts.entries()) {
      applyTransaction(state, block, receipt, index, height)
      const frame = frames[index]
      if (frame !== undefined) applyFrame(state, frame, height, true)
    }
    for (const transfer of readAtomicTransfers(block.blockExtraData ?? '0x')) {
      if (transfer.asset === avax) add(state, transfer.account, height, transfer.amount * WEI_PER_NAVAX)
      if (transfer.nonceAfter !== undefined) state.nonces.set(transfer.account, height, transfer.nonceAfter)
    }
    height++
  }
  return state
}

export function createEvmState(recordings: Recordings, traces: EvmTraces, avaxAssetID: string): EvmState {
  let replayed: Replayed | undefined
  const state = (): Replayed => {
    replayed ??= replay(recordings, traces, avaxAssetID)
    return replayed
  }
  return {
    balance: (account, height) => state().balances.at(account, height) ?? 0n,
    nonce: (account, height) => state().nonces.at(account, height) ?? 0n,
    code: (account, height) => state().codes.at(account, height) ?? '0x',
    owners: () => state().balances.accounts(),
  }
}
