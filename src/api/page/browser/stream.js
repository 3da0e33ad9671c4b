/** @import { Item } from './wire.js' */

/** The server refused, or could not be reached: then `status` is 0. */
export class RequestError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** An event that never ends must not fill the memory of a phone. Characters. */
const MOST_EVENT = 32 * 1024 * 1024

/**
 * Asks get-balances and yields its items as they arrive.
 * @param {object} body
 * @param {{ headers: Record<string, string>, signal: AbortSignal }} options
 * @returns {AsyncGenerator<Item>}
 * @throws {RequestError}
 */
export async function* askBalances(body, { headers, signal }) {
  const response = await send(body, headers, signal)
  if (!response.ok || !response.body) throw await refusal(response)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const events = (text + value).split('\n\n')
      text = events.pop() ?? ''
      if (text.length > MOST_EVENT) throw new RequestError(0, "The server's answer is too large for this page.")
      for (const event of events) if (event.startsWith('data:')) yield JSON.parse(event.slice(5))
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/**
 * @param {object} body
 * @param {Record<string, string>} headers
 * @param {AbortSignal} signal
 */
async function send(body, headers, signal) {
  try {
    return await fetch('v1/balance/get-balances', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      cache: 'no-store',
      credentials: 'same-origin',
      referrerPolicy: 'no-referrer',
      signal,
    })
  } catch (error) {
    if (signal.aborted) throw error
    throw new RequestError(0, 'The server could not be reached.')
  }
}

/**
 * @param {Response} response
 * @returns {Promise<RequestError>}
 */
async function refusal(response) {
  const { status } = response
  const wait = response.headers.get('retry-after')
  const later = wait === null ? 'Try again soon.' : `Try again in ${wait} s.`
  if (status === 401) return new RequestError(status, 'The server does not accept the credential.')
  if (status === 429 || status === 503) return new RequestError(status, `The server is busy (${status}). ${later}`)
  const body = /** @type {{ issues?: { message?: unknown }[] }} */ (await response.json().catch(() => ({})))
  const issue = body.issues?.[0]?.message
  const why = typeof issue === 'string' ? `: ${issue}` : ''
  return new RequestError(status, `The server refused the request (${status})${why}.`)
}
