/**
 * Resolves in the next turn of the event loop, behind the writes that were begun in this one: those of idle connections
 * wait for the end of the turn themselves.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // Ticks that are queued by a microtask run when no microtask is left: whatever has been begun has queued its write.
    queueMicrotask(() => process.nextTick(setImmediate, resolve))
  })
}
