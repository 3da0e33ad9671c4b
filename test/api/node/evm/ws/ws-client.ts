import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../../../../support/waiting/until.ts'

/** A client of a WebSocket endpoint, until the end of the test. */
export interface Client {
  socket: WebSocket
  messages: Record<string, unknown>[]
  /** Sends a call and waits for its answer. */
  ask(method: string, params?: unknown[]): Promise<{ result?: unknown; error?: { code: number; message: string } }>
  /** Results pushed for a subscription, in order. */
  pushed<T = Record<string, string>>(subscription: unknown): T[]
  closed: Promise<{ code: number; reason: string }>
}

export async function openClient(url: string): Promise<Client> {
  const socket = new WebSocket(url)
  const messages: Record<string, unknown>[] = []
  let last = 0
  socket.on('message', (data) => void messages.push(JSON.parse(String(data)) as Record<string, unknown>))
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  socket.on('error', () => undefined)
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  onTestFinished(() => socket.terminate())
  return {
    socket,
    messages,
    closed,
    ask: async (method, params = []) => {
      last += 1
      const id = last
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      await until(() => messages.some((message) => message['id'] === id), `answer to ${method}`)
      return messages.find((message) => message['id'] === id) as never
    },
    pushed: <T>(subscription: unknown) =>
      messages.flatMap((message) => {
        const params = message['params'] as { subscription: string; result: T } | undefined
        return params && params.subscription === subscription ? [params.result] : []
      }),
  }
}

/** Heights of pushed heads. */
export const heights = (heads: { number: string }[]): number[] => heads.map(({ number }) => Number(number))
