import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import type { Chains } from '../../chains/index.ts'
import type { Config } from '../../config/index.ts'
import { createNftMetadataWorker, type NftMetadataWorker } from '../../services/nft-metadata/index.ts'
import type { Store } from '../../store/index.ts'
import { createSafeFetch, type HostResolver, isPublicWebPlace } from '../../upstream/index.ts'
import { createContractCalls } from './contract-calls.ts'
import { createEvmStreams } from './evm-streams.ts'

export const MAX_BYTES = 2 * 1024 * 1024

/** Gateways send JSON with many content types; pictures and films are not read at all. */
const CONTENT_TYPES = ['application/', 'text/', 'binary/', '']

/** Fetches metadata of the NFTs of every indexed EVM chain, through the existing pools. */
export function createServerNftMetadata(
  config: Config,
  deps: {
    chains: Pick<Chains, 'networks' | 'pools'>
    store: Pick<Store, 'nftMetadata' | 'reader'>
    logger: Logger
    resolve?: HostResolver | undefined
  },
): NftMetadataWorker {
  const { chains, store, logger, resolve } = deps
  const { nftMetadata } = config.data
  return createNftMetadataWorker({
    records: store.nftMetadata,
    call: createContractCalls(
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
  const allowed = new Set(named.map(inShort))
  return (address, port) =>
    isPublicWebPlace(address, port) ||
    allowed.has(isIPv6(address) ? inShort(`[${address}]:${port}`) : `${address}:${port}`)
}

/** An IPv6 address can be written in many ways; a URL normalises it. */
const inShort = (place: string): string =>
  place.startsWith('[') && URL.canParse(`http://${place}`) ? new URL(`http://${place}`).host : place
