import { nextTurn } from './next-turn.ts'

/** Long work on many items: after every `perTurn` items other work gets a turn of the event loop. */
export async function inTurns<T>(items: Iterable<T>, perTurn: number, work: (item: T) => void): Promise<void> {
  let done = 0
  for (const item of items) {
    if (done > 0 && done % perTurn === 0) await nextTurn()
    work(item)
    done += 1
  }
}
