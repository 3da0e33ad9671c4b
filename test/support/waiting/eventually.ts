import { vi } from 'vitest'
import { PATIENCE_MS } from './until.ts'

/** Waits until `check` passes, for the event, whatever time it takes. @throws what `check` last complained of */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 })
