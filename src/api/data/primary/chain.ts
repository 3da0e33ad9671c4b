import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { BadInputError, FirnError, NotFoundError } from '../../../errors.ts'
import { CHAIN_LETTERS, PRIMARY_NETWORK_ID, type Side } from '../../../facts/primary-network.ts'
import { PUBLIC_NETWORKS } from '../../../facts/public-networks.ts'
import { formatBech32Address } from '../../../lib/bytes/bech32-address.ts'
import { hexToBytes } from '../../../lib/bytes/ids.ts'
import type { CMemories, OlderOutputs } from '../../../services/node-outputs/index.ts'
import {
  type AssetInfo,
  type ChainLetter,
  type ChainName,
  type IndexAge,
  type IndexReader,
  indexAge,
  isTooOld,
  oldIndexText,
} from '../../../store/index.ts'
import { tellIndexPlace } from '../../plugins/index-place.ts'
import { NetworkSchema } from '../schemas.ts'
import { StaleIndexError } from '../stale-index-error.ts'

/** What identifies a network; ids in CB58. */
export interface NetworkIdentity {
  hrp: string
  blockchainIds: Readonly<Record<ChainLetter, string>>
  avaxAssetId: string
}

export interface PrimaryDeps {
  index: IndexReader
  /** Undefined when the network is not configured. May reject while no node answers. */
  identity(side: Side): Promise<NetworkIdentity | undefined>
  /** What nodes say about assets, by id (hex), or why no node answers. */
  describeAssets(side: Side, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, ToldAsset | FirnError>>
  /** Outputs that X left unspent before it had blocks. */
  older: OlderOutputs
  /** What P and X share with C while C's index is not at the tip. */
  cMemories: CMemories
  /** Whether the configuration has this stream of a network indexed. */
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

/** The public networks' ids: SDKs can send no others, so these also name the chains of a private network. */
function publicLetter(side: Side, id: string): ChainLetter | undefined {
  const { xBlockchainId, cBlockchainId } = PUBLIC_NETWORKS[side]
  if (id === PRIMARY_NETWORK_ID) return 'P'
  return id === xBlockchainId ? 'X' : id === cBlockchainId ? 'C' : undefined
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

/** @throws BadInputError for an id of no chain of the network, NotFoundError when the network is not served */
export async function resolveChain(deps: PrimaryDeps, params: PrimaryParams): Promise<PrimaryChain> {
  const side: Side = params.network === 'mainnet' ? 'mainnet' : 'testnet'
  const identity = await deps.identity(side)
  if (!identity) throw new NotFoundError(`network ${params.network} is not served here`)
  const own = Object.entries(identity.blockchainIds).find(([, id]) => id === params.blockchainId)?.[0]
  const letter =
    (own as ChainLetter | undefined) ?? ALIASES.get(params.blockchainId) ?? publicLetter(side, params.blockchainId)
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

/**
 * What an answer shows: `chain` = the chain alone; `network` = also what it shares with other chains, including the
 * past; `present` = only what is there now, so that nodes can report what is shared with C.
 */
export type Scope = 'chain' | 'network' | 'present'

/**
 * Puts the indexed height and the age of the chain on the answer. An answer that shows shared memory is as old as the
 * oldest of the indexed chains: exports, and what became of them, are in the blocks of the other chains.
 * @returns whether nodes have to report what is shared with C; only with `present`
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
  tellIndexPlace(reply, String(places[0]?.height), oldest)
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

/** A chain that the configuration leaves out will not appear later, so the message must not promise it. */
const notIndexed = (chain: PrimaryChain, letter: ChainLetter, isToCome: boolean): FirnError => {
  const subject = `${nameOf(letter)} of ${chain.chainInfo.network}`
  if (isToCome) return new StaleIndexError(`${subject} is not indexed yet${whyOf(chain, letter)}`)
  return new FirnError(`${subject} is not indexed here`, { code: 'NOT_INDEXED', status: 503, expose: true })
}

const tooOld = (chain: PrimaryChain, place: Place, maxAgeMs: number): StaleIndexError => {
  const subject = `the index of ${nameOf(place.letter)} of ${chain.chainInfo.network}`
  return new StaleIndexError(oldIndexText(subject, place, maxAgeMs, whyOf(chain, place.letter)))
}

/** Bare bech32, because SDKs pass it straight to a parser. */
export const addressText = (address: string, chain: PrimaryChain): string =>
  formatBech32Address(hexToBytes(address), chain.identity.hrp)
