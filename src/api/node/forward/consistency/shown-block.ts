import { HEIGHT_CALLS } from '../../../../facts/height-calls.ts'
import { decodeNodeHex } from '../../../../lib/bytes/node-hex.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import { memberOf } from '../../json/spans.ts'
import { endpointByName } from '../../routes/endpoint.ts'
import type { ForwardCall } from '../call.ts'
import { resultIn } from '../result-in.ts'

/** How a node is asked for its height. */
export type HeightCall = Pick<ForwardCall, 'endpoint' | 'method'>

/** A block of P or X that an answer shows. */
export interface ShownBlock {
  height: bigint
  /** Tells of a node whether it has that block. */
  asked: HeightCall
}

/** Height of a block of P, X or C, in a container or not; undefined = it is none. */
export type BlockHeight = (bytes: Uint8Array) => bigint | undefined

/** How nodes are asked for their height of a chain. */
export function heightCallOf(chain: 'P' | 'X'): HeightCall & { method: string } {
  const endpoint = endpointByName(chain)
  if (!endpoint) throw new Error(`no endpoint ${chain}`)
  return { endpoint, method: HEIGHT_CALLS[chain].method }
}

/** Of a node's word for it, or of a block in JSON: those of P that propose something have their transactions first. */
const heightIn = (object: Buffer): bigint | undefined => {
  const digits = /^"?(\d{1,20})"?$/.exec(memberOf(object, 'height')?.toString('latin1') ?? '')?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

/** The hex of the last member with this name; undefined = there is none, or it is no hex. */
function lastHex(result: Buffer, name: string): Buffer | undefined {
  const start = `"${name}":"`
  const at = result.lastIndexOf(`${start}0x`)
  if (at < 0) return undefined
  const from = at + start.length
  const text = result.toString('latin1', from, result.indexOf('"', from))
  // Behind the bytes: an answer may have megabytes before them.
  if (result.includes('"encoding":"hexnc"', from)) return Buffer.from(text.slice(2), 'hex')
  try {
    return decodeNodeHex(text)
  } catch {
    return undefined
  }
}

/** The newest block of C that containers show, which its EVM counts. */
export function shownBlockOfC(
  { endpoint, rule }: ForwardCall,
  { status, body }: Pick<RawResponse, 'status' | 'body'>,
  blockHeight: BlockHeight,
): bigint | undefined {
  if (rule.shows !== 'containers' || status !== 200 || endpoint.source !== 'C') return undefined
  const bytes = lastHex(resultIn(body), 'bytes')
  return bytes && blockHeight(bytes)
}

/** The newest block of P or X that an answer to a call shows; from the node's own words, because callers choose theirs. */
export function shownBlock(
  { endpoint, method, rule }: ForwardCall,
  { status, body }: Pick<RawResponse, 'status' | 'body'>,
  blockHeight: BlockHeight,
): ShownBlock | undefined {
  if (rule.shows === undefined || status !== 200) return undefined
  const { source } = endpoint
  const result = resultIn(body)
  if (rule.shows === 'height') {
    const height = heightIn(result)
    return height === undefined ? undefined : { height, asked: { endpoint, method } }
  }
  // Transactions and vertices of X have no height, and blocks of C are counted by its EVM.
  if ((source !== 'P' && source !== 'X') || (rule.shows === 'containers' && !endpoint.name.endsWith('/block')))
    return undefined
  const bytes = lastHex(result, rule.shows === 'block' ? 'block' : 'bytes')
  const json = rule.shows === 'block' ? memberOf(result, 'block') : undefined
  const height = bytes ? blockHeight(bytes) : json && heightIn(json)
  return height === undefined ? undefined : { height, asked: heightCallOf(source) }
}

/** Height of the block with an atomic transaction: stands next to the status, or after the whole transaction. */
export function atomicHeightIn(body: Buffer): bigint | undefined {
  const result = resultIn(body)
  const digits = /"blockHeight":"(\d{1,20})"/.exec(result.toString('latin1', Math.max(0, result.length - 512)))?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}
