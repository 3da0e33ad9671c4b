import { BadAnswerError, BadInputError } from '../../../errors.ts'
import { decodeNodeHex } from '../../../lib/node-hex.ts'
import { JsonText } from '../../../upstream/json-text.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { decodeUtxo, type Utxo } from '../codec/index.ts'
import { type AddressList, addressList } from './address-list.ts'
import { listOf, recordOf, textOf, uintOf } from './answers.ts'
import { ask } from './ask.ts'
import { type PlatformChain, UTXO_ENDPOINT } from './chains.ts'

/** The node's own limits: addresses in one request and UTXOs in one page. */
export const MAX_UTXO_ADDRESSES = 1_024
const UTXO_PAGE = 1_024
/** 1,024 addresses with more than half a million UTXOs are refused rather than held in memory. */
const MAX_UTXO_PAGES = 512

export interface UtxoQuery {
  /** The chain on which the UTXOs can be spent. */
  chain: PlatformChain
  /** Set: UTXOs exported by this chain, waiting in shared memory. */
  sourceChain?: PlatformChain
  /** Bech32 with the network's own HRP, without chain prefix; 1 to 1,024. A list of the chain may serve several reads. */
  addresses: readonly string[] | AddressList
}

export interface UtxoRead {
  /** Each UTXO once, in the order of the node. */
  utxos: Utxo[]
  /** More than one page: the chain may have moved between them. */
  pages: number
}

/**
 * Reads all pages of getUTXOs. Pages overlap when a UTXO has several of the addresses; repeats are dropped.
 * @throws BadAnswerError when a page breaks its format, a UTXO its checksum, or paging does not advance.
 */
export async function readUtxos(pool: UpstreamPool, query: UtxoQuery, call: CallOptions): Promise<UtxoRead> {
  const addresses = 'json' in query.addresses ? query.addresses : addressList(query.chain, query.addresses)
  if (addresses.size === 0 || addresses.size > MAX_UTXO_ADDRESSES) {
    throw new BadInputError(`getUTXOs takes 1 to ${MAX_UTXO_ADDRESSES} addresses, got ${addresses.size}`)
  }
  const { path, method } = UTXO_ENDPOINT[query.chain]
  const seen = new Set<string>()
  const utxos: Utxo[] = []
  let startIndex: PageIndex | undefined
  for (let pages = 1; pages <= MAX_UTXO_PAGES; pages++) {
    const page = pageOf(await ask(pool, path, method, paramsOf(addresses, query.sourceChain, startIndex), call), method)
    for (const utxo of page.utxos) {
      const key = `${utxo.txId}:${utxo.outputIndex}`
      if (seen.has(key)) continue
      seen.add(key)
      utxos.push(utxo)
    }
    if (page.fetched < UTXO_PAGE) return { utxos, pages }
    const endIndex = endOf(page.endIndex, method)
    if (startIndex?.utxo === endIndex.utxo && startIndex.address === endIndex.address) {
      throw new BadAnswerError(`${method}: a full page ends where it began`)
    }
    startIndex = endIndex
  }
  throw new BadAnswerError(`${method}: more than ${MAX_UTXO_PAGES} pages`)
}

interface PageIndex {
  address: string
  utxo: string
}

function paramsOf(addresses: AddressList, sourceChain?: PlatformChain, startIndex?: PageIndex): JsonText {
  const rest = JSON.stringify({ sourceChain, limit: UTXO_PAGE, encoding: 'hex', startIndex })
  return new JsonText(`{"addresses":${addresses.json},${rest.slice(1)}`)
}

function pageOf(result: unknown, method: string): { fetched: number; utxos: Utxo[]; endIndex: unknown } {
  const page = recordOf(result, method)
  const texts = listOf(page['utxos'], `${method} utxos`)
  const fetched = Number(uintOf(page['numFetched'], `${method} numFetched`))
  // A list that was cut on its way would otherwise be taken for a smaller balance.
  if (fetched !== texts.length) throw new BadAnswerError(`${method}: ${texts.length} UTXOs where ${fetched} are named`)
  if (fetched > UTXO_PAGE) throw new BadAnswerError(`${method}: ${fetched} UTXOs in one page`)
  return {
    fetched,
    utxos: texts.map((text) => decodeUtxo(decodeNodeHex(textOf(text, `${method} utxo`)))),
    endIndex: page['endIndex'],
  }
}

/** Where the next page starts; only full pages need it. */
function endOf(value: unknown, method: string): PageIndex {
  const end = recordOf(value, `${method} endIndex`)
  return { address: textOf(end['address'], `${method} endIndex`), utxo: textOf(end['utxo'], `${method} endIndex`) }
}
