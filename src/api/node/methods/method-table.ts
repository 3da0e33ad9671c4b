import type { LocalMethod, LocalService } from '../gorilla/local-service.ts'
import { ruleOf, understood } from './forwarded.ts'
import type { MethodRule } from './rule.ts'

/** What happens to a call. */
export type MethodEntry =
  | { kind: 'local'; method: LocalMethod }
  /** `fallback` answers when the node lacks the method. */
  | { kind: 'forward'; rule: MethodRule; fallback?: LocalMethod }
  /** The method does not exist here: the message says so in the node's words (see `methodProblem`). */
  | { kind: 'unknown' }

/** The one table of what is answered here and what is forwarded, by endpoint and method. */
export interface MethodTable {
  /** Answers about one particular node are withheld. */
  readonly isPublic: boolean
  /** True when any method of this endpoint is answered here, so that bodies have to be parsed strictly. */
  hasLocal(endpoint: string): boolean
  /** True when calls to this endpoint are never forwarded. */
  isWhole(endpoint: string): boolean
  /** True when this endpoint is not served now (disabled for the public). */
  isOff(endpoint: string): boolean
  isService(endpoint: string, service: string): boolean
  /** `method` undefined = it is unreadable; the node then reports the error. */
  entry(endpoint: string, method: string | undefined): MethodEntry
}

interface EndpointEntry {
  services: Set<string>
  local: Map<string, LocalMethod>
  fallbacks: Map<string, LocalMethod>
  whole: boolean
  off: boolean
}

function addService(entry: EndpointEntry, service: LocalService, isPublic: boolean): void {
  entry.services.add(service.service)
  const named = (methods: Readonly<Record<string, LocalMethod>>) =>
    Object.entries(methods).map(([name, method]) => [`${service.service}.${name}`, method] as const)
  for (const [name, method] of named(service.methods)) entry.local.set(name, method)
  for (const [name, method] of named(service.fallbacks ?? {})) entry.fallbacks.set(name, method)
  entry.whole ||= service.whole === true
  entry.off ||= isPublic && service.private === true
}

/** Builds the table from the services that are answered here; everything else is forwarded by its rule. */
export function createMethodTable(services: readonly LocalService[], options: { public: boolean }): MethodTable {
  const endpoints = new Map<string, EndpointEntry>()
  for (const service of services)
    for (const endpoint of service.endpoints) {
      let entry = endpoints.get(endpoint)
      if (!entry) {
        entry = { services: new Set(), local: new Map(), fallbacks: new Map(), whole: false, off: false }
        endpoints.set(endpoint, entry)
      }
      addService(entry, service, options.public)
    }
  const unknown: MethodEntry = { kind: 'unknown' }
  return {
    isPublic: options.public,
    hasLocal: (endpoint) => endpoints.has(endpoint),
    isWhole: (endpoint) => endpoints.get(endpoint)?.whole === true,
    isOff: (endpoint) => endpoints.get(endpoint)?.off === true,
    isService: (endpoint, service) => endpoints.get(endpoint)?.services.has(service) === true,
    entry: (endpoint, called) => {
      const own = endpoints.get(endpoint)
      const method = understood(called)
      const local = method === undefined ? undefined : own?.local.get(method)
      if (local) return { kind: 'local', method: local }
      if (own?.whole) return unknown
      const rule = ruleOf(method)
      if (options.public && rule.target === 'identity') return unknown
      const fallback = method === undefined ? undefined : own?.fallbacks.get(method)
      return fallback ? { kind: 'forward', rule, fallback } : { kind: 'forward', rule }
    },
  }
}
