import { BadAnswerError, CancelledError, JsonRpcError } from '../../../errors.ts'
import { TransientMap } from '../../../lib/transient-map.ts'

interface Waiter {
  resolve(value: unknown): void
  reject(error: Error): void
}

const toError = (error: unknown): Error => {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  // Some servers send only the text.
  const text = typeof message === 'string' ? message : String(error)
  return new JsonRpcError(`Electrum: ${text.slice(0, 300)}`, typeof code === 'number' ? code : 0, undefined, true)
}

/** The open calls of one Electrum connection: answers arrive in any order and are matched by id. */
export const createElectrumCalls = () => {
  const waiting = new TransientMap<number, Waiter>()
  let nextId = 0

  /** Opens a call; `onForsaken` runs when an abort leaves no call waiting. */
  const open = (signal: AbortSignal, onForsaken: () => void): { id: number; answer: Promise<unknown> } => {
    const id = nextId++
    const answer = new Promise<unknown>((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(id)
        reject(new CancelledError())
        if (waiting.size === 0) onForsaken()
      }
      const settled =
        <T>(done: (value: T) => void) =>
        (value: T): void => {
          signal.removeEventListener('abort', onAbort)
          done(value)
        }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.set(id, { resolve: settled(resolve), reject: settled(reject) })
    })
    return { id, answer }
  }

  /** Settles the call that a line answers. Throws when the line answers no call: the ids can no longer be trusted. */
  const settle = (line: string): void => {
    const message = JSON.parse(line) as Record<string, unknown> | null
    if (typeof message !== 'object' || message === null) throw new BadAnswerError('line is no object')
    const { id, error } = message
    // There are no subscriptions here, but a notification does no harm.
    if (typeof message.method === 'string') return
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= nextId) {
      throw error ? toError(error) : new BadAnswerError('answer to a call never made')
    }
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (error !== undefined && error !== null) waiter?.reject(toError(error))
    else if ('result' in message) waiter?.resolve(message.result)
    else waiter?.reject(new BadAnswerError('neither result nor error'))
  }

  return {
    open,
    settle,
    idle: () => waiting.size === 0,
    failAll(error: Error): void {
      for (const waiter of waiting.values()) waiter.reject(error)
      waiting.clear()
    },
  }
}
