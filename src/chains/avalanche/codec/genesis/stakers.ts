import { bytesToHex, EMPTY_ID } from '../../../../lib/bytes/ids.ts'
import type { Output, TransferableOutput } from '../outputs.ts'
import { assemblePTx, type PTx } from '../p/txs.ts'
import type { GenesisAllocation, GenesisConfig, GenesisStaker } from './config.ts'

/** One locked or free amount of one owner, nAVAX. */
export interface GenesisAmount {
  locktime: bigint
  amount: bigint
  address: Uint8Array
}

/** Locks that still run at the genesis become stakeable; other outputs are plain. */
export function genesisOutput(entry: GenesisAmount, startTime: bigint): TransferableOutput['output'] & Output {
  const plain = {
    type: 'secp-transfer' as const,
    amount: entry.amount,
    locktime: 0n,
    threshold: 1,
    addresses: [entry.address],
  }
  if (entry.locktime <= startTime) return plain
  return { type: 'stakeable-lock', locktime: entry.locktime, output: plain }
}

/** The validators of the genesis as transactions, in the order of the genesis bytes. */
export function genesisValidators(config: GenesisConfig, assetId: string): PTx[] {
  const staked = config.allocations.filter((entry) => config.initialStakedFunds.has(bytesToHex(entry.address)))
  const shares = shareOut(staked, config.initialStakers.length)
  const heap: { tx: PTx; end: number }[] = []
  config.initialStakers.forEach((staker, i) => {
    const end = config.startTime + config.initialStakeDuration - i * config.initialStakeDurationOffset
    pushToHeap(heap, { tx: validatorTx(config, staker, end, shares[i] ?? [], assetId), end })
  })
  return heap.map((entry) => entry.tx)
}

/**
 * Gives the stakers equal parts of the staked funds, one after the other, in the order of the configuration; the last
 * one takes the remainder of the division.
 */
function shareOut(staked: readonly GenesisAllocation[], stakers: number): GenesisAmount[][] {
  if (stakers === 0) return []
  const total = staked.reduce((sum, entry) => entry.unlockSchedule.reduce((part, lock) => part + lock.amount, sum), 0n)
  const part = total / BigInt(stakers)
  const shares: GenesisAmount[][] = [[]]
  let room = part
  for (const { address, unlockSchedule } of staked) {
    for (const { amount, locktime } of unlockSchedule) {
      let rest = amount
      while (rest > room && shares.length < stakers) {
        shares.at(-1)?.push({ locktime, amount: room, address })
        rest -= room
        shares.push([])
        room = part
      }
      if (rest === 0n) continue
      shares.at(-1)?.push({ locktime, amount: rest, address })
      room -= rest
    }
  }
  return shares.map((share) => share.toSorted(byLocktimeAmountAddress))
}

function byLocktimeAmountAddress(a: GenesisAmount, b: GenesisAmount): number {
  if (a.locktime !== b.locktime) return a.locktime < b.locktime ? -1 : 1
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1
  return Buffer.compare(a.address, b.address)
}

function validatorTx(
  config: GenesisConfig,
  staker: GenesisStaker,
  end: number,
  share: readonly GenesisAmount[],
  assetId: string,
): PTx {
  const start = BigInt(config.startTime)
  const base = { networkId: config.networkId, blockchainId: EMPTY_ID, outputs: [], inputs: [], memo: new Uint8Array(0) }
  const stakeOutputs = share.map((entry) => ({ assetId, output: genesisOutput(entry, start) }))
  const weight = share.reduce((sum, entry) => sum + entry.amount, 0n)
  const validator = { nodeId: staker.nodeId, start, end: BigInt(end), weight }
  const owner = { type: 'output-owners' as const, locktime: 0n, threshold: 1, addresses: [staker.rewardAddress] }
  const common = { ...base, validator, stakeOutputs, delegationShares: staker.delegationFee }
  if (!staker.signer) return assemblePTx({ type: 'AddValidatorTx', ...common, rewardsOwner: owner }, [])
  return assemblePTx(
    {
      type: 'AddPermissionlessValidatorTx',
      ...common,
      subnetId: EMPTY_ID,
      signer: { type: 'proof-of-possession', ...staker.signer },
      validatorRewardsOwner: owner,
      delegatorRewardsOwner: owner,
    },
    [],
  )
}

/** Genesis validators that were read one by one, in genesis order; equal ends keep the order of `txs`. */
export function genesisOrder(txs: readonly PTx[]): PTx[] {
  const heap: { tx: PTx; end: number }[] = []
  const ends = txs.map((tx) => ({ tx, end: 'validator' in tx.unsignedTx ? Number(tx.unsignedTx.validator.end) : 0 }))
  // The configuration lists them with falling ends.
  for (const entry of ends.toSorted((a, b) => b.end - a.end)) pushToHeap(heap, entry)
  return heap.map(({ tx }) => tx)
}

/** The node keeps its validators in a binary heap, earliest end first, and writes the heap's array unchanged. */
function pushToHeap<T extends { end: number }>(heap: T[], entry: T): void {
  heap.push(entry)
  let child = heap.length - 1
  while (child > 0) {
    const parent = (child - 1) >> 1
    const above = heap[parent]
    if (above === undefined || entry.end >= above.end) break
    heap[child] = above
    heap[parent] = entry
    child = parent
  }
}
