import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEventStream } from '../../../src/api/balance/event-stream.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const limits = { keepAliveMs: 60_000, stalledReaderMs: 60_000 }
/** More than is queued without waiting for the reader. */
const LARGE = 'x'.repeat(300 * 1024)

describe('writers that wait for the reader', () => {
  it('all go on when it has caught up', async () => {
    const stream = createEventStream(limits)
    stream.readable.read(0)
    stream.write(LARGE)
    stream.write(LARGE)
    let waiting = 2
    const writers = [stream.ready(), stream.ready()].map((ready) =>
      ready.then(() => {
        waiting -= 1
      }),
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(waiting).toBe(2)
    stream.readable.resume()
    await Promise.all(writers)
    stream.readable.destroy()
  })

  it('all go on when it has left', async () => {
    const stream = createEventStream(limits)
    stream.readable.read(0)
    stream.write(LARGE)
    stream.write(LARGE)
    const writers = [stream.ready(), stream.ready(), stream.ready()]
    stream.readable.destroy()
    await Promise.all(writers)
  })
})

it('every event arrives, in order, also those that came before the reader and those of one moment', async () => {
  const ends: string[] = []
  const stream = createEventStream({ ...limits, onEnd: (how) => ends.push(how) })
  const told: string[] = ['1', '2', '3']
  for (const event of told) stream.write(event)
  const read: string[] = []
  stream.readable.on('data', (chunk: Buffer) => read.push(chunk.toString()))
  await expect.poll(() => read.join('')).toBe('123')
  // Ended while the last events are still to be read.
  stream.readable.pause()
  for (const event of [LARGE, '4', '5']) stream.write(event)
  stream.end()
  stream.write('too late')
  stream.end()
  stream.readable.resume()
  await expect.poll(() => ends).toEqual(['finished'])
  expect(read.join('')).toBe(`123${LARGE}45`)
})

it('a stream of nothing ends, too', async () => {
  const ends: string[] = []
  const stream = createEventStream({ ...limits, onEnd: (how) => ends.push(how) })
  stream.end()
  stream.readable.resume()
  await expect.poll(() => ends).toEqual(['finished'])
})

it('a reader that leaves a few bytes alone is cut like one that leaves many', async () => {
  const ends: string[] = []
  const stream = createEventStream({ keepAliveMs: 10, stalledReaderMs: 100, onEnd: (how) => ends.push(how) })
  stream.readable.on('error', () => undefined)
  stream.readable.read(0)
  stream.write('data: {}\n\n')
  await eventually(() => expect(ends).toEqual(['stalled']))
})

it('leaves no timer behind, whether it was read to its end or not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const ends: string[] = []
  const [read, left] = [1, 2].map(() => createEventStream({ ...limits, onEnd: (how) => ends.push(how) }))
  expect(vi.getTimerCount()).toBe(2)
  read?.readable.resume()
  read?.end()
  left?.readable.destroy()
  while (ends.length < 2) await new Promise((resolve) => setImmediate(resolve))
  expect(vi.getTimerCount()).toBe(0)
})

describe('a reader who waits', () => {
  it('hears of the stream also behind a clock that was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const stream = createEventStream({ ...limits, keepAliveMs: 40 })
    onTestFinished(() => void stream.readable.destroy())
    const heard: string[] = []
    stream.readable.on('data', (chunk: Buffer) => heard.push(chunk.toString()))
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    vi.setSystemTime(Date.now() - 3_600_000)
    const before = heard.length
    await expect.poll(() => heard.length).toBeGreaterThan(before)
    expect(new Set(heard)).toEqual(new Set([': ping\n\n']))
  })

  it('is not cut for a clock that was set forward', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const ends: string[] = []
    const stream = createEventStream({ keepAliveMs: 40, stalledReaderMs: 60_000, onEnd: (how) => ends.push(how) })
    stream.readable.read(0)
    stream.write(LARGE)
    stream.write(LARGE)
    vi.setSystemTime(Date.now() + 3_600_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(ends).toEqual([])
    stream.readable.destroy()
  })
})
