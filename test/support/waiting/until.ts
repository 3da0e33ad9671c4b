import { setTimeout as sleep } from 'node:timers/promises'

/** No machine is slower than this, whole indexes included; it ends before Vitest ends the test, to say what was missing. */
export const PATIENCE_MS = 240_000

/**
 * Waits until the condition holds; resolves to the milliseconds that took.
 * @param what is waited for, told where it never happened
 * @param everyMs pause between two looks; longer ones for what asks a busy server
 * @throws Error that says `what` never happened
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string),
  everyMs = 5,
): Promise<number> {
  const begin = performance.now()
  while (!(await condition())) {
    if (performance.now() - begin > PATIENCE_MS)
      throw new Error(`never happened: ${typeof what === 'string' ? what : what()}`)
    await sleep(everyMs)
  }
  return performance.now() - begin
}
