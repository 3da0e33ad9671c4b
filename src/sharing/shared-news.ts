import type { SharedServer } from './shared-server.ts'

/** Texts that reach all processes listening at that moment, including this one. One may be lost without notice. */
export interface SharedNews {
  /** See `publish` of `SharedServer`. */
  tell(text: string): Promise<boolean> | undefined
  listen(listener: (text: string) => void): void
}

export const createSharedNews = (server: SharedServer, channel: string): SharedNews => ({
  tell: (text) => server.publish(channel, text),
  listen: (listener) => server.subscribe(channel, listener),
})
