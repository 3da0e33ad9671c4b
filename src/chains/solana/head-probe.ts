import { BadAnswerError } from '../../errors.ts'
import type { HeadProbe, IdentityProbe } from '../../upstream/types.ts'
import { COMMITMENT } from './slotted.ts'

/** Identity of the servers of a chain: its CAIP-2 id is the start of its genesis hash. */
export const solanaIdentity = (caip2Id: string): IdentityProbe => ({
  network: caip2Id,
  path: '',
  rpc: 'getGenesisHash',
  parse: (hash) => (typeof hash === 'string' && hash !== '' ? hash : undefined),
  matches: (hash) => hash.startsWith(caip2Id.slice(caip2Id.indexOf(':') + 1)),
})

/** Slot of a node at the commitment used for balances; a pool's lag is then counted in slots of 0.4 s. */
export const solanaHeadProbe: HeadProbe = {
  path: '',
  method: 'getSlot',
  params: [{ commitment: COMMITMENT }],
  parse(result) {
    if (typeof result === 'number' && Number.isSafeInteger(result) && result >= 0) return BigInt(result)
    throw new BadAnswerError('slot is not an integer')
  },
  intervalMs: 5_000,
}
