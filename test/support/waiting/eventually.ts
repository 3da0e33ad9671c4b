import { vi } from 'vitest'

/** No machine is slower than this, and what never happens still fails, with the last complaint of `check`. */
const PATIENCE_MS = 60_000

/** Waits until `check` passes: for the event, whatever time it takes. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 })
