import { decodeUtxo, type Utxo } from '../../chains/avalanche/codec/index.ts'
import { BadAnswerError, BadInputError, UpstreamUnavailableError } from '../../errors.ts'
import { parseBech32Address } from '../../lib/bytes/bech32-address.ts'
import { decodeCb58 } from '../../lib/bytes/cb58.ts'
import { bytesToHex } from '../../lib/bytes/ids.ts'
import { decodeNodeHex } from '../../lib/bytes/node-hex.ts'
import { inChunks } from '../../lib/in-chunks.ts'
import { type JsonRecord, recordOf } from '../../lib/json/json-record.ts'
import type { Ask, Json } from './ask.ts'
import { listIn, recordIn, textIn } from './members.ts'

const METHOD = 'platform.getUTXOs'
/** The node's own limits: addresses per request and UTXOs per page. */
const MAX_ADDRESSES = 1_024
const PAGE = 1_024
/** More than half a million UTXOs are refused rather than held in memory. */
const MAX_PAGES = 512
/** Maximum readings, of which two in a row must be equal. */
const ATTEMPTS = 5

/** Bytes of an address in either form; undefined when it is invalid, which the node then reports in its own words. */
function addressKey(text: string): string | undefined {
  try {
    return bytesToHex(text.includes('-') ? parseBech32Address(text).bytes : decodeCb58(text, 20))
  } catch (error) {
    if (error instanceof BadInputError) return undefined
    throw error
  }
}

/** Requests of at most 1,024 addresses, in the overall order of a node, which sorts addresses by their bytes. */
function requestsFor(addresses: readonly string[]): string[][] {
  if (addresses.length <= MAX_ADDRESSES) return inChunks(addresses, MAX_ADDRESSES)
  const keyed = addresses.map((text) => ({ text, key: addressKey(text) ?? '' }))
  const sorted = keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ text }) => text)
  return inChunks(sorted, MAX_ADDRESSES)
}

const startOf = (page: JsonRecord): { address: string; utxo: string } => {
  const end = recordOf(page['endIndex'], 'endIndex')
  return { address: textIn(end, 'address'), utxo: textIn(end, 'utxo') }
}

/** Reads all pages of one request; resolves to their number. */
async function readPages(ask: Ask, addresses: readonly string[], take: (utxo: Utxo) => void): Promise<number> {
  let start: { address: string; utxo: string } | undefined
  for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
    const params: Record<string, Json> = { addresses, limit: PAGE, encoding: 'hex' }
    const page = recordIn(
      await ask(METHOD, start === undefined ? params : { ...params, startIndex: start }, 'P'),
      METHOD,
    )
    const utxos = listIn(page, 'utxos')
    for (const text of utxos) take(decodeUtxo(decodeNodeHex(String(text))))
    // Otherwise a truncated list would pass for a smaller balance.
    if (String(page['numFetched']) !== String(utxos.length)) throw new BadAnswerError(`${METHOD}: UTXOs are missing`)
    if (utxos.length < PAGE) return pages
    const next = startOf(page)
    if (start?.utxo === next.utxo && start.address === next.address)
      throw new BadAnswerError(`${METHOD}: a full page ends where it began`)
    start = next
  }
  throw new BadAnswerError(`${METHOD}: more than ${MAX_PAGES} pages`)
}

const isSame = (keys: ReadonlySet<string>, found: ReadonlyMap<string, Utxo>): boolean =>
  keys.size === found.size && [...keys].every((key) => found.has(key))

/**
 * All UTXOs on P of any number of addresses, without duplicates, in a node's order, as of one point in time. The pages
 * of a list come from one node, whose height is unknown here: it may have accepted a block between two of them, and an
 * output spent there would count as well as its change. Several pages are read until two readings are equal.
 * @throws errors of `ask`; BadAnswerError; UpstreamUnavailableError when they change faster than they can be read.
 */
export async function readAllUtxos(ask: Ask, addresses: readonly string[]): Promise<Utxo[]> {
  const requests = requestsFor(addresses)
  let before: ReadonlySet<string> | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const found = new Map<string, Utxo>()
    let pages = 0
    for (const request of requests)
      pages += await readPages(ask, request, (utxo) => found.set(`${utxo.txId}:${utxo.outputIndex}`, utxo))
    if (pages <= 1 || (before && isSame(before, found))) return [...found.values()]
    before = new Set(found.keys())
  }
  throw new UpstreamUnavailableError(`${METHOD}: the outputs changed during every reading`)
}
