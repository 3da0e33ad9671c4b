import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/programs/free-port.ts'
import { sendRaw } from '../support/server/raw-http.ts'
import { createStage } from '../support/server/stage.ts'
import { gate } from '../support/waiting/gate.ts'

const manual = readFileSync(join(import.meta.dirname, '../../docs/deployment.md'), 'utf8')
const [, snippet = ''] = /```nginx\n([\s\S]*?)```/.exec(manual) ?? []
const missing = spawnSync('nginx', ['-v']).error !== undefined
if (missing)
  process.stderr.write('nginx is not here (Debian: apt-get install nginx-light): the lines for it are not run\n')

const stage = createStage()
let proxy: ChildProcess | undefined
afterEach(async () => {
  const ended = proxy && proxy.exitCode === null ? once(proxy, 'exit') : undefined
  proxy?.kill('SIGTERM')
  await ended
  await stage.clear()
})

/** nginx with the lines of the manual; only ports and what is of TLS are those of this machine. */
async function serveBehindNginx(url: string): Promise<number> {
  const port = await freePort()
  const folder = stage.folder()
  const lines = snippet
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/^ *ssl_.*\n/gm, '')
    .replace('127.0.0.1:8650', new URL(url).host)
    .replace(/^.*127\.0\.0\.1:8651.*\n/m, `server 127.0.0.1:${await freePort()} max_fails=0;\n`)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const own = `${user} daemon off; pid ${folder}/pid; error_log ${folder}/log crit; events {}`
  writeFileSync(join(folder, 'conf'), `${own} http { access_log off; gzip on; ${places.join(' ')}\n${lines}}`)
  proxy = spawn('nginx', ['-e', join(folder, 'log'), '-c', join(folder, 'conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const live = async () => (await fetch(`http://127.0.0.1:${port}/v1/live-check`).catch(() => undefined))?.status
  await expect.poll(live).toBe(200)
  return port
}

const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }

async function serve() {
  const held = gate()
  const quick = await stage.upstream()
  const slow = await stage.upstream({ faults: { held: held.opened } })
  const chain = (name: string, url: string) => ({ name, upstreams: [{ url }], native, blockTimeMs: 1_000 })
  const served = await stage.serve({
    http: { trustProxy: true, shutdownGraceMs: 200 },
    node: { network: 'mainnet', allowedHosts: ['firn.example.org'] },
    data: { plans: { default: { computeUnitsPerMinute: 1_000, computeUnitsPerDay: 60, operations: [] } } },
    chains: {
      evm: { 1: chain('Quick', quick.url), 2: chain('Slow', slow.url) },
      avalanche: { mainnet: { name: 'Own', upstreams: [{ url: quick.url }] } },
    },
  })
  return { ...served, held, port: await serveBehindNginx(served.url) }
}

/** A stream over both chains whose first item has come. */
async function open(port: number): Promise<{ answer: IncomingMessage; text: () => string }> {
  const addresses = [`0x${'1'.repeat(40)}`]
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'identity' }
  const sent = request({ port, path: '/v1/balance/get-balances', method: 'POST', headers })
  sent.end(JSON.stringify({ currency: 'usd', data: [{ namespace: 'eip155', references: ['1', '2'], addresses }] }))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  answer
    .on('error', () => undefined)
    .on('data', (part) => {
      text += part
    })
  await expect.poll(() => text).toContain('"caip2Id":"eip155:1"')
  expect(text).not.toContain('eip155:2')
  return { answer, text: () => text }
}

describe.skipIf(missing)('nginx as in the manual', () => {
  it('hands each item on as it comes, and a stream that is cut as one that is cut', async () => {
    const { app, held, port } = await serve()
    const cut = await open(port)
    const ended = new Promise((resolve) => cut.answer.once('close', resolve))
    await app.close()
    await ended
    expect(cut.answer.complete).toBe(false)
    held.open()
  })

  it('tells whose request it is, keeps metrics inside, and lets large bodies, names and WebSockets through', async () => {
    const { held, port } = await serve()
    const { answer, text } = await open(port)
    const ended = once(answer, 'end')
    held.open()
    await ended
    expect(text()).toContain('"caip2Id":"eip155:2"')

    const blocks = async (claim: string) =>
      (await fetch(`http://127.0.0.1:${port}/v1/blocks`, { headers: { 'x-forwarded-for': claim } })).status
    for (const claim of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) expect(await blocks(claim)).toBe(503)
    expect(await blocks('192.0.2.4')).toBe(429)

    const send = (target: string, headers: Record<string, string> = {}, body = '') =>
      sendRaw(port, {
        method: body === '' ? 'GET' : 'POST',
        target,
        headers: Object.entries({ host: 'firn.example.org', 'content-length': String(body.length), ...headers }),
        body: Buffer.from(body),
      })
    for (const target of ['/metrics', '/metrics/', '/metrics;a', '//metrics', '/%6detrics', '/v1/../metrics'])
      expect([target, (await send(target)).status]).toEqual([target, 404])

    const call = `{"jsonrpc":"2.0","id":1,"method":"info.peers","params":{"x":"${'x'.repeat(2_000_000)}"}}`
    const json = { 'content-type': 'application/json' }
    expect((await send('/ext/info', json, call)).status).toBe(200)
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
    expect((await send('/ext/bc/C/ws', { ...upgrade, ...key })).status).toBe(101)
  })
})
