import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStage, type RunningServer } from '../../support/server/stage.ts'

const stage = createStage()
let server: RunningServer
beforeAll(async () => {
  server = await stage.serve()
})
afterAll(() => stage.clear())

const get = (path: string, headers: Record<string, string> = {}, from = server.url) =>
  fetch(`${from}${path}`, { headers })

describe('how the page is served', () => {
  it('everything it loads is there, typed, guarded by its policy and asked for again each time', async () => {
    const html = await (await get('/')).text()
    const named = [...html.matchAll(/(?:href|src)="(page\/[^"]+)"/g)].map((match) => match[1] as string)
    const modules = new Set(named)
    for (const path of modules) {
      const response = await get(`/${path}`)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('cache-control')).toBe('no-cache')
      if (!path.endsWith('.js')) continue
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      for (const [, name] of (await response.text()).matchAll(/^import .* from '\.\/([^']+)'/gm))
        modules.add(`page/${name}`)
    }
    expect(modules.size).toBeGreaterThan(15)
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|https?:\/\//)
  })

  it('leads to pages whose files lie beside them: a proxy may have put a path before all of it', async () => {
    const links = (html: string): string[] =>
      [...html.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, link = '']) => link)
    const left = links(await (await get('/')).text()).filter((link) => !link.startsWith('page/'))
    expect(left.length).toBeGreaterThan(6)
    for (const link of left) {
      const answer = await get(`/${link}`)
      expect([link, answer.status]).toEqual([link, 200])
      if (!answer.headers.get('content-type')?.startsWith('text/html')) continue
      expect(links(await answer.text()).filter((file) => /^(\/|https?:)/.test(file))).toEqual([])
    }
  })

  it('its headers let nothing foreign in', async () => {
    const { headers } = await get('/')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "connect-src 'self'"])
      expect(policy.split('; ')).toContain(rule)
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  it('answers 304 to a browser that has it, HEAD without a body', async () => {
    const etag = (await get('/')).headers.get('etag') ?? ''
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get('/', { 'if-none-match': sent })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
    expect((await get('/', { 'if-none-match': '"other"' })).status).toBe(200)
    const head = await request(`${server.url}/`, { method: 'HEAD' })
    expect([head.statusCode, head.headers['etag'], await head.body.text()]).toEqual([200, etag, ''])
  })

  it('changes no other path', async () => {
    for (const path of [
      '/page',
      '/page/',
      '/page/wire.d.ts',
      '/page/tsconfig.json',
      '/page/..%2findex.ts',
      '/index.html',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404])
    expect((await fetch(`${server.url}/`, { method: 'POST', body: '{}' })).status).toBe(404)
    expect(await (await get('/ext/nothing')).text()).toBe('404 page not found\n')
  })

  it('names the chains and their explorers as they are configured', async () => {
    const upstreams = [{ url: 'http://127.0.0.1:9' }]
    const explorer = 'https://explorer.example'
    const { url } = await stage.serve({
      chains: {
        avalanche: { testnet: { name: 'Own', upstreams, explorer: `${explorer}/avalanche` } },
        bitcoin: { own: { name: 'Mine', network: 'regtest', upstreams: [{ kind: 'esplora', ...upstreams[0] }] } },
        solana: { own: { name: 'Sun', upstreams, explorer } },
      },
    } as never)
    const { chains } = (await (await get('/page/facts.json', {}, url)).json()) as { chains: object[] }
    const one = (letter: string, name: string) =>
      expect.objectContaining({ letter, name: `Own ${name}`, explorer: `${explorer}/avalanche` })
    expect(chains).toEqual([
      one('P', 'P-Chain'),
      one('X', 'X-Chain'),
      one('C', 'C-Chain shared memory'),
      { caip2Id: 'bip122:own', name: 'Mine', testnet: true },
      { caip2Id: 'solana:own', name: 'Sun', testnet: true, explorer },
    ])
  })

  it('tells what is served, and that nothing is indexed', async () => {
    const facts = (await (await get('/page/facts.json')).json()) as Record<string, unknown>
    expect(facts).toMatchObject({ chains: [], prefixes: { mainnet: ['avax'], testnet: ['fuji'] } })
    expect(facts['currencies']).toHaveLength(13)
    expect(facts).not.toHaveProperty('credentialHeader')
    expect(await (await get('/page/index.json')).json()).toEqual({ enabled: false, streams: [] })
  })

  it('is off by one setting, and the demand for a credential is told', async () => {
    const off = await stage.serve({ page: { enabled: false } })
    for (const path of ['/', '/page/main.js', '/page/facts.json'])
      expect((await get(path, {}, off.url)).status).toBe(404)
    const guarded = await stage.serve({ balance: { appCheck: { mode: 'static', tokens: ['token'] } } })
    expect(await (await get('/page/facts.json', {}, guarded.url)).json()).toHaveProperty(
      'credentialHeader',
      'x-firebase-appcheck',
    )
  })

  it('stands behind the access tokens of the node APIs like every other path', async () => {
    const password = 'Auth-Pw-1 correct horse battery'
    const guarded = await stage.serve({ node: { api: { auth: { required: true, password } } } })
    for (const path of ['/', '//', '/page/main.js', '/page/facts.json', '/page/index.json'])
      expect([path, (await get(path, {}, guarded.url)).status]).toEqual([path, 401])
  })
})
