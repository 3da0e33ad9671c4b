import { TransientMap } from '../../lib/transient-map.ts'

/** Reports how much of one answer has arrived, until the answer is passed on. */
export interface Incoming {
  /** More bytes arrived. Answers that no longer fit are given up before this returns, perhaps this one. */
  grow(bytes: number): void
  leave(): void
}

/**
 * Registers one answer of which more than `SMALL` has arrived.
 *
 * @param yields the caller decides how long the answer is: of one server's answers these are given up first
 * @param cut gives the answer up
 */
export type IncomingDoor = (yields: boolean, cut: () => void) => Incoming

/**
 * Bounds the total bytes of all answers being received. They lie outside the heap, where nothing else bounds them, and
 * a server may send slowly, or clients may ask for much, at every upstream at once.
 *
 * When more arrives than there is room for, the server that takes up most of it gives up its latest answer. So a server
 * that is slow or sends unrequested data takes no room from the others, and an answer that is nearly complete is not
 * dropped for one that has only begun. A lone answer is never given up, whatever its size.
 */
export interface IncomingRoom {
  /** One for each server. */
  door(): IncomingDoor
  /** Bytes received of all answers larger than `SMALL`. */
  held(): number
}

/** Bytes that are not counted: an answer of at most this size always has room. */
export const SMALL = 65_536

interface Server {
  held: number
  /** Oldest first. */
  answers: TransientMap<Answer, true>
}

interface Answer {
  server: Server
  bytes: number
  yields: boolean
  cut: () => void
}

/** The server's latest answer, of those that yield if there are any. */
function latestOf({ answers }: Server): Answer | undefined {
  let latest: Answer | undefined
  for (const answer of answers.keys()) if (answer.yields || !latest?.yields) latest = answer
  return latest
}

/** @param room bytes */
export function createIncomingRoom(room: number): IncomingRoom {
  /** Servers with answers in the room. */
  const servers = new Set<Server>()
  let held = 0
  let count = 0

  const leave = (answer: Answer): void => {
    const { server, bytes } = answer
    if (!server.answers.delete(answer)) return
    count -= 1
    held -= bytes
    server.held -= bytes
    if (server.answers.size === 0) servers.delete(server)
  }
  const fullest = (): Server | undefined => {
    let most: Server | undefined
    for (const server of servers) if (!most || server.held > most.held) most = server
    return most
  }
  const makeRoom = (): void => {
    while (held > room && count > 1) {
      const server = fullest()
      const latest = server && latestOf(server)
      if (!latest) return
      leave(latest)
      latest.cut()
    }
  }
  const enter = (answer: Answer): Incoming => {
    const { server } = answer
    servers.add(server)
    server.answers.set(answer, true)
    count += 1
    return {
      grow(bytes) {
        if (!server.answers.has(answer)) return
        answer.bytes += bytes
        server.held += bytes
        held += bytes
        if (held > room) makeRoom()
      },
      leave: () => leave(answer),
    }
  }
  return {
    door() {
      const server: Server = { held: 0, answers: new TransientMap() }
      return (yields, cut) => enter({ server, bytes: 0, yields, cut })
    },
    held: () => held,
  }
}
