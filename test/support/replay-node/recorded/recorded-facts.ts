import { type EndpointKind, endpointAt } from '../endpoints.ts'
import { compact, firstValue, GoJsonError, kindOf, member, rawMembers } from '../wire/go-json.ts'
import type { RecordedFacts } from '../wire/gorilla-rpc.ts'
import { type Conversation, readConversations } from './conversations.ts'
import type { RecordedNetwork } from './recorded-network.ts'
import type { Recordings } from './recordings.ts'

function keyOf(endpoint: EndpointKind, method: string, params: string | undefined): string {
  return `${endpoint} ${method} ${compact(params ?? '[]').toLowerCase()}`
}

function add(facts: Map<string, string>, network: RecordedNetwork, one: Conversation): void {
  const endpoint = endpointAt(network, one.request.path)
  if (endpoint === undefined || one.request.body === undefined || one.response.body === undefined) return
  const request = firstValue(one.request.body)
  if (kindOf(request) !== 'object') return
  const method = member(request, 'method')
  if (method === undefined || kindOf(method) !== 'string') return
  const answer = new Map(rawMembers(firstValue(one.response.body)))
  const result = answer.get('result')
  const evm = endpoint.endsWith('/rpc')
  const kept = result === undefined ? answer.get('error') : result
  if (kept === undefined || (!evm && result === undefined)) return
  const text = evm ? `"${result === undefined ? 'error' : 'result'}":${kept}` : kept
  facts.set(keyOf(endpoint, String(JSON.parse(method)), member(request, 'params')), text)
}

/**
 * Recorded answers as facts: what nothing computes (reads of contracts, for example) is answered if it was asked with
 * the same arguments once, whatever the id and the spelling of the request.
 */
export function createRecordedFacts(
  recordings: Recordings,
  network: RecordedNetwork,
  used: () => void,
): (endpoint: EndpointKind) => RecordedFacts {
  let loaded: Map<string, string> | undefined
  const facts = (): Map<string, string> => {
    if (loaded !== undefined) return loaded
    loaded = new Map()
    for (const one of [...readConversations(recordings, 'network-moment'), ...readConversations(recordings, 'l1')]) {
      try {
        add(loaded, network, one)
      } catch (error) {
        // Conversations about broken JSON hold no facts.
        if (!(error instanceof GoJsonError)) throw error
      }
    }
    return loaded
  }
  return (endpoint) => (method, params) => {
    const found = facts().get(keyOf(endpoint, method, params))
    if (found !== undefined) used()
    return found
  }
}
