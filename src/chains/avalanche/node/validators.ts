import { BadAnswerError } from '../../../errors.ts'
import { type JsonRecord, recordOf } from '../../../lib/json/json-record.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { listOf, textOf, uintOf } from './answers.ts'
import { askFor } from './ask.ts'

const PATH = '/ext/bc/P'
const METHOD = 'platform.getCurrentValidators'

/** A stake of the primary network. Weight in nAVAX, times in unix seconds. */
export interface Staker {
  /** CB58 id of the staking transaction. */
  txId: string
  endTime: bigint
  weight: bigint
}

export interface Validator extends Staker {
  nodeId: string
  /** Sum of its delegators' weights. */
  delegatorWeight: bigint
  /** Renews itself at the end of its period and may compound its rewards (ACP-236). */
  autoRenewed: boolean
}

/** All current validators of the primary network. About 700 bytes each: share the answer. */
export async function readValidators(pool: UpstreamPool, call: CallOptions): Promise<Validator[]> {
  return askFor(pool, PATH, METHOD, {}, call, (answer) =>
    listOf(recordOf(answer, METHOD)['validators'], METHOD).map((entry) => validatorOf(recordOf(entry, METHOD))),
  )
}

/** The delegators of one validator; the node lists them only when exactly one node is named. */
export async function readDelegators(pool: UpstreamPool, nodeId: string, call: CallOptions): Promise<Staker[]> {
  return askFor(pool, PATH, METHOD, { nodeIDs: [nodeId] }, call, (answer) =>
    listOf(recordOf(answer, METHOD)['validators'], METHOD).flatMap((entry) => {
      const validator = recordOf(entry, METHOD)
      if (validator['nodeID'] !== nodeId) throw new BadAnswerError(`${METHOD}: another validator than ${nodeId}`)
      if (validator['delegators'] === undefined) throw new BadAnswerError(`${METHOD}: delegators are missing`)
      return listOf(validator['delegators'], METHOD).map((delegator) => stakerOf(recordOf(delegator, METHOD)))
    }),
  )
}

function stakerOf(entry: JsonRecord): Staker {
  return {
    txId: textOf(entry['txID'], `${METHOD} txID`),
    endTime: uintOf(entry['endTime'], `${METHOD} endTime`),
    // Nodes before v1.12.2 call it stakeAmount, beside weight.
    weight: uintOf(entry['weight'] ?? entry['stakeAmount'], `${METHOD} weight`),
  }
}

function validatorOf(entry: JsonRecord): Validator {
  return {
    ...stakerOf(entry),
    nodeId: textOf(entry['nodeID'], `${METHOD} nodeID`),
    delegatorWeight: uintOf(entry['delegatorWeight'] ?? 0, `${METHOD} delegatorWeight`),
    autoRenewed: entry['nextPeriod'] !== undefined || entry['autoCompoundRewardShares'] !== undefined,
  }
}
