import { escapeHtml } from '../../../lib/json/go-json.ts'
import { type HealthReportKind, type NodeHealth, reportText } from '../../../services/node-health/index.ts'
import { type LocalMethod, type LocalService, RawJson } from '../gorilla/local-service.ts'
import type { LocalEndpoint } from '../plain/local-endpoint.ts'

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

const PAGES: Readonly<Record<string, HealthReportKind>> = {
  health: 'health',
  'health/health': 'health',
  'health/readiness': 'readiness',
  'health/liveness': 'liveness',
}

/**
 * The reports as pages: `/ext/health` for GET, the three below it for any method; 200 when healthy, else 503; `tag` may
 * be repeated in the query.
 */
export const createHealthPages = (health: NodeHealth): LocalEndpoint[] =>
  Object.entries(PAGES).map(([endpoint, kind]) => ({
    endpoint,
    private: true,
    answer: (call) => {
      if (endpoint === 'health' && call.method !== 'GET') return undefined
      const report = health.report(kind, call.query.getAll('tag'))
      return {
        status: report.healthy ? 200 : 503,
        contentType: 'application/json',
        body: Buffer.from(`${escapeHtml(reportText(report))}\n`),
      }
    },
  }))
