/**
 * Writes ranges of blocks into the index: each in one transaction with its progress, column by column as arrays.
 * Nothing here interprets a block; it keeps rows, intervals and streams consistent.
 */
import { type Kysely, sql } from 'kysely'
import type { IndexWriter, Leadership } from '../index-writer.ts'
import { keepIdentity } from '../network-identity.ts'
import { readOpenStaking } from '../read/open-staking.ts'
import type { Database } from '../schema/index.ts'
import type { Upkeep } from '../upkeep.ts'
import { readEvmBlock, readForgotten, rewindStream, rewriteTip } from './evm/rewind.ts'
import { fillTraces, readUntraced } from './evm/untraced.ts'
import type { FencedLeadership } from './leader/leader-lease.ts'
import { leadOwnSchema } from './leader/own-schema.ts'
import { writeRange } from './range/commit-range.ts'
import { createRangeKnowledge } from './range/range-knowledge.ts'
import { inRangeTransaction, type RangeConnections } from './range/range-transaction.ts'
import { confirmStream, disownStream, registerStream } from './stream-rows.ts'

/**
 * @param ranges connections for ranges; without pipelining nothing is planned ahead either
 * @param db connections without the timeouts of reads
 * @param lead decides who writes, without checking the schema; if a leadership has a fence, no commit passes without it
 * @param upkeep what the database needs after writes, unless it does that itself
 */
export function createIndexWriter(
  ranges: RangeConnections,
  db: Kysely<Database>,
  lead: (signal: AbortSignal, onStandby?: () => void) => Promise<Leadership & Partial<Pick<FencedLeadership, 'fence'>>>,
  upkeep: Upkeep | undefined,
): IndexWriter {
  const known = createRangeKnowledge()
  let latest: FencedLeadership | undefined
  return {
    register(stream) {
      known.forget(stream.name)
      return db.transaction().execute(async (tx) => {
        await sql`lock table stream in share row exclusive mode`.execute(tx)
        return registerStream(tx, stream)
      })
    },
    keepNetwork: (name, network) => db.transaction().execute((tx) => keepIdentity(tx, name, network)),
    prepareRange(stream, rows) {
      if (ranges.pipelined) known.plan(stream, rows)
    },
    async commitRange(stream, rows, progress) {
      const written = await inRangeTransaction(ranges, async (tx) => {
        await latest?.fence(tx.db)
        return writeRange(tx, known, stream, rows, progress)
      })
      known.learn(written)
      await upkeep?.consider()
    },
    openStaking: (stream) => readOpenStaking(db, stream),
    async confirmTip(stream, tip) {
      await confirmStream(db, stream, tip)
      // On a chain without new blocks these are the only writes, one a second.
      await upkeep?.consider()
    },
    disownTip: (stream) => disownStream(db, stream),
    evmBlock: (stream, height) => readEvmBlock(db, stream, height),
    forgottenAbove: (stream, height, before) => readForgotten(db, stream, height, before),
    rewind: (stream, height, state) =>
      db.transaction().execute(async (tx) => {
        await latest?.fence(tx)
        await rewindStream(tx, stream, height, state)
      }),
    rewriteTip: (stream, tip, rewrite) =>
      inRangeTransaction(ranges, async (tx) => {
        await latest?.fence(tx.db)
        await rewriteTip(tx, stream, tip, rewrite)
      }),
    untraced: (stream, most, below) => readUntraced(db, stream, most, below),
    fillTraces: (stream, traces) =>
      db.transaction().execute(async (tx) => {
        await latest?.fence(tx)
        await fillTraces(tx, stream, traces)
      }),
    async lead(signal, onStandby) {
      latest = await leadOwnSchema(db, () => lead(signal, onStandby))
      return latest
    },
  }
}
