import type { SharedServer } from './shared-server.ts'

/** Texts that reach all processes listening at that moment, including this one. One may be lost without notice. */
export interface SharedNews {
  /** See `publish` of `SharedServer`. */
  tell(text: string): Promise<boolean> | undefined
  /** @param onJoined called whenever what is told here reaches the others and what they tell this process, after a gap */
  listen(listener: (text: string) => void, onJoined?: () => void): void
}

export const createSharedNews = (server: SharedServer, channel: string): SharedNews => ({
  tell: (text) => server.publish(channel, text),
  listen: (listener, onJoined) => server.subscribe(channel, listener, onJoined),
})
