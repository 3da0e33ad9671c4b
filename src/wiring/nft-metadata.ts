import type { Logger } from 'pino'
import type { Chains } from '../chains/index.ts'
import type { Config } from '../config/index.ts'
import { UpstreamUnavailableError } from '../errors.ts'
import { SIDES } from '../lib/primary-network.ts'
import {
  type CallContract,
  createNftMetadataWorker,
  isRevert,
  type NftMetadataWorker,
} from '../services/nft-metadata/index.ts'
import type { Store } from '../store/index.ts'
import { createSafeFetch, type HostResolver, isPublicWebPlace, type UpstreamPool } from '../upstream/index.ts'
import { createEvmStreams, type EvmStreams } from './evm-streams.ts'

type MetadataChains = Pick<Chains, 'networks' | 'pools'>

const MAX_BYTES = 2 * 1024 * 1024
const CALL_MS = 15_000

/** Gateways call JSON all sorts of things; pictures and films are not even read. */
const CONTENT_TYPES = ['application/', 'text/', 'binary/', '']

/** Fetches metadata of the NFTs of every indexed EVM chain, through the pools that are there already. */
export function createServerNftMetadata(
  config: Config,
  deps: {
    chains: MetadataChains
    store: Pick<Store, 'nftMetadata' | 'reader'>
    logger: Logger
    resolve?: HostResolver | undefined
  },
): NftMetadataWorker {
  const { chains, store, logger, resolve } = deps
  const { nftMetadata } = config.data
  return createNftMetadataWorker({
    records: store.nftMetadata,
    call: callThrough(
      chains,
      createEvmStreams(config, () => store.reader.evm.chainIds()),
    ),
    fetch: createSafeFetch({
      limits: { maxBytes: MAX_BYTES, contentTypes: CONTENT_TYPES },
      allowAddress: allowedBy(nftMetadata.allowedAddresses),
      ...(resolve && { resolve }),
    }),
    gateways: { ipfs: nftMetadata.ipfsGateway, arweave: nftMetadata.arweaveGateway },
    maxBytes: MAX_BYTES,
    logger,
  })
}

/** Public addresses, and the private ones that the operator names with their ports. */
function allowedBy(named: readonly string[]): (address: string, port: number) => boolean {
  const allowed = new Set(named)
  return (address, port) =>
    isPublicWebPlace(address, port) || allowed.has(`${address.includes(':') ? `[${address}]` : address}:${port}`)
}

interface Endpoint {
  pool: UpstreamPool
  path: string
}

/**
 * The first endpoint of the chain that has an answer. What a contract says, a revert too, is one; a node that keeps no
 * state, or does not take the call, has none.
 */
function callThrough(chains: MetadataChains, streams: EvmStreams): CallContract {
  const others = new Map<bigint, Promise<Endpoint | undefined>>()
  const other = (chainId: bigint, first: Endpoint, signal: AbortSignal): Promise<Endpoint | undefined> => {
    const known = others.get(chainId)
    if (known) return known
    const asked = sameChain(chains, chainId, first, signal)
    others.set(chainId, asked)
    asked.catch(() => others.delete(chainId))
    return asked
  }
  return async (chainId, call, signal) => {
    const first = endpointOf(chains, (await streams()).get(chainId.toString()), chainId)
    try {
      return await ask(first, 'eth_call', [call, 'latest'], signal)
    } catch (error) {
      if (isRevert(error)) throw error
      const second = await other(chainId, first, signal).catch(() => undefined)
      if (!second) throw error
      return ask(second, 'eth_call', [call, 'latest'], signal)
    }
  }
}

const ask = <T>({ pool, path }: Endpoint, method: string, params: unknown[], signal: AbortSignal): Promise<T> =>
  pool.rpc<T>(path, method, params, { signal, deadline: Date.now() + CALL_MS })

/** The C-chain is asked where it is indexed from: an own network may bear the public one's chain id. */
function endpointOf({ networks, pools }: MetadataChains, stream: string | undefined, chainId: bigint): Endpoint {
  for (const side of SIDES) {
    const network = networks[side]
    if (network && stream === `${side}:C`) return { pool: network.pool, path: '/ext/bc/C/rpc' }
  }
  const pool = pools.find(({ name }) => name === `eip155:${chainId}`)
  if (!pool) throw new UpstreamUnavailableError(`chain ${chainId} has no upstreams`)
  return { pool, path: '' }
}

/** The upstreams that are configured for the chain id, if they are others and their chain begins with the same block. */
async function sameChain(
  { pools }: MetadataChains,
  chainId: bigint,
  first: Endpoint,
  signal: AbortSignal,
): Promise<Endpoint | undefined> {
  const pool = pools.find(({ name }) => name === `eip155:${chainId}`)
  if (!pool || pool === first.pool) return undefined
  const second = { pool, path: '' }
  const [here, there] = await Promise.all(
    [first, second].map((endpoint) =>
      ask<{ hash?: unknown } | null>(endpoint, 'eth_getBlockByNumber', ['0x0', false], signal),
    ),
  )
  return typeof here?.hash === 'string' && here.hash === there?.hash ? second : undefined
}
