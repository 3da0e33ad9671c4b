import type { Share } from './message-room.ts'

/** Holds what nodes push for subscriptions of batches that are being answered: no client knows an id before the answer. */
export interface EarlyPushes {
  /** Sends what was pushed for a subscription, or holds it. */
  push(message: Buffer, id: string): void
  /** The client does not know this subscription yet. */
  hold(id: string): void
  /** The client knows these now. */
  release(ids: readonly string[]): void
}

interface Push {
  message: Buffer
  id: string
}

/**
 * @param send to the client
 * @param most bytes that are held; beyond it, or where `share` has no room, they do not wait
 */
export function createEarlyPushes(send: (message: Buffer) => void, most: number, share: Share): EarlyPushes {
  const unknown = new Set<string>()
  let held: Push[] = []
  let bytes = 0
  const sendHeld = (isDue: (push: Push) => boolean): void => {
    const due = held.filter(isDue)
    held = held.filter((push) => !isDue(push))
    const freed = due.reduce((sum, { message }) => sum + message.length, 0)
    share(-freed)
    bytes -= freed
    for (const { message } of due) send(message)
  }
  return {
    push: (message, id) => {
      if (!unknown.has(id)) {
        send(message)
        return
      }
      held.push({ message, id })
      bytes += message.length
      if (!share(message.length) || bytes > most) sendHeld(() => true)
    },
    hold: (id) => unknown.add(id),
    release: (ids) => {
      for (const id of ids) unknown.delete(id)
      sendHeld(({ id }) => !unknown.has(id))
    },
  }
}
