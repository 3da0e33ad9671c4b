import type { SharedServer } from './shared-server.ts'

/** Short-lived texts that all processes read and write. */
export interface SharedValues {
  /** One text, or undefined, per key; all undefined when the server is unavailable. */
  get(keys: readonly string[]): Promise<(string | undefined)[]>
  /**
   * Remaining life of a text, milliseconds; 0 when there is none, or the server is unavailable. By the server's clock
   * only: those of processes differ.
   */
  left(key: string): Promise<number>
  /** Lives for `ttlMs` (at least 1). A lost write is no error: the next process asks the source. */
  set(entries: readonly (readonly [key: string, value: string])[], ttlMs: number): Promise<void>
  /**
   * True for the first process that takes the turn in `ttlMs` (at least 1), false for others, undefined if the server is
   * unavailable.
   */
  takeTurn(key: string, ttlMs: number): Promise<boolean | undefined>
  giveTurnBack(key: string): Promise<void>
}

/** Redis takes whole milliseconds, and refuses 0. */
const lifeOf = (ttlMs: number): number => Math.max(1, Math.ceil(ttlMs))

/** Single-key commands only, which the client pipelines: keys of one call may be on any node of a cluster. */
export const createSharedValues = (server: SharedServer): SharedValues => ({
  async get(keys) {
    const found = await server.ask((client) => Promise.all(keys.map((key) => client.get(key))))
    return keys.map((_, index) => found?.[index] ?? undefined)
  },
  async left(key) {
    return Math.max(0, (await server.ask((client) => client.pttl(key))) ?? 0)
  },
  async set(entries, ttlMs) {
    await server.ask((client) =>
      Promise.all(entries.map(([key, value]) => client.set(key, value, 'PX', lifeOf(ttlMs)))),
    )
  },
  async takeTurn(key, ttlMs) {
    const answer = await server.ask(async (client) => ({ set: await client.set(key, '1', 'PX', lifeOf(ttlMs), 'NX') }))
    return answer && answer.set === 'OK'
  },
  async giveTurnBack(key) {
    await server.ask((client) => client.del(key))
  },
})
