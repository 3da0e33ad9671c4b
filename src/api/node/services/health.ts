import type { HealthReportKind, NodeHealth } from '../../../services/node-health/index.ts'
import { reportText } from '../../../services/node-health/index.ts'
import type { LocalMethod, LocalService } from '../gorilla/local-service.ts'
import { RawJson } from '../gorilla/local-service.ts'
import type { NodeAnswer } from '../http/answer.ts'
import { escapeHtml } from '../json/write.ts'

const method =
  (health: NodeHealth, kind: HealthReportKind): LocalMethod =>
  (args) =>
    new RawJson(reportText(health.report(kind, args.strings('tags'))))

/** health.*: POST answers with status 200 whatever the report says. */
export const createHealthService = (health: NodeHealth): LocalService => ({
  endpoints: ['health'],
  service: 'health',
  methods: {
    health: method(health, 'health'),
    readiness: method(health, 'readiness'),
    liveness: method(health, 'liveness'),
  },
  whole: true,
  private: true,
})

const KINDS: Readonly<Record<string, HealthReportKind>> = {
  health: 'health',
  'health/health': 'health',
  'health/readiness': 'readiness',
  'health/liveness': 'liveness',
}

/** Answers a request that is no JSON-RPC call; undefined = the endpoint takes only calls by this HTTP method. */
export type HealthPage = (endpoint: string, httpMethod: string, query: string) => NodeAnswer | undefined

/**
 * The reports as pages (node conventions 2.2, 7): `/ext/health` by GET, the three below it by any method; 200 when
 * healthy, else 503; `tag` in the query may come several times. `query` with or without its question mark.
 */
export function createHealthPage(health: NodeHealth): HealthPage {
  return (endpoint, httpMethod, query) => {
    const kind = Object.hasOwn(KINDS, endpoint) ? KINDS[endpoint] : undefined
    if (kind === undefined || (endpoint === 'health' && httpMethod !== 'GET')) return undefined
    const report = health.report(kind, new URLSearchParams(query).getAll('tag'))
    return {
      status: report.healthy ? 200 : 503,
      contentType: 'application/json',
      body: Buffer.from(`${escapeHtml(reportText(report))}\n`),
    }
  }
}
