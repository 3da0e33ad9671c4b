import type { IdentityProbe } from '../../upstream/types.ts'

/** Identity of the servers of a chain: its CAIP-2 id is the start of its genesis hash. */
export const solanaIdentity = (caip2Id: string): IdentityProbe => ({
  network: caip2Id,
  path: '',
  rpc: 'getGenesisHash',
  parse: (hash) => (typeof hash === 'string' && hash !== '' ? hash : undefined),
  matches: (hash) => hash.startsWith(caip2Id.slice(caip2Id.indexOf(':') + 1)),
})
