import { describe, expect, it } from 'vitest'
import { createStage, type Stage } from '../support/server/stage.ts'
import { type ApiDocument, type Operation, readAnswer } from './document.ts'

/** How to get one declared status out of one operation of a real server. */
export interface Provocation {
  operationId: string
  status: number
  /** What makes this way different, where a status has several. */
  how?: string
  provoke(stage: Stage): Promise<Response>
  /** Header values the answer must carry; the document speaks of them in words only. */
  headers?: Record<string, RegExp>
}

/** Requests that nobody foresaw must get one of the declared answers, too. */
const STRANGE: { how: string; init: (operation: Operation) => RequestInit }[] = [
  { how: 'method PATCH', init: () => ({ method: 'PATCH' }) },
  { how: 'DELETE with a body', init: () => ({ method: 'DELETE', body: '{}', headers: { 'content-type': 'text/x' } }) },
  { how: 'no body', init: ({ method }) => ({ method }) },
  ...['', '\0', '{}', '[]', 'null', '1', '"\ud800"', '{"a":', `${'['.repeat(50_000)}`, '{"__proto__":1}'].map(
    (body) => ({
      how: `body ${JSON.stringify(body).slice(0, 20)}`,
      init: ({ method }: Operation) =>
        method === 'GET' ? { method } : { method, body, headers: { 'content-type': 'application/json' } },
    }),
  ),
  ...['', 'nonsense', 'text/plain', 'multipart/form-data', 'application/json; charset=latin1'].map((type) => ({
    how: `content type ${type}`,
    init: ({ method }: Operation) =>
      method === 'GET'
        ? { method, headers: { 'content-type': type } }
        : { method, body: '{}', headers: { 'content-type': type } },
  })),
  {
    how: 'odd headers',
    init: ({ method }) => ({
      method,
      headers: { accept: 'image/png', range: 'bytes=5-', 'if-none-match': '*', 'x-request-id': 'ü', origin: 'null' },
    }),
  },
]

/**
 * Tests that every declared status of every operation can be had from a running server, and no other one. A status
 * without a provocation fails, so that a document cannot promise what nobody has seen.
 */
export function describeProvokedStatuses(document: ApiDocument, provocations: readonly Provocation[]): void {
  const inStage = async (run: (stage: Stage) => Promise<void>): Promise<void> => {
    const stage = createStage()
    try {
      await run(stage)
    } finally {
      await stage.clear()
    }
  }

  describe.each(document.operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
    const own = provocations.filter(({ operationId }) => operationId === id)

    it('has a provocation for every declared status', () => {
      expect([...new Set(own.map(({ status }) => status))].sort()).toEqual(operation.statuses)
    })

    it.each(own.map((provocation) => [`${provocation.status} ${provocation.how ?? ''}`.trim(), provocation] as const))(
      '%s',
      async (_name, { status, provoke, headers }) => {
        await inStage(async (stage) => {
          const answer = await readAnswer(await provoke(stage))
          expect(answer.status, answer.body).toBe(status)
          document.check(id, answer)
          for (const [name, pattern] of Object.entries(headers ?? {})) {
            expect(answer.headers.get(name), name).toMatch(pattern)
          }
        })
      },
    )

    it('answers strange requests with declared statuses', async () => {
      await inStage(async (stage) => {
        const { url } = await stage.serve()
        for (const { how, init } of STRANGE) {
          const response = await fetch(url + operation.path, init(operation))
          const answer = await readAnswer(response)
          expect(() => document.check(id, answer), how).not.toThrow()
          expect(answer.status, how).toBeLessThan(500)
        }
      })
    })
  })

  it('has no provocation for an operation that is gone', () => {
    const known = new Set(document.operations.map(({ id }) => id))
    expect(provocations.filter(({ operationId }) => !known.has(operationId))).toEqual([])
  })
}
