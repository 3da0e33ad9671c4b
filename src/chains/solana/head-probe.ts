import { BadAnswerError } from '../../errors.ts'
import type { HeadProbe } from '../../upstream/types.ts'
import { COMMITMENT } from './slotted.ts'

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
