import { steadyNow } from '../../lib/steady-clock.ts'

/** What is known of the newest slot. */
export interface SlotFloor {
  /** Slot of the newest complete read of late; 0 when there was none. */
  slot(): bigint
  /** A read was complete; its oldest answer is of this slot. */
  saw(slot: bigint): void
}

/** Longer ago it no longer counts: a network that was set back must not stay an error for ever. */
const FORGOTTEN_MS = 60_000

/**
 * Many servers stand behind one address, and some of them lag: an answer that is much older than what was told before
 * would bring a balance back that is spent by now.
 * @param clock milliseconds
 */
export const createSlotFloor = (clock: () => number = steadyNow): SlotFloor => {
  let newest = 0n
  let at = 0
  return {
    slot: () => (clock() - at < FORGOTTEN_MS ? newest : 0n),
    saw(slot) {
      if (slot < newest && clock() - at < FORGOTTEN_MS) return
      newest = slot
      at = clock()
    },
  }
}
