import type { SharedServer } from './shared-server.ts'

/** Texts that reach all processes that listen at that moment, this one too. One may be lost, and nobody learns of it. */
export interface SharedNews {
  tell(text: string): void
  listen(listener: (text: string) => void): void
}

export const createSharedNews = (server: SharedServer, channel: string): SharedNews => ({
  tell: (text) => server.publish(channel, text),
  listen: (listener) => server.subscribe(channel, listener),
})
