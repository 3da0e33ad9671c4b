import { idFromCb58 } from './ids.ts'

/**
 * X-chains that had no blocks before Cortina, by blockchain id (hex), and when their blocks began (unix seconds):
 * mainnet's and the testnet's. What they left unspent before is in no block. Other networks begin with blocks.
 */
export const FIRST_X_BLOCKS: ReadonlyMap<string, bigint> = new Map([
  [idFromCb58('2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'), 1_682_434_800n],
  [idFromCb58('2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'), 1_680_793_200n],
])
