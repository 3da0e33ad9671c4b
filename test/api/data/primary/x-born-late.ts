import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { balanceRoutes } from '../../../../src/api/data/primary/balances.ts'
import { lastActivityRoutes } from '../../../../src/api/data/primary/last-activity.ts'
import { utxoRoutes } from '../../../../src/api/data/primary/utxos.ts'
import { createAvalancheNetwork } from '../../../../src/chains/avalanche/index.ts'
import { FIRST_X_BLOCKS } from '../../../../src/facts/first-x-blocks.ts'
import { idFromCb58 } from '../../../../src/lib/bytes/ids.ts'
import { createCMemories, createOlderOutputs } from '../../../../src/services/node-outputs/index.ts'
import { utxoBytes } from '../../../../src/services/utxo-bytes/index.ts'
import { letters } from '../../../../src/store/codes.ts'
import type { Stage } from '../../../indexer/stage.ts'
import { recordedJson, recordedLines } from '../../../support/recorded/recordings.ts'
import { startDataApi } from '../data-app.ts'
import type { Letter } from '../recorded-truth.ts'

/*
 * The public networks' X had no blocks before Cortina. Here the recorded network's loses its first 120: what they did is
 * taken out of an index that had it, as if it had never been read, and what was answered before has to be answered again.
 */
export const LAST_LOST = 120
export const OPEN = '9223372036854775807'
const { chains, avaxAssetID } = recordedJson<{ chains: Record<Letter, string>; avaxAssetID: string }>('network')
const blocks = recordedLines<{ chain: Letter; height: number; timestamp: number }>('truth/blocks')
export const FIRST = blocks.find(({ chain, height }) => chain === 'X' && height === LAST_LOST + 1)?.timestamp as number

/** From here on X counts as one that had no blocks before. */
export function bornLate(): void {
  const all = FIRST_X_BLOCKS as Map<string, bigint>
  const id = idFromCb58(chains.X)
  all.set(id, BigInt(FIRST))
  onTestFinished(() => void all.delete(id))
}

/** Leaves of the index what it had if X had begun behind its lost blocks. */
export async function loseBlocks({ sql }: Stage): Promise<void> {
  const X = letters.number('X')
  const lost = `chain = ${X} and created_height between 1 and ${LAST_LOST}`
  const born = `chain = ${X} and created_height = 0`
  const spent = `consumable_on = ${X} and consumed_height <= ${LAST_LOST}`
  const entriesOf = (which: string) => `utxo in (select utxo from utxo where ${which})`
  await sql(`delete from utxo_owner where ${entriesOf(lost)}`)
  await sql(`delete from utxo where ${lost} and (consumed_by is null or (${spent}))`)
  await sql(`update utxo set asset = null, kind = null, amount = null, addresses = null, threshold = null, locktime = null,
    stakeable_locktime = null, chain = null, consumable_on = null, created_height = null, created_time = null,
    group_id = null, payload = null where ${lost}`)
  await sql(`update utxo_owner set consumed_time = ${OPEN} where ${entriesOf(spent)}`)
  await sql(
    `update utxo set consumed_by = null, consumed_height = null, consumed_time = null, signatures = null where ${spent}`,
  )
  await sql(`update asset set name = null, symbol = null, denomination = null, type = null
    where height between 1 and ${LAST_LOST}`)
  await sql(`update utxo_owner set created_time = ${FIRST} where ${entriesOf(born)}`)
  await sql(`update utxo set created_time = ${FIRST} where ${born}`)
}

/** The indexed API over what a stage holds and asks. */
export async function serve(
  { store, pool }: Pick<Stage, 'store' | 'pool'>,
  isIndexed = (_stream: string) => true,
  maxIndexAgeMs = Number.POSITIVE_INFINITY,
): Promise<FastifyInstance> {
  const network = createAvalancheNetwork({ pool })
  const { hrp } = await network.facts()
  const index = store.reader
  const deps = {
    index,
    identity: async () => ({ hrp, blockchainIds: chains, avaxAssetId: avaxAssetID }),
    cMemories: createCMemories({ index, networks: { testnet: network }, patienceMs: 200 }),
    older: createOlderOutputs({ index, networks: { testnet: network }, isIndexed, patienceMs: 200 }),
    describeAssets: async (_side: string, ids: ReadonlySet<string>) => {
      const told = await network.assets.describe(ids, {})
      return new Map(
        [...told].map(([id, found]) => [
          id,
          found instanceof Error ? found : { name: found.name, symbol: found.symbol, denomination: found.decimals },
        ]),
      )
    },
    isIndexed,
    maxIndexAgeMs,
    now: Date.now,
    bytesOf: utxoBytes,
    proofsOf: async () => new Map(),
  }
  const app = await startDataApi([
    ...utxoRoutes(deps),
    ...balanceRoutes({ ...deps, edge: 'strict' }),
    ...lastActivityRoutes(deps),
  ])
  onTestFinished(() => app.close())
  return app
}
