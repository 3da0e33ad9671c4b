import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Service } from 'kubernetes-models/v1'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { loadConfig } from '../../src/config/index.ts'

const folder = join(import.meta.dirname, '../../docker')
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

// biome-ignore lint/suspicious/noExplicitAny: documents of other programs, looked at member by member
type Loose = any

const compose = parse(read('compose.yaml'), { merge: true }) as Loose
const services = Object.entries(compose.services) as [string, Loose][]

/** The configuration that these variables give; secrets are files. */
const configOf = (env: Record<string, string>, argv: string[] = []) => {
  const given = Object.fromEntries(
    Object.entries(env).map(([key, value]) => [key, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]),
  )
  const readFile = (path: string) =>
    path.includes('database-url')
      ? 'postgres://firn:x@postgres/firn'
      : path.includes('redis-url')
        ? 'redis://r'
        : undefined
  const loaded = loadConfig({ argv, env: given, cwd: '/', readFile })
  if (loaded.action !== 'run') throw new Error(loaded.text)
  return loaded.config
}

describe('compose.yaml', () => {
  it('has the whole: two api processes, an indexer, what they need and who watches them', () => {
    expect(services.map(([name]) => name).sort()).toEqual(
      ['api-1', 'api-2', 'balancer', 'grafana', 'indexer', 'postgres', 'prometheus', 'secrets', 'valkey'].sort(),
    )
  })

  it.each(services)('%s may write nothing, has no rights, limits, a way to be asked, and time to end', (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(service.mem_limit).toMatch(/^\d+[mg]$/)
    expect(service.pids_limit).toBeGreaterThan(0)
    expect(service.cpus).toBeGreaterThan(0)
    expect(service.stop_grace_period).toMatch(/^\d+s$/)
    // Firn's own check is in its image; what ends is waited for.
    expect(service.healthcheck?.test ?? service.build?.dockerfile ?? service.restart === 'no').toBeTruthy()
    expect(service.privileged ?? service.pid).toBeUndefined()
    expect(service.network_mode ?? 'none').toBe('none')
    expect(JSON.stringify(service.volumes ?? [])).not.toContain('docker.sock')
  })

  it('names only what is there: networks, volumes, secrets, files, services', () => {
    for (const [, service] of services) {
      for (const network of service.networks ?? []) expect(compose.networks).toHaveProperty([network])
      for (const name of Object.keys(service.depends_on ?? {})) expect(compose.services).toHaveProperty([name])
      for (const volume of service.volumes ?? []) {
        const [from = ''] = (volume as string).split(':')
        if (from.startsWith('.')) expect(existsSync(join(folder, from))).toBe(true)
        else expect(compose.volumes).toHaveProperty([from])
      }
    }
  })

  it('comes up from nothing: the first start makes all secrets that are named, before who reads them', () => {
    // A file of the host that has to be there first would stop `docker compose up` in a fresh clone.
    expect([compose.secrets, compose.configs]).toEqual([undefined, undefined])
    for (const [, service] of services) expect(service.env_file).toBeUndefined()
    const script = read('make-secrets.sh')
    const readers = services.filter(([, service]) =>
      JSON.stringify(service.environment ?? {}).includes('/run/secrets/'),
    )
    expect(readers.length).toBe(5)
    for (const [name, service] of readers) {
      expect(service.volumes).toContain('secrets:/run/secrets:ro')
      const before = name === 'postgres' || name === 'grafana' ? service : compose.services.postgres
      expect(before.depends_on.secrets).toEqual({ condition: 'service_completed_successfully' })
      if (before !== service) expect(service.depends_on.postgres).toEqual({ condition: 'service_healthy' })
      const [user] = (service.user ?? /^USER (\S+)$/m.exec(read('../Dockerfile'))?.[1] ?? '').split(':')
      for (const [, secret] of JSON.stringify(service.environment).matchAll(/\/run\/secrets\/([\w-]+)/g))
        expect(script).toMatch(new RegExp(`^make ${secret} ${user}:`, 'm'))
    }
  })

  it.skipIf(process.getuid?.() !== 0)('makes secrets once, each for its one user', () => {
    const made = mkdtempSync(join(tmpdir(), 'firn-secrets-'))
    onTestFinished(() => rmSync(made, { recursive: true }))
    const run = () => execFileSync('sh', [join(folder, 'make-secrets.sh'), made])
    const all = () =>
      Object.fromEntries(
        readdirSync(made).map((name) => {
          const { uid, mode } = statSync(join(made, name))
          return [name, { uid, mode: mode & 0o777, text: readFileSync(join(made, name), 'utf8') }]
        }),
      )
    run()
    const first = all()
    const password = first['postgres-password']?.text ?? ''
    expect(password).toMatch(/^[0-9a-f]{48}$/)
    expect(first).toEqual({
      'postgres-password': { uid: 70, mode: 0o400, text: password },
      'database-url': { uid: 1000, mode: 0o400, text: `postgres://firn:${password}@postgres:5432/firn` },
      'grafana-password': { uid: 472, mode: 0o400, text: expect.stringMatching(/^[0-9a-f]{48}$/) },
    })
    expect(statSync(made).mode & 0o777).toBe(0o755)
    // Killed half-way: a beginning is no secret, and what is there stays.
    rmSync(join(made, 'database-url'))
    writeFileSync(join(made, 'database-url.new'), 'postgres://fi')
    run()
    expect(all()).toEqual(first)
  })

  it('keeps secrets out of the environment and the data away from the outside', () => {
    for (const [, { environment }] of services)
      for (const [name, value] of Object.entries(environment ?? {}))
        if (/PASSWORD|SECRET|DATABASE_URL/.test(name))
          expect([name, value]).toEqual([expect.stringMatching(/_FILE$/), expect.stringContaining('/run/secrets/')])
    expect(compose.networks.back.internal).toBe(true)
    for (const name of ['postgres', 'valkey']) {
      expect(compose.services[name].networks).toEqual(['back'])
      expect(compose.services[name].ports).toBeUndefined()
    }
    for (const [, { ports }] of services)
      for (const port of ports ?? []) expect(port).toMatch(/^(127\.0\.0\.1|\$\{FIRN_BIND:-127\.0\.0\.1\}):/)
  })

  it('gives Firn settings that it knows, and more time to end than it takes', () => {
    for (const name of ['api-1', 'api-2', 'indexer']) {
      const { environment, stop_grace_period } = compose.services[name]
      const config = configOf(environment)
      expect(config.mode).toBe(name === 'indexer' ? 'indexer' : 'api')
      expect(config.store.databaseUrl).toMatch(/^postgres:/)
      expect(config.redis.url).toMatch(/^redis:/)
      const { shutdownDelayMs, shutdownGraceMs } = config.http
      expect(shutdownGraceMs).toBeGreaterThan(config.balance.chainDeadlineMs)
      expect(Number.parseInt(stop_grace_period, 10) * 1_000).toBeGreaterThan(shutdownDelayMs + shutdownGraceMs)
    }
    expect(compose.services['api-1'].environment).toHaveProperty('FIRN_NODE_ALLOWED_HOSTS')
    expect(read('prometheus/prometheus.yml')).toContain("['api-1:8650', 'api-2:8650', 'indexer:8650']")
  })

  it('balances over both by what they say of themselves, and lets streams live', () => {
    const balancer = read('haproxy/haproxy.cfg')
    expect(balancer).toMatch(/option httpchk GET \/v1\/live-check/)
    for (const name of ['api-1', 'api-2']) expect(balancer).toContain(`server ${name} ${name}:8650`)
    expect(balancer).toMatch(/retry-on conn-failure$/m)
    const timeout = Number(/timeout server (\d+)m/.exec(balancer)?.[1]) * 60_000
    expect(timeout).toBeGreaterThan(2 * configOf({}).balance.keepAliveMs)
  })
})

const documents = parseAllDocuments(read('kubernetes/firn.yaml')).map((one) => one.toJS() as Loose)
const ofKind = (kind: string): Loose[] => documents.filter((one) => one.kind === kind)
const workloads = [...ofKind('Deployment'), ...ofKind('StatefulSet')]

/** A document with its schema. */
interface Model {
  /** Throws when it is not what the schema says. */
  validate(): void
}
const MODELS: Record<string, new (data: Loose) => Model> = {
  ConfigMap,
  Service,
  PodDisruptionBudget,
  Deployment,
  StatefulSet,
}

/** Members that the official API has in these places; a misspelt one would be dropped silently by a lenient client. */
const KNOWN: Record<string, readonly string[]> = {
  podSpec: [
    'automountServiceAccountToken',
    'enableServiceLinks',
    'terminationGracePeriodSeconds',
    'securityContext',
    'containers',
    'volumes',
  ],
  container: [
    'name',
    'image',
    'args',
    'envFrom',
    'ports',
    'securityContext',
    'resources',
    'startupProbe',
    'livenessProbe',
    'readinessProbe',
    'volumeMounts',
  ],
  probe: ['tcpSocket', 'httpGet', 'periodSeconds', 'timeoutSeconds', 'failureThreshold'],
  Deployment: ['replicas', 'strategy', 'selector', 'template'],
  StatefulSet: ['serviceName', 'replicas', 'podManagementPolicy', 'selector', 'template'],
  Service: ['selector', 'ports', 'clusterIP'],
  PodDisruptionBudget: ['maxUnavailable', 'selector'],
}
const unknown = (place: string, object: object): string[] =>
  Object.keys(object).filter((key) => !KNOWN[place]?.includes(key))

it("compose.sandbox.yaml installs into a volume that is its user's own", () => {
  const { sandbox, owner } = (parse(read('compose.sandbox.yaml')) as Loose).services
  const [, volume] = /^(\w+):\/src\/node_modules$/.exec(sandbox.volumes[1]) ?? []
  expect(owner).toMatchObject({ user: '0:0', cap_add: ['CHOWN'], volumes: [`${volume}:/modules`] })
  expect(owner.entrypoint).toEqual(['chown', sandbox.user, '/modules'])
  expect(sandbox.depends_on).toEqual({ owner: { condition: 'service_completed_successfully' } })
})

describe('kubernetes', () => {
  it('is made of known kinds in their current versions, with known members', () => {
    const versions: Record<string, string> = {
      ConfigMap: 'v1',
      Service: 'v1',
      PodDisruptionBudget: 'policy/v1',
      Deployment: 'apps/v1',
      StatefulSet: 'apps/v1',
    }
    expect([...new Set(documents.map(({ kind }) => kind))].sort()).toEqual(Object.keys(versions).sort())
    for (const { apiVersion, kind, metadata, spec } of documents) {
      expect(apiVersion).toBe(versions[kind])
      expect(metadata.name).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/)
      if (spec) expect([kind, unknown(kind, spec)]).toEqual([kind, []])
    }
  })

  it.each(documents.map((one) => [`${one.kind} ${one.metadata.name}`, one] as const))(
    '%s is valid by the schema of the official API',
    (_name, document) => {
      const Kind = MODELS[document.kind] as new (data: Loose) => Model
      new Kind(document).validate()
      // The schema is one that says no.
      const wrong = { ...document, metadata: { ...document.metadata, name: 5 } }
      expect(() => new Kind(wrong).validate()).toThrow(/name must be string/)
    },
  )

  it.each(workloads.map((one) => [one.kind as string, one] as const))(
    '%s: selectors meet, probes and rights are right',
    (kind, { spec }) => {
      const { metadata, spec: pod } = spec.template
      expect(metadata.labels).toMatchObject(spec.selector.matchLabels)
      expect(unknown('podSpec', pod)).toEqual([])
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const container of pod.containers) {
        expect(unknown('container', container)).toEqual([])
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/)
        for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
          expect(unknown('probe', probe)).toEqual([])
          expect((probe.httpGet ?? probe.tcpSocket).port).toBe(container.ports[0].name)
        }
        expect(container.readinessProbe.httpGet.path).toBe('/v1/live-check')
        const volumes = pod.volumes.map(({ name }: Loose) => name)
        for (const { name } of container.volumeMounts) expect(volumes).toContain(name)
        const config = configOf(ofKind('ConfigMap')[0].data, container.args)
        expect(config.mode).toBe(kind === 'StatefulSet' ? 'indexer' : 'api')
        const { shutdownDelayMs, shutdownGraceMs } = config.http
        expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(shutdownDelayMs + shutdownGraceMs)
        const { periodSeconds, failureThreshold } = container.readinessProbe
        if (kind === 'Deployment') expect(shutdownDelayMs).toBeGreaterThan(periodSeconds * failureThreshold * 1_000)
      }
    },
  )

  it('whoever runs out of memory is told of before he is killed', () => {
    const rules = parse(read('prometheus/alerts.yml')).groups[0].rules as Loose[]
    const { expr } = rules.find(({ alert }) => alert === 'FirnMemory') as Loose
    const alarm = Number(/> ([\d.e]+)$/.exec(expr)?.[1])
    const bytes = (limit: string): number => Number.parseInt(limit, 10) * (/g/i.test(limit) ? 2 ** 30 : 2 ** 20)
    const limits = [
      ...['api-1', 'api-2', 'indexer'].map((name) => compose.services[name].mem_limit),
      ...workloads.map(({ spec }) => spec.template.spec.containers[0].resources.limits.memory),
    ].map(bytes)
    expect(limits).toHaveLength(5)
    expect(Math.min(...limits)).toBeGreaterThan(1.2 * alarm)
  })

  it('services and budget select what there is', () => {
    const pods = workloads.map(({ spec }) => spec.template.metadata.labels)
    for (const { spec } of [...ofKind('Service'), ...ofKind('PodDisruptionBudget')]) {
      const wanted = spec.selector.matchLabels ?? spec.selector
      expect(pods.some((labels) => Object.entries(wanted).every(([key, value]) => labels[key] === value))).toBe(true)
    }
    const [{ spec }] = ofKind('StatefulSet') as [Loose]
    expect(ofKind('Service').map(({ metadata }) => metadata.name)).toContain(spec.serviceName)
    expect(configOf(ofKind('ConfigMap')[0].data).node.allowedHosts).toContain(ofKind('Service')[0]?.metadata.name)
  })
})
