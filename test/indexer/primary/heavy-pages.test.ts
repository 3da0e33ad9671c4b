import { expect, it } from 'vitest'
import { CancelledError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { xFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { createIndexApi } from '../../../src/indexer/primary/sources/index-api.ts'
import type { RawResponse, UpstreamPool } from '../../../src/upstream/types.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'

interface Line {
  hex: string
  container: { index: string } | null
}

const lines = recordedLines<Line>('x-blocks')
const containers = lines.flatMap(({ container }) => (container === null ? [] : [container]))
const signal = new AbortController().signal
const PAGE = 64

interface Page {
  startIndex: number
  numToFetch: number
  came: boolean
}

/**
 * Reads to the end, again where it fails, from a node whose answers with more than `most` heavy containers never come.
 * @param gateway the status of what stands in front of the node and gives up first
 */
async function readAll(isHeavy: (index: number) => boolean, most: number, gateway?: number) {
  const pages: Page[] = []
  const exchange = async (
    { body }: { body: string },
    { judge }: { judge: (response: RawResponse) => unknown },
  ): Promise<RawResponse> => {
    const params = JSON.parse(body).params
    const [startIndex, numToFetch] = [Number(params.startIndex), Number(params.numToFetch)]
    const found = containers.slice(startIndex, startIndex + numToFetch)
    const came = found.filter((_, i) => isHeavy(startIndex + i)).length <= most
    pages.push({ startIndex, numToFetch, came })
    if (!came && gateway !== undefined)
      judge({ status: gateway, headers: [], body: Buffer.from('<html>') } as unknown as RawResponse)
    if (!came) throw new UpstreamUnavailableError('no answer in time')
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { containers: found } })
    return { status: 200, headers: [], body: Buffer.from(text) } as unknown as RawResponse
  }
  const api = createIndexApi({ exchange } as unknown as UpstreamPool, xFormat, PAGE)
  let tip = xFormat.decode(Buffer.from((lines[0]?.hex ?? '').slice(2), 'hex').subarray(0, -4))
  while (Number(tip.height) < containers.length) {
    const { blocks } = await api.read({ height: tip.height, id: tip.id } as never, signal).catch(() => ({ blocks: [] }))
    tip = (blocks.at(-1) ?? tip) as typeof tip
  }
  return pages
}

it.each([
  ['the node', undefined],
  ['a gateway that gave up', 504],
])('where a page of many did not come from %s, it is not asked for many again', async (_whom, gateway) => {
  const pages = await readAll((index) => index >= 40 && index < 60, 9, gateway)
  expect(pages.filter(({ came }) => !came)).toEqual([{ startIndex: 0, numToFetch: PAGE, came: false }])
  const again = pages.filter(({ startIndex }) => startIndex < PAGE - 1).slice(1)
  // One more than is read: the container of the tip comes along.
  expect(Math.max(...again.map(({ numToFetch }) => numToFetch))).toBe(9)
})

it('behind heavy blocks pages are as large as before them', async () => {
  const pages = await readAll((index) => index >= 40 && index < 60, 9)
  expect(pages.at(-1)?.numToFetch).toBe(PAGE + 1)
})

it('a page that was given up says nothing of its weight: the next one is as large', async () => {
  const asked: number[] = []
  const exchange = async ({ body }: { body: string }, { signal }: { signal: AbortSignal }): Promise<RawResponse> => {
    asked.push(Number(JSON.parse(body).params.numToFetch))
    signal.throwIfAborted()
    throw new UpstreamUnavailableError('no answer in time')
  }
  const api = createIndexApi({ exchange } as unknown as UpstreamPool, xFormat, PAGE)
  const tip = { height: 9n, id: 'any' } as never
  await expect(api.read(tip, AbortSignal.abort(new CancelledError()))).rejects.toThrow(CancelledError)
  await expect(api.read(tip, signal)).rejects.toThrow('no answer in time')
  expect(asked).toEqual([PAGE + 1, PAGE + 1])
})
