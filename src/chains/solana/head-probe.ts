import { BadAnswerError } from '../../errors.ts'
import type { HeadProbe, IdentityProbe } from '../../upstream/types.ts'
import { COMMITMENT } from './slotted.ts'

/** What the servers of a chain have to say of themselves: its CAIP-2 id begins its genesis hash. */
export const solanaIdentity = (caip2Id: string): IdentityProbe => ({
  network: caip2Id,
  path: '',
  rpc: 'getGenesisHash',
  parse: (hash) => (typeof hash === 'string' && hash !== '' ? hash : undefined),
  matches: (hash) => hash.startsWith(caip2Id.slice(caip2Id.indexOf(':') + 1)),
})

/** Slot of a node at the commitment that balances are read with; a pool's lag is then counted in slots of 0.4 s. */
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
