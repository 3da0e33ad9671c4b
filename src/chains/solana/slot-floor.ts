import { steadyNow } from '../../lib/steady-clock.ts'

/** The newest known slot. */
export interface SlotFloor {
  /** Slot of the newest complete recent read; 0 when there was none. */
  slot(): bigint
  /** Records a complete read whose oldest answer is of this slot. */
  saw(slot: bigint): void
}

/** An older slot does not count: a network that was set back must not stay an error for ever. */
const FORGOTTEN_MS = 60_000

/**
 * Many servers stand behind one address, and some of them lag: an answer that is much older than earlier ones would
 * show a balance that is already spent.
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
