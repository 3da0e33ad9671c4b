import type { Share } from './message-room.ts'
import type { Notification } from './notification.ts'

/** What a node pushes while what was missed before it is read again from it. */
export interface Held {
  /** False while what comes is not to be held. */
  readonly isOpen: boolean
  /** Begins anew, with nothing. */
  begin(): void
  /** False when that is more than there is room for. */
  add(notification: Notification): boolean
  /** What was held, in the order of its coming; it is held no longer. */
  end(): Notification[]
}

/** Notifications of one client; small ones are larger in memory than their bytes. */
const MOST_HELD = 20_000

/** @param share of the room for all clients' messages */
export function createHeld(share: Share): Held {
  let held: Notification[] | undefined
  let bytes = 0
  const end = (): Notification[] => {
    const all = held ?? []
    share(-bytes)
    bytes = 0
    held = undefined
    return all
  }
  return {
    get isOpen() {
      return held !== undefined
    },
    begin: () => {
      end()
      held = []
    },
    add: (notification) => {
      const { length } = notification.message
      bytes += length
      return share(length) && (held?.push(notification) ?? 0) <= MOST_HELD
    },
    end,
  }
}
