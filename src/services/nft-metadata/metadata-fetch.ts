import {
  AnswerTooLargeError,
  BadAnswerError,
  BadInputError,
  CancelledError,
  messageOf,
  UpstreamRateLimitedError,
} from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import type { DueNft, FetchedMetadata } from '../../store/index.ts'
import type { CollectionShares } from './collection-shares.ts'
import { documentText } from './document-text.ts'
import type { HostTurns } from './host-turns.ts'
import { readDocument } from './metadata-document.ts'
import { MetadataFailure } from './metadata-failure.ts'
import { type Gateways, type MetadataPlace, metadataPlace } from './metadata-place.ts'
import { retrySeconds } from './retry-plan.ts'
import type { SilentPlaces } from './silent-places.ts'
import { type CallContract, documentUri, ownDocument, readTokenUri } from './token-uri.ts'

/**
 * GET of an untrusted URL, never into a private network, with bounded size and time; resolves to the media type with
 * its parameters, as the server wrote it. `onBegin`: called when it is this URL's turn, if others are fetched first.
 * Rejects with BadInputError for what must not be fetched, AnswerTooLargeError, BadAnswerError, UpstreamRateLimitedError,
 * or the error that prevented an answer.
 */
export type FetchDocument = (
  url: string,
  options: { signal: AbortSignal; accept: string; onBegin: () => void },
) => Promise<{ body: Buffer; mediaType: string }>

export interface MetadataFetchDeps {
  call: CallContract
  fetch: FetchDocument
  hosts: HostTurns
  silent: SilentPlaces
  /** Called with how long a document took, milliseconds. */
  took: CollectionShares['took']
  gateways: Gateways
  /** Largest document, bytes. */
  maxBytes: number
  /** Unix seconds. */
  now(): bigint
}

/** Longest stored URI: a data: URI may be the whole document. */
const MAX_URI = 262_144

/** A data: URI with escapes may have this many times the size of its document. */
const MOST_IN_URI = 4

/**
 * One attempt for one token. Also resolves when it fails because of the token or its host; rejects when the chain could
 * not be asked, which says nothing about the token.
 */
export async function fetchMetadata(
  token: DueNft,
  deps: MetadataFetchDeps,
  signal: AbortSignal,
): Promise<FetchedMetadata> {
  let tokenUri: string | undefined
  try {
    tokenUri = await readTokenUri(token, deps.call, signal)
    const uri = documentUri(tokenUri, token, MOST_IN_URI * deps.maxBytes)
    const place = metadataPlace(uri, deps.gateways, deps.maxBytes)
    const read = (text: string) => readDocument(ownDocument(text, token, deps.maxBytes))
    const members = place.kind === 'inline' ? readInline(place, read) : read(await readUrl(place, deps, token, signal))
    return { status: 'INDEXED', ...keptUri(tokenUri), ...members }
  } catch (error) {
    if (!(error instanceof MetadataFailure)) throw error
    // Earlier attempts for a requested token failed at the chain, not at a host: they do not count here.
    const wait = retrySeconds(error, token.asked ? 0 : token.attempts)
    return {
      status: error.metadataStatus,
      ...keptUri(tokenUri),
      ...(wait === undefined ? {} : { retryAt: deps.now() + BigInt(wait) }),
    }
  }
}

type Place<K extends MetadataPlace['kind']> = Extract<MetadataPlace, { kind: K }>

const keptUri = (uri: string | undefined): { tokenUri?: string } =>
  uri === undefined || uri.length > MAX_URI ? {} : { tokenUri: uri }

/** Contracts write unescaped JSON with an escaped image: decoded, the image's quotes end the surrounding string. */
function readInline<T>({ text, unescaped }: Place<'inline'>, read: (text: string) => T): T {
  try {
    return read(text)
  } catch (error) {
    const isNoJson = error instanceof MetadataFailure && error.metadataStatus === 'INVALID_METADATA_JSON'
    if (!isNoJson || unescaped === undefined) throw error
    return read(unescaped)
  }
}

async function readUrl(
  { url }: Place<'url'>,
  { fetch, hosts, silent, took, maxBytes }: MetadataFetchDeps,
  { chainId, contract, asked }: DueNft,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { host } = new URL(url)
    // The host alone would be too coarse: a gateway may have one collection and lack another.
    const collection = `${contract} of ${chainId} at ${host}`
    const get = async (begins: () => void) => {
      let beganAt = steadyNow()
      const onBegin = (): void => {
        beganAt = steadyNow()
        begins()
      }
      try {
        return await fetch(url, { signal, accept: 'application/json, text/plain;q=0.5, */*;q=0.1', onBegin })
      } finally {
        took(contract, steadyNow() - beganAt)
      }
    }
    if (!asked) silent.check(collection)
    const { body, mediaType } = await hosts.run(host, () => silent.ask(collection, get, asked), asked)
    if (body.length > maxBytes) throw new AnswerTooLargeError('the document is too large')
    return documentText(body, mediaType)
  } catch (error) {
    throw failureOf(error, signal)
  }
}

function failureOf(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted || error instanceof MetadataFailure) return error instanceof Error ? error : new CancelledError()
  const text = messageOf(error)
  if (error instanceof UpstreamRateLimitedError)
    return new MetadataFailure('THROTTLED_TOKEN_URI', text, error.retryAfterMs)
  if (error instanceof AnswerTooLargeError) return new MetadataFailure('METADATA_CONTENT_TOO_LARGE', text)
  if (error instanceof BadInputError) return new MetadataFailure('INVALID_TOKEN_URI', text)
  if (error instanceof BadAnswerError) return new MetadataFailure('INVALID_METADATA', text)
  return new MetadataFailure('UNREACHABLE_TOKEN_URI', text)
}
