import type { Share } from './message-room.ts'

/** Holds what nodes push while batches that subscribe are answered: no client knows an id before it has the answer. */
export interface EarlyPushes {
  /** Sends what was pushed, or holds it. */
  push(message: Buffer): void
  /** A batch that subscribes is being answered. */
  begin(): void
  /** Its answer has been sent. */
  end(): void
}

/**
 * @param send to the client
 * @param most bytes that are held; beyond it, or where `share` has no room, they do not wait
 */
export function createEarlyPushes(send: (message: Buffer) => void, most: number, share: Share): EarlyPushes {
  let batches = 0
  let held: Buffer[] = []
  let bytes = 0
  const sendAll = (): void => {
    const all = held
    held = []
    share(-bytes)
    bytes = 0
    for (const message of all) send(message)
  }
  return {
    push: (message) => {
      if (batches === 0) {
        send(message)
        return
      }
      held.push(message)
      bytes += message.length
      if (!share(message.length) || bytes > most) sendAll()
    },
    begin: () => {
      batches += 1
    },
    end: () => {
      batches -= 1
      if (batches === 0) sendAll()
    },
  }
}
