import { type Answer, empty, type Incoming } from './answer.ts'

const METHODS = ['GET', 'POST', 'HEAD']
const HEADERS = ['origin', 'accept', 'content-type', 'x-requested-with']

function canonical(name: string): string {
  return name
    .toLowerCase()
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('-')
}

const VARY: [string, string][] = [
  ['Vary', 'Origin'],
  ['Vary', 'Access-Control-Request-Method'],
  ['Vary', 'Access-Control-Request-Headers'],
]

/** The answer to a browser's preflight; undefined when the request is none. */
export function preflightAnswer(request: Incoming): Answer | undefined {
  const method = request.headers['access-control-request-method']
  if (request.method !== 'OPTIONS' || method === undefined || method === '') return undefined
  const asked = (request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const origin = request.headers['origin']
  const accepted =
    origin !== undefined && METHODS.includes(method) && asked.every((name) => HEADERS.includes(name.toLowerCase()))
  if (!accepted) return empty(200, VARY)
  const headers: [string, string][] = [['Access-Control-Allow-Credentials', 'true']]
  if (asked.length > 0) headers.push(['Access-Control-Allow-Headers', asked.map(canonical).join(', ')])
  headers.push(['Access-Control-Allow-Methods', method], ['Access-Control-Allow-Origin', '*'])
  return empty(200, [...headers, ...VARY])
}

/** The headers every other answer gets. */
export function corsHeaders(request: Incoming): [string, string][] {
  if (request.headers['origin'] === undefined) return [['Vary', 'Origin']]
  return [
    ['Access-Control-Allow-Credentials', 'true'],
    ['Access-Control-Allow-Origin', '*'],
    ['Vary', 'Origin'],
  ]
}
