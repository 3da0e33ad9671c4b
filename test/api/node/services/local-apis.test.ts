import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf, type Conversation } from '../../../support/replay-node/recorded/conversations.ts'
import { conversationsOf, type RecordedStage, replay, startStage } from '../recorded-node.ts'
import { untilHealthRan } from './health-stage.ts'

let stage: RecordedStage
beforeAll(async () => {
  stage = await startStage(['network-moment'])
  await untilHealthRan(stage.url)
})
afterAll(() => stage?.close())

/** Outside of /ext this server has paths of its own: no node's 404 there. */
const named = (set: 'network-moment' | 'legacy', prefix: string) =>
  conversationsOf(set).filter(({ name, request }) => name.startsWith(prefix) && request.path.startsWith('/ext'))

const send = async ({ request }: Conversation): Promise<{ status: number; type: string | null; body: string }> => {
  const answer = await fetch(stage.url + request.path, {
    method: request.method,
    headers: request.headers.filter(([name]) => !/^(host|connection|content-length)$/i.test(name)),
    ...(request.method === 'POST' ? { body: bodyOf(request).toString() } : {}),
  })
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
}

type Report = { checks: Record<string, Record<string, unknown>>; healthy: boolean }
const reportIn = (body: string): Report => {
  const parsed = JSON.parse(body) as Report & { result?: Report }
  return parsed.result ?? parsed
}
/** What only a node can check: its BLS key, and what its peers think of the next upgrade. */
const NODE_ONLY = ['bls', 'futureupgrade']
const namesIn = (report: Report): string[] => Object.keys(report.checks).filter((name) => !NODE_ONLY.includes(name))

describe('recorded conversations about health', () => {
  const all = [...named('network-moment', 'health/'), ...named('legacy', 'health/')]
  const hasChecks = ({ response }: Conversation) => /"checks":\{"/.test(response.body ?? '')

  it('are there', () => {
    expect(all.filter(hasChecks).length).toBeGreaterThan(20)
    expect(all.length - all.filter(hasChecks).length).toBeGreaterThan(20)
  })

  it.each(all.filter((one) => !hasChecks(one)).map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const answer = await send(one)
    const type = one.response.headers.find(([name]) => name === 'Content-Type')?.[1] ?? null
    const body = one.request.method === 'HEAD' ? '' : one.response.body
    expect(answer).toEqual({ status: one.response.status, type, body })
  })

  it.each(all.filter(hasChecks).map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const answer = await send(one)
    expect(answer.status).toBe(one.response.status)
    const [own, real] = [reportIn(answer.body), reportIn(one.response.body ?? '')]
    // The same checks in the same order, in the same envelope: only what they say is ours.
    expect(Object.keys(own.checks)).toEqual(namesIn(real))
    expect(own.healthy).toBe(true)
    const envelope = (body: string) => body.replace(/\{"checks":.*"healthy":true\}/s, 'REPORT')
    expect(envelope(answer.body)).toBe(envelope(one.response.body ?? ''))
    for (const name of namesIn(real)) {
      const members = Object.keys(real.checks[name] ?? {})
      expect(Object.keys(own.checks[name] ?? {})).toEqual([...members, 'contiguousFailures', 'timeOfFirstFailure'])
      expect(own.checks[name]).toMatchObject({ contiguousFailures: 0, timeOfFirstFailure: null })
    }
  })

  it.each(named('network-moment', 'health/').map((one) => [one.name, one] as const))(
    'headers as recorded: %s',
    async (_name, one) => {
      // With volatile members the length varies, and nothing else.
      expect((await replay(stage.port, { ...one, volatile: ['$body'] })).verdict).toMatch(/^(identical|equal)$/)
    },
  )
})

describe('recorded conversations about info', () => {
  it.each(named('network-moment', 'info/').map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const { verdict, seen } = await replay(stage.port, one)
    expect(verdict, seen).toMatch(/^(identical|equal)$/)
  })
})

describe('recorded conversations about the index, forwarded', () => {
  const isZero = ({ response }: Conversation) => /but is 0"/.test(response.body ?? '')
  const all = named('network-moment', 'index/')

  it.each(all.filter((one) => !isZero(one)).map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const { verdict, seen } = await replay(stage.port, one)
    expect(verdict, seen).toMatch(/^(identical|equal)$/)
  })

  it.each(all.filter(isZero).map((one) => [one.name, one] as const))('differs on purpose: %s', async (_name, one) => {
    expect((await send(one)).body).toBe('{"jsonrpc":"2.0","result":{"containers":[]},"id":1}\n')
  })
})
