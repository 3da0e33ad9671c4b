import type { Utxo } from '../../chains/avalanche/codec/index.ts'
import { idToCb58 } from '../../lib/bytes/ids.ts'
import { readAllUtxos } from './all-utxos.ts'
import type { Ask } from './ask.ts'
import { recordIn, textIn } from './members.ts'

/** Amounts by asset: decimal strings, sorted by cb58 id. */
type Amounts = Readonly<Record<string, string>>

/** A node's answer to platform.getBalance. The singular members are AVAX. */
export interface PlatformBalance {
  readonly [name: string]: string | Amounts | readonly { txID: string; outputIndex: number }[] | null
}

const MAX_UINT64 = 18_446_744_073_709_551_615n

type State = 'unlocked' | 'lockedStakeable' | 'lockedNotStakeable'
type Sums = Map<string, bigint>

/** A node adds in 64 bits and saturates. */
const add = (sums: Sums, asset: string, amount: bigint): void => {
  const sum = (sums.get(asset) ?? 0n) + amount
  sums.set(asset, sum > MAX_UINT64 ? MAX_UINT64 : sum)
}

/** Undefined = an output without an amount. `now` in unix seconds, because the node uses its clock. */
function stateOf({ output }: Utxo, now: bigint): { state: State; amount: bigint } | undefined {
  if (output.type === 'secp-transfer')
    return { state: output.locktime <= now ? 'unlocked' : 'lockedNotStakeable', amount: output.amount }
  if (output.type !== 'stakeable-lock') return undefined
  const { amount, locktime } = output.output
  // The inner lock has precedence: what it locks cannot even be staked.
  if (locktime > now) return { state: 'lockedNotStakeable', amount }
  return { state: output.locktime <= now ? 'unlocked' : 'lockedStakeable', amount }
}

const amountsOf = (sums: Sums): Amounts =>
  Object.fromEntries(
    [...sums]
      .map(([asset, sum]): [string, string] => [idToCb58(asset), String(sum)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

interface Tally {
  sums: Record<State, Sums>
  total: Sums
  utxoIDs: { txID: string; outputIndex: number }[]
}

function tally(utxos: readonly Utxo[], now: bigint): Tally {
  const sums = {
    unlocked: new Map(),
    lockedStakeable: new Map(),
    lockedNotStakeable: new Map(),
  } satisfies Tally['sums']
  const result: Tally = { sums, total: new Map(), utxoIDs: [] }
  for (const utxo of utxos) {
    const found = stateOf(utxo, now)
    if (found === undefined) continue
    add(result.sums[found.state], utxo.assetId, found.amount)
    add(result.total, utxo.assetId, found.amount)
    result.utxoIDs.push({ txID: idToCb58(utxo.txId), outputIndex: utxo.outputIndex })
  }
  return result
}

/**
 * `platform.getBalance` from the UTXOs of the addresses, as nodes compute it: outputs that need further signatures
 * count, stakes do not.
 * @param now unix seconds
 * @throws errors of `ask` (a bad address in the node's words); BadAnswerError.
 */
export async function composePlatformBalance(
  ask: Ask,
  addresses: readonly string[],
  now: bigint,
): Promise<PlatformBalance> {
  const [staking, utxos] = await Promise.all([ask('platform.getStakingAssetID', {}, 'P'), readAllUtxos(ask, addresses)])
  const avax = textIn(recordIn(staking, 'platform.getStakingAssetID'), 'assetID')
  const { sums, total, utxoIDs } = tally(utxos, now)
  const balances = amountsOf(total)
  const unlockeds = amountsOf(sums.unlocked)
  const lockedStakeables = amountsOf(sums.lockedStakeable)
  const lockedNotStakeables = amountsOf(sums.lockedNotStakeable)
  return {
    balance: balances[avax] ?? '0',
    unlocked: unlockeds[avax] ?? '0',
    lockedStakeable: lockedStakeables[avax] ?? '0',
    lockedNotStakeable: lockedNotStakeables[avax] ?? '0',
    balances,
    unlockeds,
    lockedStakeables,
    lockedNotStakeables,
    utxoIDs: utxoIDs.length === 0 ? null : utxoIDs,
  }
}
