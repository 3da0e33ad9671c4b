import type { FastifyReply } from 'fastify'
import { type IndexAge, type IndexReader, indexAge, isTooOld, oldIndexText } from '../../../store/index.ts'
import { tellIndexPlace } from '../../plugins/index-place.ts'
import { StaleIndexError } from '../stale-index-error.ts'
import type { EvmChains } from './chain.ts'

export interface EvmFreshnessDeps {
  index: Pick<IndexReader, 'progress'>
  chains: EvmChains
  /** Answers older than this are refused, milliseconds. */
  maxIndexAgeMs: number
  now: () => number
}

interface Place extends IndexAge {
  chainId: string
  stream: string
}

const seconds = (ms: number): string => String(Math.ceil(ms / 1000))

async function placesOf(deps: EvmFreshnessDeps, chainIds: readonly string[]): Promise<Place[]> {
  const [progress, streams] = await Promise.all([deps.index.progress(), deps.chains.streams()])
  return chainIds.flatMap((chainId) => {
    const own = progress.find(({ stream }) => stream === streams.get(chainId))
    const age = own && indexAge(own, deps.now())
    return age ? [{ chainId, stream: own.stream, ...age }] : []
  })
}

/** Puts height and age of one chain's index on the answer. @throws StaleIndexError when the index is too old */
export async function requireFreshChain(deps: EvmFreshnessDeps, chainId: bigint, reply: FastifyReply): Promise<void> {
  const [place] = await placesOf(deps, [chainId.toString()])
  if (!place) throw new StaleIndexError(`chain ${chainId} is not indexed yet`)
  tellIndexPlace(reply, place.height.toString(), place)
  if (isTooOld(place, deps.maxIndexAgeMs))
    throw new StaleIndexError(oldIndexText(`the index of chain ${chainId}`, place, deps.maxIndexAgeMs))
}

/**
 * The same for an answer over several chains: heights as `<chain id>=<height>`, the age of the oldest. One stalled
 * chain does not fail the answer; when all are stalled, nothing is answered. An index that is of another chain than its
 * nodes is left out.
 * @param testnet chains of one kind of network; left out: all
 * @returns names of the streams to answer from
 */
export async function requireFreshList(
  deps: EvmFreshnessDeps,
  testnet: boolean | undefined,
  reply: FastifyReply,
): Promise<string[]> {
  const wanted = (await deps.chains.list()).filter(({ isTestnet }) => testnet === undefined || isTestnet === testnet)
  const indexed = await placesOf(
    deps,
    wanted.map(({ chainId }) => chainId),
  )
  const places = indexed.filter(({ disowned }) => !disowned)
  if (places.length === 0) {
    if (indexed.length > 0)
      throw new StaleIndexError('every index of an EVM chain is of another chain than its nodes have')
    if (wanted.length > 0) throw new StaleIndexError('none of the EVM chains is indexed yet')
    return []
  }
  const heights = places.map(({ chainId, height }) => `${chainId}=${height}`).join(', ')
  tellIndexPlace(reply, heights, { ageMs: Math.max(...places.map(({ ageMs }) => ageMs)), disowned: false })
  const youngest = Math.min(...places.map(({ ageMs }) => ageMs))
  if (youngest > deps.maxIndexAgeMs)
    throw new StaleIndexError(
      `every index of an EVM chain is ${seconds(youngest)} s old or older (at most ${seconds(deps.maxIndexAgeMs)} s are served)`,
    )
  return places.map(({ stream }) => stream)
}
