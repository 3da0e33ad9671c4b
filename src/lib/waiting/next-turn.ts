/**
 * Resolves in the next turn of the event loop, after the writes started in this one: on idle connections those also
 * wait for the end of the turn.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // A tick queued by a microtask runs when no microtask is left: by then all started work has queued its writes.
    queueMicrotask(() => process.nextTick(setImmediate, resolve))
  })
}
