import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { scrape } from '../metrics/scrape.ts'
import { createStage } from '../support/server/stage.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const stage = createStage()
afterEach(() => stage.clear())

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; datasource: { uid: string } }[]
}
const board = JSON.parse(read('docker/grafana/dashboards/firn.json')) as {
  uid: string
  refresh: string
  panels: Panel[]
}
const expressionsOf = ({ panels }: typeof board): string[] =>
  panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr))

interface Alert {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: Record<string, string>
}
const alerts = (parse(read('docker/prometheus/alerts.yml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
)

const metricsIn = (expression: string): string[] => expression.match(/\bfirn_\w+/g) ?? []

/** All names that a running server exports; a histogram has three. */
let known: Promise<Set<string>> | undefined
const exported = (): Promise<Set<string>> => {
  known ??= ask()
  return known
}

async function ask(): Promise<Set<string>> {
  // Nobody listens there; what tells of it is measured all the same.
  const { port } = new URL(await stage.deadUrl())
  const { url } = await stage.serve({
    index: { enabled: true } as never,
    otel: { enabled: true, endpoint: `http://127.0.0.1:${port}` } as never,
    redis: { url: `redis://127.0.0.1:${port}` } as never,
  })
  const text = await (await fetch(`${url}/metrics`)).text()
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
}

describe('board and alerts', () => {
  it('name only metrics that a running server has', async () => {
    const names = await exported()
    const used = [...expressionsOf(board), ...alerts.map(({ expr }) => expr)].flatMap(metricsIn)
    expect(used.length).toBeGreaterThan(60)
    expect([...new Set(used)].filter((name) => !names.has(name))).toEqual([])
  })

  it('an alert that nobody writes the index needs no indexer that is left to say so', async () => {
    const { port } = new URL(await stage.deadUrl())
    const store = { databaseUrl: `postgres://nobody@127.0.0.1:${port}/firn` }
    const { url } = await stage.serve({ mode: 'api', index: { enabled: true } as never, store: store as never })
    const samples = await scrape(url)
    expect(samples.filter(({ name }) => name === 'firn_index_leading')).toMatchObject([{ value: 0 }])
    expect(samples.filter(({ name }) => name === 'firn_index_state')).toEqual([])
  })

  it('a time beyond which an alert fires is one that is counted: between two such times Prometheus guesses', async () => {
    const { url } = await stage.serve({})
    await fetch(`${url}/v1/live-check`)
    const samples = await scrape(url)
    const times = alerts.flatMap(({ expr }) => [
      ...expr.matchAll(/histogram_quantile\(.*?\b(firn_\w+_bucket)\b.*> ([\d.]+)/gs),
    ])
    expect(times.length).toBeGreaterThan(0)
    for (const [, name, seconds] of times)
      expect(samples.filter((one) => one.name === name).map(({ labels }) => labels['le'])).toContain(seconds)
  })

  it('the paths that are let in from outside lead to all but the metrics', async () => {
    const words = /route only\s(.*?)\sfrom outside/s.exec(read('docs/deployment.md'))?.[1] ?? ''
    const exact = [...words.matchAll(/`([^`]+)` itself/g)].map(([, path]) => path)
    const prefixes = [...words.matchAll(/`(\/[^`]*)`(?! itself)/g)].map(([, path]) => path ?? '')
    const isLetIn = (path: string): boolean =>
      exact.includes(path) || prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
    const { url } = await stage.serve({})
    const page = await (await fetch(url)).text()
    const links = [...page.matchAll(/(?:href|src)="(\w[^":]*)"/g)].map(([, path]) => `/${path}`)
    expect(links.length).toBeGreaterThan(5)
    const wanted = ['/', '/schema.json', '/api-json', '/v1/live-check', '/ext/health', ...links]
    expect(wanted.filter((path) => !isLetIn(path))).toEqual([])
    expect(['/metrics', '/metrics/'].filter(isLetIn)).toEqual([])
  })

  it('know the indexed API by its paths, whatever prefix it is behind', () => {
    const route = '/v1/networks/:network/blockchains/:blockchainId/utxos'
    const all = [...expressionsOf(board), ...alerts.map(({ expr }) => expr)]
    const patterns = all.flatMap((expr) => [...expr.matchAll(/route=~"([^"]+)"/g)].map(([, text]) => text ?? ''))
    const own = patterns.filter((text) => new RegExp(`^(?:${text})$`).test(route))
    expect(own.length).toBeGreaterThan(2)
    expect(own.filter((text) => !new RegExp(`^(?:${text})$`).test(`/api${route}`))).toEqual([])
  })

  it('leave no metric of Firn unseen', async () => {
    const used = new Set(
      expressionsOf(board)
        .flatMap(metricsIn)
        .map((name) => name.replace(/_(bucket|sum|count)$/, '')),
    )
    const own = [...(await exported())].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
    expect([...new Set(own)].filter((name) => !/^firn_(nodejs|process)_/.test(name) && !used.has(name))).toEqual([])
  })

  it('the manual names each in full, so that it is found by what an alert or the board shows, and no other', async () => {
    const told = read('docs/operations.md').split('\n## Metrics\n')[1]?.split('\n## ')[0] ?? ''
    const named = new Set(told.match(/\bfirn_\w+(?!\w*\*)/g))
    const own = new Set([...(await exported())].map((name) => name.replace(/_(bucket|sum|count)$/, '')))
    const isOfNode = (name: string): boolean => /^firn_(nodejs|process)_/.test(name)
    expect([...own].filter((name) => !isOfNode(name) && !named.has(name))).toEqual([])
    expect([...named].filter((name) => !isOfNode(name) && !own.has(name))).toEqual([])
  })

  it('the board is whole: own ids, panels beside each other, one data source', () => {
    const { panels } = board
    expect(board.uid).toBe('firn')
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    const { datasources } = parse(read('docker/grafana/provisioning/datasources/prometheus.yaml'))
    for (const { targets } of panels)
      for (const { datasource } of targets ?? []) expect(datasource.uid).toBe(datasources[0].uid)
  })

  it('the board shows what is wrong before an alert fires, and asks as often as Prometheus does', () => {
    const first = board.panels.find(({ type }) => type === 'table')
    expect(first?.gridPos.y).toBeLessThan(10)
    expect(first?.targets?.[0]?.expr).toContain('(ALERTS{alertname=~"Firn.*"})')
    for (const { alert } of alerts) expect(alert).toMatch(/^Firn/)
    expect(board.refresh).toBe('10s')
    const { global } = parse(read('docker/prometheus/prometheus.yml')) as { global: Record<string, string> }
    expect(global).toEqual({ scrape_interval: '10s', evaluation_interval: '10s' })
  })

  it('each alert says how bad it is, is tested, and is explained for whoever is woken by it', () => {
    const manual = read('docs/operations.md')
    const tests = read('docker/prometheus/alerts.test.yml')
    expect(alerts.length).toBeGreaterThan(10)
    for (const { alert, labels, annotations } of alerts) {
      expect(['page', 'ticket']).toContain(labels['severity'])
      expect(annotations['summary']).toBeTruthy()
      expect(tests).toContain(`alertname="${alert}"`)
      expect(manual).toContain(`\`${alert}\``)
    }
  })

  const promtool = process.env['PROMTOOL'] ?? 'promtool'
  const missing = spawnSync(promtool, ['--version']).error !== undefined
  if (missing) process.stderr.write('promtool is not here (PROMTOOL, or on the PATH): the rules are not run\n')
  it.skipIf(missing).each([
    ['check', 'config', 'docker/prometheus/prometheus.yml'],
    ['test', 'rules', 'docker/prometheus/alerts.test.yml'],
  ])('promtool %s %s %s', (...args) => {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: root, encoding: 'utf8' })
    expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 })
  })

  it.skipIf(missing)('every query of the board can be read by Prometheus', () => {
    const rules = expressionsOf(board).map((expr, at) => ({
      record: `board:${at}`,
      expr: expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
    }))
    expect(rules.length).toBeGreaterThan(50)
    const file = join(stage.folder(), 'board.yml')
    writeFileSync(file, stringify({ groups: [{ name: 'board', rules }] }))
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' })
    expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 })
  })
})
