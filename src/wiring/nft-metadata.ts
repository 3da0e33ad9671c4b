import type { Logger } from 'pino'
import type { Chains } from '../chains/index.ts'
import type { Config } from '../config/index.ts'
import { UpstreamUnavailableError } from '../errors.ts'
import { type CallContract, createNftMetadataWorker, type NftMetadataWorker } from '../services/nft-metadata/index.ts'
import type { Store } from '../store/index.ts'
import { createSafeFetch, isPublicWebPlace, type UpstreamPool } from '../upstream/index.ts'
import { cChainId } from './evm-streams.ts'

type MetadataChains = Pick<Chains, 'networks' | 'pools'>

const MAX_BYTES = 2 * 1024 * 1024
const CALL_MS = 15_000

/** Gateways call JSON all sorts of things; pictures and films are not even read. */
const CONTENT_TYPES = ['application/', 'text/', 'binary/', '']

/** Fetches metadata of the NFTs of every indexed EVM chain, through the pools that are there already. */
export function createServerNftMetadata(
  config: Config,
  { chains, store, logger }: { chains: MetadataChains; store: Pick<Store, 'nftMetadata'>; logger: Logger },
): NftMetadataWorker {
  const { nftMetadata } = config.data
  return createNftMetadataWorker({
    records: store.nftMetadata,
    call: callThrough(config, chains),
    fetch: createSafeFetch({
      limits: { maxBytes: MAX_BYTES, contentTypes: CONTENT_TYPES },
      allowAddress: allowedBy(nftMetadata.allowedAddresses),
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

function callThrough(config: Config, chains: MetadataChains): CallContract {
  return async (chainId, call, signal) => {
    const [pool, path] = poolOf(config, chains, chainId)
    return pool.rpc<unknown>(path, 'eth_call', [call, 'latest'], { signal, deadline: Date.now() + CALL_MS })
  }
}

/** The C-chain is asked where it is indexed from: an own network may bear the public one's chain id. */
function poolOf(config: Config, chains: MetadataChains, chainId: bigint): [pool: UpstreamPool, path: string] {
  for (const side of ['mainnet', 'testnet'] as const) {
    const network = chains.networks[side]
    if (network && cChainId(config, side) === chainId) return [network.pool, '/ext/bc/C/rpc']
  }
  const pool = chains.pools.find(({ name }) => name === `eip155:${chainId}`)
  if (!pool) throw new UpstreamUnavailableError(`chain ${chainId} has no upstreams`)
  return [pool, '']
}
