import type { Share } from './message-room.ts'
import type { Notification } from './subscriptions/notification.ts'

/** Buffers what a node pushes while missed notifications are read again from it. */
export interface Held {
  /** False while nothing is buffered. */
  readonly isOpen: boolean
  /** Starts with an empty buffer. */
  begin(): void
  /** False when there is no room for it. */
  add(notification: Notification): boolean
  /** Returns the buffered notifications in order of arrival, and stops buffering. */
  end(): Notification[]
}

/** Notifications of one client; small ones take more memory than their bytes. */
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
