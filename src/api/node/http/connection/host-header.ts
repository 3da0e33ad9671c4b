import type { IncomingMessage } from 'node:http'

const HOST = /^[0-9A-Za-z!$%&'()*+,\-.:;=[\]_~]*$/
const HOST_NAME = /^host$/i

const count = (rawHeaders: readonly string[]): number => {
  let found = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && HOST_NAME.test(name)) found += 1
  }
  return found
}

/**
 * End of the answer with which Go's server refuses a request for its Host header; undefined = it does not. Two Host
 * headers allow two readings of one request (RFC 9112, 3.2).
 */
export function hostProblem({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.1' ? ': missing required Host header' : undefined
  if (count(rawHeaders) > 1) return ''
  return HOST.test(headers.host) ? undefined : ': malformed Host header'
}
