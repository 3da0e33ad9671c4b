import { createLogger } from '../../src/lib/logging/logger.ts'

/** One word for each secret, so that a leak says which one; they look like nothing else in any output. */
export const canary = (name: string): string => `Canary-${name}-7f3a9c51e2`

type Post = (base: string, path: string, body: unknown, headers?: Record<string, string>) => Promise<string>

/** Sees everything that a server lets out. */
export interface Witness {
  /** By where it came out. */
  outputs: { from: string; text: string }[]
  note(from: string, text: string): void
  /** Places of canaries in what came out. */
  leaks(): string[]
  /** Writes every level to `outputs`. */
  logger(): ReturnType<typeof createLogger>
  /** Asks, and notes the whole answer: status line, headers, body. */
  ask(base: string, path: string, init?: RequestInit): Promise<string>
  post: Post
}

export function createWitness(): Witness {
  const outputs: Witness['outputs'] = []
  const note = (from: string, text: string): void => void outputs.push({ from, text })

  const ask: Witness['ask'] = async (base, path, init = {}) => {
    const answer = await fetch(base + path, { ...init, signal: AbortSignal.timeout(30_000) })
    const text = await answer.text()
    const head = `${answer.status} ${JSON.stringify([...answer.headers])}`
    note(`${init.method ?? 'GET'} ${path.split('?')[0]}`, `${head} ${text}`)
    return text
  }

  return {
    outputs,
    note,
    leaks: () =>
      outputs.flatMap(({ from, text }) => {
        const at = text.search(/canary-/i)
        return at < 0 ? [] : [`${from}: ${text.slice(Math.max(0, at - 80), at + 80)}`]
      }),
    logger: () => createLogger({ level: 'trace' }, { write: (line) => note('log', line) }),
    ask,
    post: (base, path, body, headers = {}) =>
      ask(base, path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}
