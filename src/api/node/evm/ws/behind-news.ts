import type { PeerProcesses } from '../../forward/consistency/peer-processes.ts'
import type { Share } from './message-room.ts'

/** Pushes to one client, in order, none before other processes know what it shows. */
export interface BehindNews {
  /** @param send is called now, or once other processes have been sent all that was shown until now */
  push(message: Buffer, send: () => void): void
}

type Push = Parameters<BehindNews['push']>

/**
 * Holds a push back until other processes know what it shows, since its client may ask one of them at once. That takes one
 * or two round trips to the shared server while something new is sent; if that hangs, no longer than for an answer over
 * HTTP.
 * @param peers left out = this is the only process
 * @param share of the room for all clients' messages; where there is none, pushes do not wait
 */
export function createBehindNews(peers: Pick<PeerProcesses, 'sent'> | undefined, share: Share): BehindNews {
  let due: Push[] = []
  /** Pushes after those that are due: they may show more than what is being sent now. */
  let next: Push[] = []
  let isWaiting = false
  const sendAll = (pushes: Push[]): void => {
    for (const [message, send] of pushes.splice(0)) {
      share(-message.length)
      send()
    }
  }
  const wait = async (): Promise<void> => {
    isWaiting = true
    while (next.length > 0) {
      due = next
      next = []
      await peers?.sent()
      sendAll(due)
    }
    isWaiting = false
  }
  return {
    push: (message, send) => {
      if (!isWaiting && !peers?.sent()) {
        send()
        return
      }
      next.push([message, send])
      if (share(message.length)) void (isWaiting || wait())
      else for (const pushes of [due, next]) sendAll(pushes)
    },
  }
}
