import { BadAnswerError, BadInputError } from '../../../errors.ts'
import type { ChainLetter } from '../../../facts/primary-network.ts'
import { decodeNodeHex } from '../../../lib/bytes/node-hex.ts'
import { recordOf } from '../../../lib/json/json-record.ts'
import { JsonText } from '../../../upstream/json-rpc/json-text.ts'
import type { CallOptions, UpstreamPool } from '../../../upstream/types.ts'
import { decodeUtxo, type Utxo } from '../codec/index.ts'
import { type AddressList, addressList } from './address-list.ts'
import { listOf, textOf, uintOf } from './answers.ts'
import { askFor } from './ask.ts'
import { UTXO_ENDPOINT } from './chains.ts'
import { fromOneThatRuns } from './source-chain.ts'

/** The node's own limits: addresses in one request and UTXOs in one page. */
export const MAX_UTXO_ADDRESSES = 1_024
const UTXO_PAGE = 1_024
/** 1,024 addresses with more than half a million UTXOs are refused rather than held in memory. */
export const MAX_UTXO_PAGES = 512

export interface UtxoQuery {
  /** The chain on which the UTXOs can be spent. */
  chain: ChainLetter
  /** Set = UTXOs exported by this chain, waiting in shared memory. */
  sourceChain?: ChainLetter
  /** Bech32 with the network's own HRP, without chain prefix; 1 to 1,024. An AddressList may serve several reads. */
  addresses: readonly string[] | AddressList
  /** Whether a UTXO belongs to one of the addresses; if one does not, the answer is for another question. */
  belongs?: (utxo: Utxo) => boolean
  /** A list of several pages is a ManyPagesError: the caller is prepared for one page only. */
  onlyOnePage?: boolean
}

/** There are more pages than the caller can use. */
export class ManyPagesError extends Error {
  override readonly name = 'ManyPagesError'
  readonly chain: ChainLetter

  constructor(chain: ChainLetter) {
    super(`the UTXOs on ${chain} take several pages`)
    this.chain = chain
  }
}

export interface UtxoRead {
  /** Each UTXO once, in the node's order. */
  utxos: Utxo[]
  /** Their names in the form of `utxoName`. */
  names: ReadonlySet<string>
  /** More than one page: the chain may have moved between them. */
  pages: number
}

/** A UTXO's name: the transaction that created it (hex) and its index among the outputs. */
export const utxoName = (txId: string, outputIndex: number): string => `${txId}:${outputIndex}`

/**
 * Reads all pages of getUTXOs. Pages overlap when a UTXO has several of the addresses; repeats are dropped. What X and
 * C exported to P is read from nodes that run them.
 * @throws ManyPagesError; BadAnswerError when a page breaks its format, a UTXO its checksum, or paging does not
 * advance.
 */
export async function readUtxos(pool: UpstreamPool, query: UtxoQuery, call: CallOptions): Promise<UtxoRead> {
  const { chain, sourceChain } = query
  // Other chains exist only on nodes that run the whole network.
  if (chain !== 'P' || sourceChain === undefined) return readPages(pool, query, call)
  return fromOneThatRuns(pool, sourceChain, call, (options) => readPages(pool, query, options))
}

async function readPages(pool: UpstreamPool, query: UtxoQuery, call: CallOptions): Promise<UtxoRead> {
  const addresses = 'json' in query.addresses ? query.addresses : addressList(query.chain, query.addresses)
  if (addresses.size === 0 || addresses.size > MAX_UTXO_ADDRESSES) {
    throw new BadInputError(`getUTXOs takes 1 to ${MAX_UTXO_ADDRESSES} addresses, got ${addresses.size}`)
  }
  const { path, method } = UTXO_ENDPOINT[query.chain]
  const names = new Set<string>()
  const utxos: Utxo[] = []
  const ends = new Set<string>()
  let startIndex: PageIndex | undefined
  for (let pages = 1; pages <= MAX_UTXO_PAGES; pages++) {
    const params = paramsOf(addresses, query.sourceChain, startIndex)
    const page = await askFor(pool, path, method, params, call, (answer) => pageOf(answer, method, query.belongs))
    for (const utxo of page.utxos) {
      const name = utxoName(utxo.txId, utxo.outputIndex)
      if (names.has(name)) continue
      names.add(name)
      utxos.push(utxo)
    }
    if (page.fetched < UTXO_PAGE) return { utxos, names, pages }
    const { endIndex } = page
    if (query.onlyOnePage) throw new ManyPagesError(query.chain)
    if (endIndex === undefined) throw new BadAnswerError(`${method}: a full page has no end`)
    const end = `${endIndex.address}:${endIndex.utxo}`
    if (ends.has(end)) throw new BadAnswerError(`${method}: a full page ends where an earlier one did`)
    ends.add(end)
    startIndex = endIndex
  }
  throw new BadAnswerError(`${method}: more than ${MAX_UTXO_PAGES} pages`)
}

interface PageIndex {
  address: string
  utxo: string
}

function paramsOf(addresses: AddressList, sourceChain?: ChainLetter, startIndex?: PageIndex): JsonText {
  const rest = JSON.stringify({ sourceChain, limit: UTXO_PAGE, encoding: 'hex', startIndex })
  return new JsonText(`{"addresses":${addresses.json},${rest.slice(1)}`)
}

interface Page {
  fetched: number
  utxos: Utxo[]
  /** Full pages only. */
  endIndex: PageIndex | undefined
}

function pageOf(result: unknown, method: string, belongs: UtxoQuery['belongs']): Page {
  const page = recordOf(result, method)
  const texts = listOf(page['utxos'], `${method} utxos`)
  const fetched = Number(uintOf(page['numFetched'], `${method} numFetched`))
  // A list that was truncated on its way would otherwise look like a smaller balance.
  if (fetched !== texts.length) throw new BadAnswerError(`${method}: ${texts.length} UTXOs where ${fetched} are named`)
  if (fetched > UTXO_PAGE) throw new BadAnswerError(`${method}: ${fetched} UTXOs in one page`)
  const utxos = texts.map((text) => decodeUtxo(decodeNodeHex(textOf(text, `${method} utxo`))))
  // Ignoring it would show a smaller balance, if it came in place of a requested UTXO.
  if (belongs && !utxos.every(belongs)) throw new BadAnswerError(`${method}: a UTXO of none of the addresses`)
  return { fetched, utxos, endIndex: fetched < UTXO_PAGE ? undefined : endOf(page['endIndex'], method) }
}

/** Start of the next page; only full pages need it. */
function endOf(value: unknown, method: string): PageIndex {
  const end = recordOf(value, `${method} endIndex`)
  return { address: textOf(end['address'], `${method} endIndex`), utxo: textOf(end['utxo'], `${method} endIndex`) }
}
