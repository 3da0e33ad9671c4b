import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { startFaultServer } from '../support/upstream/fault-server.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** What the image sets for the server, and so for its check. */
const THREADS = /UV_THREADPOOL_SIZE=(\d+) /.exec(read('Dockerfile'))?.[1] ?? ''
const [, CHECK = '[]'] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? []

/** Exit status of the image's check against a server that answers with this status, and the threads that it had. */
async function health(status: number | undefined, env: Record<string, string> = {}) {
  const asked: (string | undefined)[] = []
  let threads = 0
  const server = await startFaultServer({
    handle: ({ url }) => {
      asked.push(url)
      const tasks = `/proc/${run.child.pid}/task`
      if (existsSync(tasks)) threads = readdirSync(tasks).length
      return { status: status ?? 200, body: '{}' }
    },
  })
  if (status === undefined) await server.close()
  else ends.push(() => server.close())
  const { port } = new URL(server.url)
  const [file = '', ...words] = (JSON.parse(CHECK) as string[]).map((word) =>
    word === 'node' ? process.execPath : word,
  )
  const image = { UV_THREADPOOL_SIZE: THREADS, FIRN_HTTP_HOST: '0.0.0.0', FIRN_HTTP_PORT: port }
  const run = promisify(execFile)(file, words, { cwd: root, env: { PATH: process.env['PATH'], ...image, ...env } })
  const code = await run.then(
    () => 0,
    (error: { code: unknown }) => error.code,
  )
  return { code, asked, threads }
}

describe('the image', () => {
  it('has a last stage that runs nothing, is nobody and holds neither sources nor tools', () => {
    const stages = read('Dockerfile').split(/^FROM /m)
    const last = stages.at(-1) ?? ''
    expect(stages[0]).toMatch(/^ARG BASE_IMAGE=\S+$/m)
    for (const stage of stages.slice(1)) expect(stage).toMatch(/^\$\{BASE_IMAGE\}/)
    expect(last).not.toMatch(/^RUN /m)
    expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
    expect(last).toMatch(/^HEALTHCHECK .*CMD \[.*"node", "docker\/healthcheck.mjs"\]$/m)
    expect(last).toMatch(/^STOPSIGNAL SIGTERM$/m)
    // Without a shell in between the signal reaches the server.
    expect(last).toMatch(/^ENTRYPOINT \["node", "dist\/main.js"\]$/m)
    expect(last).not.toMatch(/^COPY (?!--from)(src|test)|^(ARG|ENV) .*(PASSWORD|SECRET|TOKEN|_KEY)/m)
    expect(read('Dockerfile')).toMatch(/npm ci --omit=dev/)
  })

  it('sends the builder nothing that it does not copy', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    expect(read('.dockerignore').split('\n')).toContain('*')
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    )
    expect(copied.length).toBeGreaterThan(5)
    for (const file of copied) expect(allowed).toContain(`!${file.replace(/^\.\//, '')}`)
  })

  it('carries the licence that package.json names', () => {
    expect(
      read('Dockerfile')
        .split(/^FROM /m)
        .at(-1),
    ).toMatch(/^COPY [^\n]*\bLICENSE\b/m)
    const { license } = JSON.parse(read('package.json')) as { license: string }
    expect(read('LICENSE')).toMatch(new RegExp(`^${license} License\n\nCopyright \\(c\\) \\d{4} `))
  })

  it('is healthy when reads work, or when a token would be needed to know', async () => {
    expect(await health(200)).toMatchObject({ code: 0, asked: ['/v1/live-check'] })
    expect(await health(401)).toMatchObject({ code: 0 })
    expect(await health(200, { FIRN_DATA_PATH_PREFIX: '/api' })).toMatchObject({ asked: ['/api/v1/live-check'] })
  })

  // A process that may start no more threads is aborted, and the container was unhealthy for ever.
  it.skipIf(process.platform !== 'linux')(
    "is asked by a process of few threads, as they count with the server's",
    async () => {
      const { threads } = await health(200)
      expect(Number(THREADS)).toBeGreaterThan(100)
      expect(threads).toBeGreaterThan(0)
      expect(threads).toBeLessThan(32)
    },
  )

  it('has room in each composed container for a command beside the server, with as many threads', () => {
    const limits = [...read('docker/compose.yaml').matchAll(/FIRN_MODE: \w+.*?pids_limit: (\d+)/gs)].map(([, limit]) =>
      Number(limit),
    )
    expect(limits).toHaveLength(2)
    for (const limit of limits) expect(limit).toBeGreaterThan(2 * (Number(THREADS) + 32))
  })

  it('is not while it shuts down, cannot read, or is not there', async () => {
    expect(await health(503)).toMatchObject({ code: 1 })
    expect(await health(undefined)).toMatchObject({ code: 1 })
  })

  it('has a bill of materials: everything the lock file ships, and nothing else', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['docker/sbom.mjs'], { cwd: root, maxBuffer: 1e8 })
    const document = JSON.parse(stdout) as {
      bomFormat: string
      specVersion: string
      components: { name: string; version: string; purl: string; hashes?: unknown[] }[]
    }
    expect(document).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' })
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
    const named = new Map(document.components.map(({ name, version }) => [name, version]))
    for (const [name, version] of Object.entries(dependencies ?? {}))
      expect([name, named.get(name)]).toEqual([name, version])
    for (const tool of ['vitest', '@biomejs/biome', 'bcoin', 'knip']) {
      expect(devDependencies).toHaveProperty([tool])
      expect(named.has(tool)).toBe(false)
    }
    expect(new Set(document.components.map(({ purl }) => purl)).size).toBe(document.components.length)
    for (const { purl } of document.components) expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/)
  })
})

it("Kubernetes' file names the image of this version, and a release keeps it so", () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const images = [...read('docker/kubernetes/firn.yaml').matchAll(/image: (.*)/g)].map(([, image]) => image)
  expect(new Set(images)).toEqual(new Set([`firn:${version}`]))
  const release = read('.ci/release')
  expect(release).toContain('sed -i "s/image: firn:.*/image: firn:$version/" docker/kubernetes/firn.yaml')
  expect(release).toMatch(/^git add .* docker\/kubernetes$/m)
})
