import { BadAnswerError, messageOf, UpstreamUnavailableError } from '../../../errors.ts'
import { idFromCb58 } from '../../../lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import { lacksMethod } from '../../../upstream/json-rpc/lacking-method.ts'
import type { AnswerVerdict, CallOptions, RawResponse, UpstreamPool } from '../../../upstream/types.ts'
import { decodeXTx } from '../codec/index.ts'
import { textOf, uintOf } from './answers.ts'
import { ask } from './ask.ts'
import { saysAbsent, wordsOfAbsence } from './refusals.ts'

/** Name and units of an asset. Never blank: a blank name falls back to the asset id. */
export interface AssetDescription {
  /** CB58 */
  assetId: string
  name: string
  symbol: string
  /** 0 to 32 */
  decimals: number
}

/**
 * No node that could be asked knows the asset. Every asset with an owner was created on X first, so these nodes are
 * behind the node that reported the output, or that node was wrong.
 */
export class UnknownAssetError extends UpstreamUnavailableError {
  constructor(assetId: string) {
    super(`avm.getAssetDescription: no node knows the asset ${assetId} yet`)
  }
}

const PATH = '/ext/bc/X'
const METHOD = 'avm.getAssetDescription'

/**
 * An asset as a node describes it. If a node does not know it, or lacks the method, the others are asked. If none has
 * the method, the transaction that created the asset is read.
 * @param assetId CB58
 * @throws UnknownAssetError when no node knows it; JsonRpcError when no node describes it in any way
 */
export async function readAssetDescription(
  pool: UpstreamPool,
  assetId: string,
  call: CallOptions,
): Promise<AssetDescription> {
  try {
    const checked = { ...call, check: (said: unknown) => void descriptionOf(assetId, said) }
    const answer = await ask(pool, PATH, METHOD, { assetID: assetId }, checked).catch((error: unknown) => {
      if (saysAbsent(error) || lacksMethod(error)) return askOthers(pool, assetId, call, error)
      throw error
    })
    return descriptionOf(assetId, answer)
  } catch (error) {
    if (lacksMethod(error)) return await readMaking(pool, assetId, call)
    throw error
  }
}

/** Gateways may hide one method but not the other. The asset's id is the hash of the bytes, so they can be verified. */
async function readMaking(pool: UpstreamPool, assetId: string, call: CallOptions): Promise<AssetDescription> {
  const read = (answer: unknown) => {
    const { id, unsignedTx } = decodeXTx(decodeNodeHex(textOf(recordOf(answer, 'getTx')['tx'], 'getTx tx')))
    if (id !== idFromCb58(assetId)) throw new BadAnswerError(`getTx: another transaction than ${assetId}`)
    return unsignedTx
  }
  const checked = { ...call, check: (said: unknown) => void read(said) }
  const answer = await ask(pool, PATH, 'avm.getTx', { txID: assetId, encoding: 'hex' }, checked).catch(
    (error: unknown) => {
      throw saysAbsent(error) ? new UnknownAssetError(assetId) : error
    },
  )
  const unsignedTx = read(answer)
  if (unsignedTx.type !== 'CreateAssetTx') throw new UnknownAssetError(assetId)
  const { name, symbol, denomination } = unsignedTx
  return descriptionOf(assetId, { assetID: assetId, name, symbol, denomination })
}

/** Tries one node after another until one describes the asset. */
async function askOthers(pool: UpstreamPool, assetId: string, call: CallOptions, first: unknown): Promise<unknown> {
  let absent = saysAbsent(first)
  const judge = (response: RawResponse): AnswerVerdict => {
    if (response.status === 429) return { kind: 'retry', reason: 'rate limited', rateLimited: true }
    const { result, refusal } = answerIn(response)
    if (result !== undefined) return judged(assetId, result)
    if (refusal === undefined) return { kind: 'retry', reason: `status ${response.status} without an answer` }
    absent ||= wordsOfAbsence(refusal)
    // An older tip, or a missing method, is not the node's fault.
    return { kind: 'retry', reason: refusal, behind: true }
  }
  if (pool.status().length > 1) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: METHOD, params: { assetID: assetId } })
    const headers = { 'content-type': 'application/json' }
    const response = await pool.exchange({ method: 'POST', path: PATH, headers, body }, { ...call, judge })
    const { result } = answerIn(response)
    if (result !== undefined) return result
  }
  throw absent ? new UnknownAssetError(assetId) : first
}

/** A result that describes nothing, or another asset, is no answer: the next node is asked. */
function judged(assetId: string, result: unknown): AnswerVerdict {
  try {
    descriptionOf(assetId, result)
    return { kind: 'answer' }
  } catch (error) {
    return { kind: 'retry', reason: messageOf(error) }
  }
}

/** Empty if the body is not a JSON-RPC answer. */
function answerIn({ body }: RawResponse): { result?: unknown; refusal?: string } {
  try {
    const { result, error } = recordOf(JSON.parse(body.toString('utf8')), METHOD)
    if (result !== undefined && result !== null) return { result }
    return { refusal: textOf(recordOf(error, METHOD)['message'], METHOD) }
  } catch {
    return {}
  }
}

function descriptionOf(assetId: string, answer: unknown): AssetDescription {
  const entry = recordOf(answer, METHOD)
  // The same digits with another asset's decimals are another amount, and a description is kept for good.
  if (entry['assetID'] !== assetId) throw new BadAnswerError(`${METHOD}: another asset than ${assetId}`)
  const decimals = Number(uintOf(entry['denomination'], `${METHOD} denomination`))
  if (decimals > 32) throw new BadAnswerError(`${METHOD}: ${decimals} decimals`)
  return {
    assetId,
    name: textOf(entry['name'], `${METHOD} name`).trim() || assetId,
    symbol: textOf(entry['symbol'], `${METHOD} symbol`).trim() || assetId,
    decimals,
  }
}
