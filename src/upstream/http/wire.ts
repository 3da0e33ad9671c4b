import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { networkReason } from '../../lib/http/network-reason.ts'
import { outsideTrace } from '../../lib/http/trace-context.ts'
import { decodeBody } from './decode.ts'
import { type Incoming, type IncomingDoor, SMALL } from './incoming-room.ts'

/** One HTTP request, ready to be written. */
export interface WireRequest {
  method: Dispatcher.HttpMethod
  path: string
  headers: Record<string, string>
  body: Uint8Array | string | undefined
  /** Undo the content encoding; false passes the bytes on unchanged. */
  decode: boolean
}

export interface WireAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export type WireResult =
  | { kind: 'answer'; answer: WireAnswer }
  | { kind: 'cut'; reason: string; neverSent: boolean }
  | { kind: 'too-large'; reason: string }
  | { kind: 'broken'; reason: string }
  /** There was no room for the answer here: neither the upstream nor the caller is to blame. */
  | { kind: 'no-room' }
  /** The request itself cannot be written (bad header, bad path): the caller is to blame. */
  | { kind: 'unsendable'; reason: string }

export interface WireLimits {
  headersTimeoutMs: number
  bodyTimeoutMs: number
  maxResponseBytes: number
}

/** How an answer is counted among all answers being received. */
export interface IncomingPlace {
  door: IncomingDoor
  /** See `IncomingDoor`. */
  yields: boolean
}

const UNSENDABLE = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'])

const ABANDONED = new Error('abandoned')

/** Estimated overhead of one part of a body: a server may send the bytes one by one. */
const PART_BYTES = 128

/**
 * Collects one answer. A class, because one is made for every request: methods on a prototype cost nothing per call.
 * The size is checked as the bytes arrive, and again after decompression.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: WireLimits
  readonly #decode: boolean
  readonly #head: boolean
  readonly #place: IncomingPlace | undefined
  #incoming: Incoming | undefined
  #done: ((result: WireResult) => void) | undefined
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #chunks: Buffer[] = []
  #bytes = 0
  #held = 0

  constructor(
    request: WireRequest,
    limits: WireLimits,
    done: (result: WireResult) => void,
    place: IncomingPlace | undefined,
  ) {
    this.#limits = limits
    this.#place = place
    this.#decode = request.decode
    this.#head = request.method === 'HEAD'
    this.#done = done
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call was cancelled while undici was still connecting.
    if (!this.#done) controller.abort(ABANDONED)
    else this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (!this.#head && Number(headers['content-length'] ?? 0) > this.#limits.maxResponseBytes) this.#tooLarge()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#done) return
    this.#bytes += chunk.length
    if (this.#bytes > this.#limits.maxResponseBytes) this.#tooLarge()
    else if (this.#hold(chunk.length)) this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (!this.#done) return
    const first = this.#chunks[0]
    const body = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#bytes)
    this.#chunks = []
    const encoding = this.#decode ? this.#headers['content-encoding'] : undefined
    if (encoding === undefined) this.#answer(body)
    else
      decodeBody(
        body,
        encoding,
        this.#limits.maxResponseBytes,
        (bytes) => this.#hold(bytes),
        (decoded) => {
          if (decoded.ok) this.#answer(decoded.body)
          else this.#settle({ kind: decoded.tooLarge ? 'too-large' : 'broken', reason: decoded.reason })
        },
      )
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const { code, reason } = networkReason(error)
    if (UNSENDABLE.has(code)) this.#settle({ kind: 'unsendable', reason: error.message })
    else this.#settle({ kind: 'cut', reason, neverSent: this.#controller === undefined })
  }

  /** Closes the socket; `done` is not called any more. */
  abandon(): void {
    if (!this.#done) return
    this.#end()
    this.#controller?.abort(ABANDONED)
  }

  #answer(body: Buffer): void {
    this.#settle({ kind: 'answer', answer: { status: this.#status, headers: this.#headers, body } })
  }

  #tooLarge(): void {
    this.#settle({ kind: 'too-large', reason: `answer above ${this.#limits.maxResponseBytes} bytes` })
    this.#controller?.abort(ABANDONED)
  }

  /** Returns false if the answer was given up. */
  #hold(bytes: number): boolean {
    // The caller may leave while the body is decompressed: bytes counted after that would never be given back.
    if (this.#done === undefined) return false
    this.#held += bytes + PART_BYTES
    if (this.#place === undefined || this.#held <= SMALL) return true
    if (this.#incoming) this.#incoming.grow(bytes + PART_BYTES)
    else {
      this.#incoming = this.#place.door(this.#place.yields, () => this.#giveUp())
      this.#incoming.grow(this.#held)
    }
    return this.#done !== undefined
  }

  #giveUp(): void {
    this.#settle({ kind: 'no-room' })
    this.#controller?.abort(ABANDONED)
  }

  #settle(result: WireResult): void {
    const done = this.#done
    this.#end()
    done?.(result)
  }

  #end(): void {
    this.#done = undefined
    this.#chunks = []
    this.#incoming?.leave()
  }
}

/** From this size on the system may not take a body at once; undici waits for it to take the rest, if told to. */
const LARGE = 65_536

/**
 * The body as passed to undici. Of plain bytes undici sends the rest whenever the server reads on, even long after the
 * answer arrived and the memory was reused. With a list of parts (here one) undici knows how far it is, and closes the
 * connection when a server answers before it has the last part.
 */
const bodyOf = ({ headers, body }: WireRequest): Pick<Dispatcher.DispatchOptions, 'headers' | 'body'> => {
  if (body === undefined || typeof body === 'string' || body.length < LARGE) return { headers, body: body ?? null }
  const length = String(body.length)
  // undici's documentation allows iterables, its types do not.
  return { headers: { ...headers, 'content-length': length }, body: [body] as unknown as Uint8Array }
}

/**
 * Sends one request. Returns a function that abandons it: the socket is closed and `done` is not called.
 *
 * @param place left out = the answer is not counted with the others
 */
export const sendWire = (
  dispatcher: Dispatcher,
  request: WireRequest,
  limits: WireLimits,
  done: (result: WireResult) => void,
  place?: IncomingPlace,
): (() => void) => {
  const exchange = new Exchange(request, limits, done, place)
  try {
    outsideTrace(() =>
      dispatcher.dispatch(
        {
          path: request.path,
          method: request.method,
          ...bodyOf(request),
          headersTimeout: limits.headersTimeoutMs,
          bodyTimeout: limits.bodyTimeoutMs,
        },
        exchange,
      ),
    )
  } catch (error) {
    exchange.onResponseError(undefined, error as Error)
  }
  return () => exchange.abandon()
}
