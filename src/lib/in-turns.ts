import { nextTurn } from './next-turn.ts'

/** Work on many items that takes long altogether: after every `perTurn` of them others get a turn of the event loop. */
export async function inTurns<T>(items: Iterable<T>, perTurn: number, work: (item: T) => void): Promise<void> {
  let done = 0
  for (const item of items) {
    if (done > 0 && done % perTurn === 0) await nextTurn()
    work(item)
    done += 1
  }
}
