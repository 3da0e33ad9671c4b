import { afterEach, expect, it, vi } from 'vitest'
import { createStage } from '../../support/server/stage.ts'

const stage = createStage()
afterEach(async () => {
  vi.restoreAllMocks()
  await stage.clear()
})

it.each(['/schema.json', '/docs/json', '/api-json', '/api/json'])(
  'the document at %s is written once, and told to be known to who has it',
  async (path) => {
    const { url } = await stage.serve({})
    const first = await fetch(url + path)
    const text = await first.text()
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0', paths: expect.any(Object) })
    const write = vi.spyOn(JSON, 'stringify')
    const again = await fetch(url + path)
    expect(await again.text()).toBe(text)
    const documents = write.mock.calls.filter(
      ([value]) => (value as { openapi?: string } | null)?.openapi !== undefined,
    )
    expect(documents).toEqual([])
    const etag = first.headers.get('etag') ?? ''
    expect(again.headers.get('etag')).toBe(etag)
    expect([again.headers.get('content-type'), again.headers.get('cache-control')]).toEqual([
      'application/json; charset=utf-8',
      'no-cache',
    ])
    const known = await fetch(url + path, { headers: { 'if-none-match': etag } })
    expect([known.status, await known.text()]).toEqual([304, ''])
  },
)
