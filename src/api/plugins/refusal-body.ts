import { STATUS_CODES } from 'node:http'

/** Words of the balance API for what is refused before an API sees it. */
const WORDS: Readonly<Record<number, string>> = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 503: 'SERVICE_UNAVAILABLE' }

/** Body of a refusal in the format of the API under /v1 that the path belongs to; the indexed one may have a prefix. */
export function refusalBody(path: string, status: 400 | 401 | 503, message: string): string {
  const balance = /\/v1\/(balance|stake)\//.test(path)
  return JSON.stringify(
    balance ? { message: WORDS[status] } : { message, error: STATUS_CODES[status], statusCode: status },
  )
}
