import { TransientMap } from '../../lib/transient-map.ts'

/** Says how much of one answer is here, until it is handed on. */
export interface Incoming {
  /** More has come; whoever has no place is given up before this returns, which may be this one. */
  grow(bytes: number): void
  leave(): void
}

/**
 * Takes in one answer of which more than `SMALL` is here.
 *
 * @param yields whoever asks decides how long it is: of one server's answers these are given up first
 * @param cut gives it up
 */
export type IncomingDoor = (yields: boolean, cut: () => void) => Incoming

/**
 * Bounds the bytes of all answers that are on their way in, together: they lie outside the heap, where nothing else bounds
 * them, and a server may send slowly, or clients ask for much, at every upstream at once.
 *
 * Where more comes than there is room for, the server with most of it gives up its latest answer, so that one that is
 * slow or sends what nobody asked for takes no room from the others, and what is nearly here is not lost for what has
 * only begun. The only answer is never given up, whatever its size.
 */
export interface IncomingRoom {
  /** One for each server. */
  door(): IncomingDoor
  /** Bytes of the answers of more than `SMALL`. */
  held(): number
}

/** Of an answer that has no more than this it is not counted how much is here, bytes: small answers always have a place. */
export const SMALL = 65_536

interface Server {
  held: number
  /** In the order of their beginning. */
  answers: TransientMap<Answer, true>
}

interface Answer {
  server: Server
  bytes: number
  yields: boolean
  cut: () => void
}

/** Its latest answer, of those that yield if there are any. */
function latestOf({ answers }: Server): Answer | undefined {
  let latest: Answer | undefined
  for (const answer of answers.keys()) if (answer.yields || !latest?.yields) latest = answer
  return latest
}

/** @param room bytes */
export function createIncomingRoom(room: number): IncomingRoom {
  /** Those that have answers in here. */
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
