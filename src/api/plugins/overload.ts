import type { ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface OverloadLimits {
  /** Requests that are being answered at a time, streams included. */
  maxInFlight: number
  /** Mean delay of the event loop in each of the last two seconds, milliseconds; 0 = not looked at. */
  maxEventLoopDelayMs: number
}

/** Turns requests away while there is too much to do, so that those that are in are answered in time. */
export interface Overload {
  /** Why a request is turned away; undefined = it may come in. `path` without its query. */
  refusal(path: string): 'requests' | 'event loop' | undefined
  /** A request that came in; it counts until its response is closed. */
  enter(response: ServerResponse): void
  inFlight(): number
  close(): void
}

const LOOK_EVERY_MS = 1_000
const NANOSECONDS_PER_MS = 1_000_000

/** Who balances load and who looks for the trouble must get through, above all now. */
const ALWAYS_ANSWERED = /^\/(ext\/health(\/|$)|metrics$|v1\/(live|health)-check$)/

export function createOverload({ maxInFlight, maxEventLoopDelayMs }: OverloadLimits): Overload {
  let running = 0
  let slowSeconds = 0
  const delays = monitorEventLoopDelay({ resolution: 10 })
  const timer = setInterval(() => {
    // One long turn (a body of 12 MB, say) is no overload; a second one right behind it is.
    slowSeconds = delays.mean / NANOSECONDS_PER_MS > maxEventLoopDelayMs ? slowSeconds + 1 : 0
    delays.reset()
  }, LOOK_EVERY_MS)
  timer.unref()
  if (maxEventLoopDelayMs > 0) delays.enable()
  else clearInterval(timer)
  return {
    refusal: (path) => {
      const slow = slowSeconds > 1
      if (!slow && running < maxInFlight) return undefined
      if (ALWAYS_ANSWERED.test(path)) return undefined
      return slow ? 'event loop' : 'requests'
    },
    enter: (response) => {
      running += 1
      response.once('close', () => {
        running -= 1
      })
    },
    inFlight: () => running,
    close: () => {
      clearInterval(timer)
      delays.disable()
    },
  }
}

/** Seconds after which whoever was turned away may come back. */
const RETRY_AFTER = '1'

/** 503 with `retry-after`, in the words of the API that was asked. */
export function refuseOverload(response: ServerResponse, path: string): void {
  const body = overloadBody(path)
  response.writeHead(503, {
    'content-type': body.startsWith('{') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'retry-after': RETRY_AFTER,
    // A page has to see that it may come back.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'retry-after',
    connection: 'close',
  })
  response.end(body)
}

function overloadBody(path: string): string {
  if (/^\/+v1\/(balance|stake)\//.test(path)) return '{"message":"SERVICE_UNAVAILABLE"}'
  if (/^\/+ext(\/|$)/.test(path)) return 'server overloaded, try again\n'
  const error = { message: 'this server has too much to do, try again', error: 'Service Unavailable', statusCode: 503 }
  return JSON.stringify(error)
}
