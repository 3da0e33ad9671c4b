import { pause } from '../../../../lib/waiting/pause.ts'
import { judgeCall } from '../../forward/judge.ts'
import { healthyHosts } from '../../forward/nodes/group-members.ts'
import type { Member, NodePools } from '../../forward/nodes/node-pools.ts'
import type { NodeAnswer } from '../../http/answer.ts'
import { bodyOf, resultEntry, resultOf } from '../answers.ts'
import { type EvmCall, evmRequest } from '../call.ts'
import type { EvmMessage } from '../message.ts'
import { toQuantity } from '../quantity.ts'
import { parameterAt } from './finality.ts'

/** Nodes that answer later than this after the first are not waited for, milliseconds. */
const OTHERS_MS = 1_000
const QUANTITY = /^"(0x(?:0|[1-9a-f][0-9a-f]{0,15}))"$/

/** Asks for the nonce of the next transaction, after those that are in no block yet. */
export const isPendingCount = ({ kind, method, params }: EvmMessage): boolean =>
  kind === 'call' &&
  method === 'eth_getTransactionCount' &&
  parameterAt(params, 1)?.toString('latin1', 0, 10) === '"pending"'

/**
 * The highest count that any healthy node reports. Other nodes hear of a transaction only after the node that accepted
 * it: with an old count the sender's next transaction would be refused, or replace the one before. Undefined without an
 * answer.
 */
export async function highestPendingCount(pools: NodePools, call: EvmCall): Promise<NodeAnswer | undefined> {
  const { endpoint, message, signal, deadline } = call
  const { id } = message
  const group = pools.group(endpoint.source)
  const healthy = healthyHosts(group)
  const time = Date.now()
  const members = group.members().filter((one) => healthy.has(one.host) && one.pausedUntil() <= time)
  if (id === undefined || members.length < 2) return undefined
  // A copy: slow nodes still read it after the client's memory has been reused.
  const body = Buffer.from(call.body)
  const enough = new AbortController()
  const until = AbortSignal.any([signal, enough.signal])
  let highest: bigint | undefined
  const ask = async ({ pool, path }: Member): Promise<void> => {
    const request = evmRequest({ ...call, body }, path(endpoint))
    const options = { signal: until, deadline, judge: judgeCall(id, body) }
    const { status, body: said } = await pool.exchange(request, options)
    const digits = status === 200 && QUANTITY.exec(resultOf(said)?.toString('latin1') ?? '')?.[1]
    if (!digits) throw new TypeError('no count')
    const count = BigInt(digits)
    if (highest === undefined || count > highest) highest = count
  }
  const asked = members.map(ask)
  const patience = Promise.any(asked).then(() => pause(OTHERS_MS, until))
  await Promise.race([Promise.allSettled(asked), patience.catch(() => Promise.allSettled(asked))])
  enough.abort()
  return highest === undefined ? undefined : bodyOf(resultEntry(id, `"${toQuantity(highest)}"`))
}
