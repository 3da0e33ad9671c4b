import { encodeCb58 } from '../../../../lib/bytes/cb58.ts'
import { keccak256Hex } from '../../../../lib/bytes/keccak256.ts'
import { sha256 } from '../../../../lib/bytes/sha256.ts'
import { ArgumentError, readArguments } from '../../gorilla/arguments.ts'
import { eachElement } from '../../json/spans.ts'
import { type Endpoint, endpointByName } from '../../routes/endpoint.ts'

/** A transaction whose id follows from its content: sending it twice cannot execute it twice. */
export interface SignedTransaction {
  /** As the node answers: 0x hash or cb58. */
  id: string
  /** JSON of `result` on success. */
  result: string
  /** How to ask whether a node knows it (without `at`: where it was sent to), and the answer of a node that does. */
  known: { method: string; params: string; answer: RegExp; at?: Endpoint | undefined }
}

const HEX = /^0x(?:[0-9a-f]{2})+$/i

function ethereum(params: Buffer): SignedTransaction | undefined {
  let raw: string | undefined
  eachElement(params, 0, (from, to) => {
    raw = params.toString('latin1', from + 1, to - 1)
    return false
  })
  if (raw === undefined || !HEX.test(raw)) return undefined
  const id = `0x${keccak256Hex(Buffer.from(raw.slice(2), 'hex'))}`
  return {
    id,
    result: `"${id}"`,
    known: { method: 'eth_getTransactionByHash', params: `["${id}"]`, answer: /"result":\{/ },
  }
}

/** The status method for each sending method. */
const STATUS: Readonly<Record<string, string>> = {
  'platform.issueTx': 'platform.getTxStatus',
  'avm.issueTx': 'avm.getTxStatus',
  'wallet.issueTx': 'avm.getTxStatus',
  'avax.issueTx': 'avax.getAtomicTxStatus',
}

function avalanche(method: string, params: Buffer): SignedTransaction | undefined {
  const args = readArguments(params)
  const text = args.string('tx')
  const encoding = args.encoding()
  if (encoding === 'json' || !HEX.test(text)) return undefined
  const whole = Buffer.from(text.slice(2), 'hex')
  const id = encodeCb58(sha256(encoding === 'hexnc' ? whole : whole.subarray(0, -4)))
  return {
    id,
    result: `{"txID":"${id}"}`,
    known: {
      method: STATUS[method] ?? '',
      params: `{"txID":"${id}"}`,
      answer: /"status":"(Committed|Accepted|Processing)"/,
      // The wallet endpoint sends transactions but has no status method.
      at: method === 'wallet.issueTx' ? endpointByName('X') : undefined,
    },
  }
}

/** The transaction in a call that submits one; undefined for other calls and unreadable ones. */
export function transactionOf(method: string | undefined, params: Buffer | undefined): SignedTransaction | undefined {
  if (params === undefined) return undefined
  if (method === 'eth_sendRawTransaction') return ethereum(params)
  if (method === undefined || STATUS[method] === undefined) return undefined
  try {
    return avalanche(method, params)
  } catch (error) {
    if (error instanceof ArgumentError) return undefined
    throw error
  }
}
