import { TransientMap } from '../../../lib/transient-map.ts'

/** A client whose answers wait here until it reads them. */
export interface Reader {
  /** Bytes that wait for it now. */
  waiting(): number
  /** Ends it, with all that waits for it. */
  cut(): void
}

/**
 * Bounds the bytes of all answers that wait to be read, together: they lie outside the heap, where nothing else bounds them,
 * and strangers may ask for as many as they like without reading one.
 */
export interface AnswerRoom {
  /**
   * To be called when more waits for a reader than before. Where that is more than there is room for, those who have been
   * behind for longest are cut until the rest fits; never the only one, so that an answer of any size can be read.
   */
  look(reader: Reader): void
  /** It is gone, or has read everything. */
  leave(reader: Reader): void
}

/** For whom no more than this waits is not behind, bytes. */
export const SMALL = 65_536

/** @param room bytes of all that waits for those who are behind */
export function createAnswerRoom(room: number): AnswerRoom {
  /** Who is behind, in the order in which they were seen to be, and what waited for them when they were looked at last. */
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
      // They have read on since they were looked at.
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
