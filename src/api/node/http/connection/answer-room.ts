import { TransientMap } from '../../../../lib/transient-map.ts'

/** A client whose answers wait here until it reads them. */
export interface Reader {
  /** Bytes that currently wait for it. */
  waiting(): number
  /** Cuts the client and drops all that waits for it. */
  cut(): void
}

/**
 * Bounds the total bytes of all answers that wait to be read: they are outside the heap, where nothing else bounds
 * them, and clients may request any number of answers without reading one.
 */
export interface AnswerRoom {
  /**
   * Called when more waits for a reader than before. If the total exceeds the room, the readers that have been behind
   * for longest are cut until the rest fits; never the only one, so that an answer of any size can be read.
   */
  look(reader: Reader): void
  /** The reader is gone or has read everything. */
  leave(reader: Reader): void
}

/** A reader with no more bytes waiting is not behind. */
export const SMALL = 65_536

/** @param room total bytes that may wait for readers that are behind */
export function createAnswerRoom(room: number): AnswerRoom {
  /** Readers that are behind, in the order in which they were noticed, and the bytes that waited at the last look. */
  const behind = new TransientMap<Reader, number>()
  let held = 0

  const note = (reader: Reader): void => {
    const bytes = reader.waiting()
    if (bytes <= SMALL) {
      leave(reader)
      return
    }
    held += bytes - (behind.get(reader) ?? 0)
    behind.set(reader, bytes)
  }
  const leave = (reader: Reader): void => {
    held -= behind.get(reader) ?? 0
    behind.delete(reader)
  }
  return {
    look(reader) {
      note(reader)
      if (held <= room) return
      // They may have read since the last look.
      for (const one of behind.keys()) note(one)
      for (const one of behind.keys()) {
        if (held <= room || behind.size < 2) return
        leave(one)
        one.cut()
      }
    },
    leave,
  }
}
