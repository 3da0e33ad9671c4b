import type { ServerResponse } from 'node:http'
import { TransientMap } from '../../../../lib/transient-map.ts'
import { createAnswerRoom, type Reader, SMALL } from './answer-room.ts'

/** Cuts clients that do not read their answer: it would hold its memory and its place forever. */
export interface ReadingTimes {
  /** The time runs from when the answer is complete here until the system has taken all of it. */
  watch(response: ServerResponse): void
}

/** Minimum interval between two checks of waiting answers. */
const LOOK_MS = 1_000

/**
 * @param limitMs time for a whole answer, even if the client reads parts of it meanwhile
 * @param roomBytes total size of all complete answers that wait; streams are written as they are read
 */
export function createReadingTimes(limitMs: number, roomBytes: number): ReadingTimes {
  /** In the order of their deadlines, because the limit is the same for all. */
  const waiting = new TransientMap<ServerResponse, number>()
  const room = createAnswerRoom(roomBytes)
  let timer: NodeJS.Timeout | undefined

  const look = (): void => {
    timer = undefined
    const now = performance.now()
    for (const [response, deadline] of waiting) {
      if (deadline > now) break
      waiting.delete(response)
      response.destroy()
    }
    schedule()
  }
  const schedule = (): void => {
    if (timer === undefined && waiting.size > 0) timer = setTimeout(look, Math.min(LOOK_MS, limitMs)).unref()
  }
  return {
    watch(response) {
      let reader: Reader | undefined
      response.once('prefinish', () => {
        // Most answers are gone before the first check.
        if (response.destroyed) return
        waiting.set(response, performance.now() + limitMs)
        schedule()
        if (response.writableLength <= SMALL) return
        reader = { waiting: () => response.writableLength, cut: () => void response.destroy() }
        room.look(reader)
      })
      const done = (): void => {
        waiting.delete(response)
        if (reader) room.leave(reader)
      }
      response.once('finish', done)
      response.once('close', done)
    },
  }
}
