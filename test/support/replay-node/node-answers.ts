import { isIP } from 'node:net'
import { type EndpointKind, endpointAt } from './endpoints.ts'
import type { EvmEndpoint } from './evm/evm-endpoints.ts'
import { answerEvm } from './evm/evm-rpc.ts'
import { healthAnswer } from './node/health-checks.ts'
import type { NodeServices } from './node-services.ts'
import type { Faults } from './options.ts'
import type { RecordedNetwork } from './recorded/recorded-network.ts'
import { type Answer, empty, httpError, type Incoming, notFound } from './wire/answer.ts'
import { answerGorilla, type RecordedFacts } from './wire/gorilla-rpc.ts'

export interface NodeAnswersDeps {
  network: RecordedNetwork
  node: NodeServices
  evm: Partial<Record<'C' | 'L1', EvmEndpoint>>
  facts: (endpoint: EndpointKind) => RecordedFacts
  faults: Faults
  allowedHosts: readonly string[]
}

/** A host is welcome when it is an IP address or one of the allowed names; its port does not count. */
export function hostAllowed(host: string | undefined, allowed: readonly string[]): boolean {
  if (host === undefined || host === '' || allowed.includes('*')) return true
  const name = /^\[(.*)\](:\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, '')
  return isIP(name) !== 0 || allowed.includes(name.toLowerCase())
}

/** The path as a router would have it: no empty, `.` or `..` segments. */
function cleanPath(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/').slice(1)) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') kept.pop()
    else kept.push(segment)
  }
  const slash = path.length > 1 && path.endsWith('/') && kept.length > 0 ? '/' : ''
  return `/${kept.join('/')}${slash}`
}

const METRICS =
  '# HELP avalanche_network_peers Number of network peers\n# TYPE avalanche_network_peers gauge\navalanche_network_peers 5\n'

function special(deps: NodeAnswersDeps, endpoint: EndpointKind, request: Incoming): Answer | undefined {
  const { health } = deps.node
  const tags = request.query.getAll('tag')
  if (endpoint === 'health' && request.method === 'GET') return healthAnswer(health, 'health', tags)
  if (endpoint === 'health/health') return healthAnswer(health, 'health', tags)
  if (endpoint === 'health/readiness') return healthAnswer(health, 'readiness', tags)
  if (endpoint === 'health/liveness') return healthAnswer(health, 'liveness', tags)
  if (endpoint === 'metrics') {
    const type = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'
    return { status: 200, headers: [['Content-Type', type]], body: METRICS }
  }
  if (endpoint === 'C/ws' || endpoint === 'L1/ws') {
    const answer = httpError(400, 'Bad Request')
    return { ...answer, headers: [...answer.headers, ['Sec-Websocket-Version', '13']] }
  }
  return undefined
}

/** Answers a request as the node behind the recordings would, apart from preflights and exact conversations. */
export function nodeAnswer(deps: NodeAnswersDeps, request: Incoming): Answer {
  const { network, node, evm, facts, faults } = deps
  if (!hostAllowed(request.headers['host'], deps.allowedHosts)) return httpError(403, 'invalid host specified')
  if (request.headers['avalanche-api-route'] !== undefined) return empty(404)
  const clean = cleanPath(request.path)
  if (clean !== request.path) {
    const query = request.target.includes('?') ? request.target.slice(request.target.indexOf('?')) : ''
    return empty(301, [['Location', clean + query]])
  }
  const endpoint = endpointAt(network, request.path)
  if (endpoint === undefined || (faults.indexOff && endpoint.startsWith('index/'))) return notFound()
  if (faults.bootstrapping && /^(P|X|C|L1)(\/|$)/.test(endpoint)) {
    return httpError(503, 'API call rejected because chain is not done bootstrapping')
  }
  const answer = special(deps, endpoint, request)
  if (answer !== undefined) return answer
  if (endpoint === 'C/rpc' || endpoint === 'L1/rpc') {
    const chain = evm[endpoint === 'C/rpc' ? 'C' : 'L1']
    return chain === undefined ? notFound() : answerEvm(request, chain.methods, facts(endpoint))
  }
  const services = node.services[endpoint]
  return services === undefined ? notFound() : answerGorilla(request, services, facts(endpoint))
}
