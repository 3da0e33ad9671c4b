import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { BadInputError, FirnError, NotFoundError } from '../../errors.ts'
import { formatBech32Address, parseBech32Address } from '../../lib/bech32-address.ts'
import { bytesToHex, hexToBytes } from '../../lib/ids.ts'
import { CHAIN_LETTERS, PRIMARY_NETWORK_ID, type Side } from '../../lib/primary-network.ts'
import type { CMemories, OlderOutputs } from '../../services/node-outputs/index.ts'
import {
  type AssetInfo,
  type ChainLetter,
  type ChainName,
  type IndexAge,
  type IndexReader,
  indexAge,
  isTooOld,
  oldIndexText,
} from '../../store/index.ts'
import { NetworkSchema } from './schemas.ts'

/** What tells one network from another; ids CB58. */
export interface NetworkIdentity {
  hrp: string
  blockchainIds: Readonly<Record<ChainLetter, string>>
  avaxAssetId: string
}

export interface PrimaryDeps {
  index: IndexReader
  /** Undefined when the network is not configured. May reject while no node answers. */
  identity(side: Side): Promise<NetworkIdentity | undefined>
  /** What nodes say of assets, by id (hex), or why none tells. */
  describeAssets(side: Side, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, ToldAsset | FirnError>>
  /** What X left unspent before it had blocks. */
  older: OlderOutputs
  /** What P and X share with C, while its index is not at the tip. */
  cMemories: CMemories
  /** Whether the configuration has a stream of a network indexed. */
  isIndexed(stream: string): boolean
  /** Answers older than this are refused, milliseconds. */
  maxIndexAgeMs: number
  now: () => number
}

export type ToldAsset = Required<Pick<AssetInfo, 'name' | 'symbol' | 'denomination'>>

/** A chain as a request names it. */
export interface PrimaryChain {
  name: ChainName
  side: Side
  letter: ChainLetter
  identity: NetworkIdentity
  chainInfo: { chainName: 'p-chain' | 'x-chain' | 'c-chain'; network: 'mainnet' | 'fuji' }
}

const ALIASES: ReadonlyMap<string, ChainLetter> = new Map([
  ['p-chain', 'P'],
  ['x-chain', 'X'],
  ['c-chain', 'C'],
])

/** The public networks' ids: SDKs can send no others, so they name the chains of a private network, too. */
const PUBLIC_IDS: Readonly<Record<Side, ReadonlyMap<string, ChainLetter>>> = {
  mainnet: new Map([
    [PRIMARY_NETWORK_ID, 'P'],
    ['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM', 'X'],
    ['2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5', 'C'],
  ]),
  testnet: new Map([
    [PRIMARY_NETWORK_ID, 'P'],
    ['2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm', 'X'],
    ['yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp', 'C'],
  ]),
}

export const PrimaryParamsSchema = Type.Object({
  network: NetworkSchema,
  blockchainId: Type.String({
    minLength: 1,
    maxLength: 64,
    title: 'BlockchainId',
    description: 'A blockchain id, or one of p-chain, x-chain and c-chain.',
  }),
})
export type PrimaryParams = Static<typeof PrimaryParamsSchema>

/**
 * What readers of the document may send as it is, to any network: prefixes do not count. The first key of the seed phrase of
 * BIP-39's test vectors.
 */
export const ADDRESSES_EXAMPLE = 'P-avax1p9575chzhvcwvmvzaqh7yeld76r3af0ha56phl'

/** Addresses of a GET: `readAddresses` says what they may look like. */
export const AddressesQuerySchema = Type.Optional(
  Type.String({
    description: 'Required. Comma separated, at most 64, with or without chain letter.',
    examples: [ADDRESSES_EXAMPLE],
  }),
)

/** @throws BadInputError for an id of no chain of the network, NotFoundError when the network is not served */
export async function resolveChain(deps: PrimaryDeps, params: PrimaryParams): Promise<PrimaryChain> {
  const side: Side = params.network === 'mainnet' ? 'mainnet' : 'testnet'
  const identity = await deps.identity(side)
  if (!identity) throw new NotFoundError(`network ${params.network} is not served here`)
  const own = Object.entries(identity.blockchainIds).find(([, id]) => id === params.blockchainId)?.[0]
  const letter =
    (own as ChainLetter | undefined) ?? ALIASES.get(params.blockchainId) ?? PUBLIC_IDS[side].get(params.blockchainId)
  if (letter === undefined) {
    throw new BadInputError(
      `blockchainId ${params.blockchainId} is not a chain of ${params.network}: try p-chain, x-chain or c-chain`,
    )
  }
  const chainName = `${letter.toLowerCase() as 'p' | 'x' | 'c'}-chain` as const
  return {
    name: { network: side, letter },
    side,
    letter,
    identity,
    chainInfo: { chainName, network: side === 'mainnet' ? 'mainnet' : 'fuji' },
  }
}

/** An index that stands still must not be taken for the truth. */
export class StaleIndexError extends FirnError {
  constructor(message: string) {
    super(message, { code: 'STALE_INDEX', status: 503, retryable: true, expose: true })
  }
}

/**
 * What an answer shows: the chain alone, also what it shares with others as far as all that happened there, or what is
 * there now, of which nodes can tell what they share with C.
 */
export type Scope = 'chain' | 'network' | 'present'

/**
 * Puts the chain's indexed height on the answer, and its age. What shows shared memory is as old as the oldest of the
 * chains that are indexed: what was exported, and what became of it, is in the blocks of the others.
 * @returns whether C has to be told by nodes; with `present` alone
 * @throws StaleIndexError when one of them is too old to answer from, FirnError (503) when the chain is never indexed
 */
export async function requireFresh(
  deps: PrimaryDeps,
  chain: PrimaryChain,
  reply: FastifyReply,
  scope: Scope = 'chain',
): Promise<{ isCTold: boolean }> {
  const all = await deps.index.progress()
  const isKept = (letter: ChainLetter): boolean => deps.isIndexed(`${chain.side}:${letter}`)
  const others = CHAIN_LETTERS.filter((letter) => letter !== chain.letter && isKept(letter))
  const placeOf = (letter: ChainLetter): Place | undefined => {
    const progress = all.find(({ stream }) => stream === `${chain.side}:${letter}`)
    const age = progress && indexAge(progress, deps.now())
    return age && { letter, ...age }
  }
  const isOld = (place: Place | undefined): boolean => !place || isTooOld(place, deps.maxIndexAgeMs)
  const isCTold = scope === 'present' && chain.letter !== 'C' && (!others.includes('C') || isOld(placeOf('C')))
  const shown = scope === 'chain' ? [] : others.filter((letter) => letter !== 'C' || !isCTold)
  const places = [chain.letter, ...shown].map((letter) => {
    const place = placeOf(letter)
    if (!place) throw notIndexed(chain, letter, isKept(letter))
    return place
  })
  const oldest = places.reduce((old, place) => (place.ageMs > old.ageMs ? place : old))
  const seconds = String(Math.ceil(oldest.ageMs / 1000))
  reply.header('x-indexed-height', String(places[0]?.height)).header('x-index-age', seconds)
  if (isOld(oldest))
    throw isKept(oldest.letter) ? tooOld(chain, oldest, deps.maxIndexAgeMs) : notIndexed(chain, oldest.letter, false)
  return { isCTold }
}

/** Where the index of a chain stands. */
interface Place extends IndexAge {
  letter: ChainLetter
}

const nameOf = (letter: ChainLetter): string => `${letter.toLowerCase()}-chain`

/** Why another chain matters. */
const whyOf = ({ letter, chainInfo }: PrimaryChain, other: ChainLetter): string =>
  letter === other ? '' : `, and answers of the ${chainInfo.chainName} show what moves there`

/** What the configuration leaves out, now or again, will not be there later either, and nothing must promise so. */
const notIndexed = (chain: PrimaryChain, letter: ChainLetter, isToCome: boolean): FirnError => {
  const subject = `${nameOf(letter)} of ${chain.chainInfo.network}`
  if (isToCome) return new StaleIndexError(`${subject} is not indexed yet${whyOf(chain, letter)}`)
  return new FirnError(`${subject} is not indexed here`, { code: 'NOT_INDEXED', status: 503, expose: true })
}

const tooOld = (chain: PrimaryChain, place: Place, maxAgeMs: number): StaleIndexError => {
  const subject = `the index of ${nameOf(place.letter)} of ${chain.chainInfo.network}`
  return new StaleIndexError(oldIndexText(subject, place, maxAgeMs, whyOf(chain, place.letter)))
}

/**
 * Addresses as 20 bytes hex, each once. Taken with or without a chain letter and with any HRP (the same key has the same
 * bytes everywhere); blanks and empty entries are ignored. Anything else is refused by name. `beyond` says what to do with
 * more than `maximum`.
 */
export function readAddresses(
  given: string | readonly string[] | undefined,
  maximum: number,
  beyond?: string,
): string[] {
  const written = new Set<string>()
  for (const entry of typeof given === 'string' ? given.split(',') : (given ?? [])) written.add(entry.trim())
  written.delete('')
  if (written.size === 0) throw new BadInputError('addresses is required: one or more addresses, comma separated')
  // To read all of a body's addresses takes a second, in which nobody else is answered.
  if (written.size > FORMS * maximum) throw tooMany(written.size, maximum, beyond)
  const addresses = new Set([...written].map(addressBytes))
  if (addresses.size > maximum) throw tooMany(addresses.size, maximum, beyond)
  return [...addresses]
}

/** Ways in which one address may stand in a list: bare, with the letter of a chain in either case, with its id. */
const FORMS = 8

const tooMany = (count: number, maximum: number, beyond: string | undefined): BadInputError =>
  new BadInputError(`addresses holds ${count} addresses, at most ${maximum} are taken${beyond ? `; ${beyond}` : ''}`)

/** P, X or C, or the blockchain id of one of them. */
const CHAIN_PREFIX = /^([PXC]|[1-9A-HJ-NP-Za-km-z]{30,60})$/i

function addressBytes(text: string): string {
  try {
    const { chain = 'P', bytes } = parseBech32Address(text)
    if (CHAIN_PREFIX.test(chain)) return bytesToHex(bytes)
  } catch {
    // Said below, in the words of the hosted service.
  }
  throw new BadInputError(`Invalid address format: ${text.slice(0, 100)}`)
}

/** Bare bech32, as SDKs feed it straight to a parser. */
export const addressText = (address: string, chain: PrimaryChain): string =>
  formatBech32Address(hexToBytes(address), chain.identity.hrp)
