/**
 * Metadata of NFTs: from the URI that a contract names to the members that the indexed API shows. One worker takes due
 * tokens from the store's queue and records the outcome of each.
 */
export type { FetchDocument } from './metadata-fetch.ts'
export type { Gateways } from './metadata-place.ts'
export { createNftMetadataWorker, type NftMetadataWorker, type NftMetadataWorkerDeps } from './metadata-worker.ts'
export { type CallContract, isRevert } from './token-uri.ts'
