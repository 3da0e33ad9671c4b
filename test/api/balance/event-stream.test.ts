import { describe, expect, it } from 'vitest'
import { createEventStream } from '../../../src/api/balance/event-stream.ts'

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
