import { decodeUtxo, type Utxo } from '../../../chains/avalanche/codec/index.ts'
import { listOf, textOf } from '../../../chains/avalanche/node/answers.ts'
import { ask, parsedOnce } from '../../../chains/avalanche/node/ask.ts'
import { JsonRpcError } from '../../../errors.ts'
import { idToCb58 } from '../../../lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import { mapBounded } from '../../../lib/waiting/map-bounded.ts'
import { lacksMethod } from '../../../upstream/json-rpc/lacking-method.ts'
import type { UpstreamPool } from '../../../upstream/types.ts'
import type { PSourceBlock } from './applier.ts'
import { isProposal } from './block-kinds.ts'

const METHOD = 'platform.getRewardUTXOs'
const IN_FLIGHT = 16
/**
 * Nodes without the method are asked again after this: another one, which has it, may have been away. Milliseconds.
 */
const PAUSE_MS = 600_000

/** Reads the rewards that the node paid for each proposal of a page; blocks do not contain them. */
export interface RewardReader {
  /** The same blocks, with `paid` for proposals if the node reports it. */
  withRewards(blocks: readonly PSourceBlock[], signal: AbortSignal): Promise<PSourceBlock[]>
}

/** @param now milliseconds; steady */
export function createRewardReader(pool: UpstreamPool, now: () => number = steadyNow): RewardReader {
  let silentUntil = 0
  const read = async (block: PSourceBlock, signal: AbortSignal): Promise<PSourceBlock> => {
    const txId = rewardedBy(block)
    if (txId === undefined || now() < silentUntil) return block
    try {
      const params = { txID: idToCb58(txId), encoding: 'hex' }
      const { check, parsed } = parsedOnce(paidIn)
      const paid = parsed(await ask(pool, '/ext/bc/P', METHOD, params, { signal, check, doubts: mayKnowLess }))
      return { ...block, paid }
    } catch (error) {
      // One failed answer must not end the check for good.
      if (!lacksMethod(error)) throw error
      silentUntil = now() + PAUSE_MS
      return block
    }
  }
  return {
    withRewards: (blocks, signal) => mapBounded(blocks, IN_FLIGHT, (block) => read(block, signal), signal),
  }
}

/** @throws BadAnswerError */
const paidIn = (answer: unknown): Utxo[] =>
  listOf(recordOf(answer, METHOD)['utxos'] ?? null, METHOD).map((utxo) =>
    decodeUtxo(decodeNodeHex(textOf(utxo, METHOD))),
  )

/** A node that lags behind the one that told of the block knows of no rewards yet, or of all that there are: none. */
const mayKnowLess = (said: unknown): boolean => said instanceof JsonRpcError || paidIn(said).length === 0

/** The id under which the node keeps the rewards of a proposal. */
function rewardedBy({ block }: PSourceBlock): string | undefined {
  if (!isProposal(block) || !('tx' in block)) return undefined
  const { id, unsignedTx } = block.tx
  if (unsignedTx.type === 'RewardValidatorTx') return unsignedTx.txId
  return unsignedTx.type === 'RewardAutoRenewedValidatorTx' ? id : undefined
}
