import { chainNumber } from '../../codes.ts'
import type { PrimaryRows, RangeRows } from '../../rows/index.ts'
import { assetNumbers } from '../asset-numbers.ts'
import { evmInsertions } from '../evm/write-evm.ts'
import type { StreamTarget } from '../stream-rows.ts'
import { homeInsertions, type UtxoScope } from '../utxos/create-utxos.ts'
import { type PlannedUtxo, planUtxos, type UtxoPlan } from '../utxos/utxo-plan.ts'
import { blockInsertions } from '../write-blocks.ts'
import type { Insertion } from './send-rows.ts'

/** The part of a range that can be computed without the database: most of what it sends. */
export interface RangePlan {
  primary?: PrimaryPlan
  evm?: Insertion[]
}

export interface PrimaryPlan {
  /** The number of the first transaction, which `blocks` were built with. */
  first: bigint
  blocks: Insertion[]
  utxos: UtxoPlan
  home: PlannedUtxo[]
  exported: PlannedUtxo[]
  /** Left out while an asset has no number. */
  outputs?: Insertion[]
}

/** @param numbers known numbers of the network's assets */
export function planRange(stream: StreamTarget, numbers: ReadonlyMap<string, number>, rows: RangeRows): RangePlan {
  const { primary, evm } = rows
  const { primary: scope, transactions } = stream
  return {
    ...(primary === undefined || scope === undefined
      ? {}
      : { primary: planPrimary(scope, transactions, numbers, primary) }),
    ...(evm === undefined ? {} : { evm: evmInsertions(stream, evm) }),
  }
}

function planPrimary(
  scope: UtxoScope,
  first: bigint,
  numbers: ReadonlyMap<string, number>,
  rows: PrimaryRows,
): PrimaryPlan {
  const utxos = planUtxos(scope.letter, rows)
  const home = utxos.created.filter(({ row }) => row.exportedTo === undefined)
  const exported = utxos.created.filter(({ row }) => row.exportedTo !== undefined)
  const numbered = home.every(({ row }) => numbers.has(row.assetId))
  return {
    first,
    blocks: blockInsertions(chainNumber(scope.network, scope.letter), first, rows),
    utxos,
    home,
    exported,
    ...(numbered ? { outputs: homeInsertions(scope, assetNumbers(numbers), home) } : {}),
  }
}
