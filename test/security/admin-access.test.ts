import { afterAll, describe, expect, it } from 'vitest'
import { sendRaw } from '../support/server/raw-http.ts'
import { createStage } from '../support/server/stage.ts'

const stage = createStage()
afterAll(() => stage.clear())

type Header = readonly [name: string, value: string]

describe('the admin API without tokens', () => {
  const FOR_OTHERS: readonly Header[] = [
    ['Forwarded', 'for=10.0.0.1'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-Host', 'localhost'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Server', 'proxy'],
    ['X-Forwarded-Port', '443'],
    ['X-Real-IP', '127.0.0.1'],
    ['X-Client-IP', '127.0.0.1'],
    ['True-Client-IP', '127.0.0.1'],
    ['CF-Connecting-IP', '127.0.0.1'],
    ['Via', '1.1 proxy'],
    ['Origin', 'http://localhost:8650'],
    ['Origin', 'null'],
    ['Sec-Fetch-Site', 'cross-site'],
  ]

  const call = (at: number, headers: readonly Header[], host = '127.0.0.1') => {
    const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"admin.getLoggerLevel","params":{}}')
    const whole: Header[] = [
      ['Host', host],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
      ...headers,
    ]
    return sendRaw(at, { method: 'POST', target: '/ext/admin', headers: whole, body })
  }

  it('is there for this machine, not for whom a proxy or a web page speaks', async () => {
    const served = await stage.serve({ node: { api: { admin: { enabled: true } } } })
    const at = Number(new URL(served.url).port)
    expect((await call(at, [])).body.toString()).toContain('"loggerLevels"')
    for (const header of FOR_OTHERS)
      expect((await call(at, [header])).body.toString(), header.join(': ')).toContain('served to this machine only')
    // A page whose name was made to point here (DNS rebinding) comes with its own Host.
    expect((await call(at, [], 'rebinding.example')).status).toBe(403)
  })

  it('is not there for the public, nor are keystore and auth, by no path and no header', async () => {
    const apis = { admin: { enabled: true, remote: true }, keystore: { enabled: true } }
    // Where nobody needs a token there is no auth for anybody: it is looked for where all need one.
    const auth = { required: true, password: 'correct horse battery staple 7' }
    const open = await stage.serve({ node: { publicDeployment: true, api: apis } })
    const guarded = await stage.serve({ node: { publicDeployment: true, api: { ...apis, auth } } })
    const looked: [string, string][] = [
      [open.url, 'admin'],
      [open.url, 'keystore'],
      [guarded.url, 'auth'],
    ]
    for (const [url, api] of looked) {
      const at = Number(new URL(url).port)
      for (const target of [
        `/ext/${api}`,
        `/ext/${api}/`,
        `/%65xt/${api}`,
        `/ext%2f${api}`,
        `http://127.0.0.1/ext/${api}`,
      ]) {
        const headers: Header[] = [
          ['Host', '127.0.0.1'],
          ['Content-Type', 'application/json'],
          ['Content-Length', '2'],
        ]
        for (const more of [[], [['Avalanche-Api-Route', api]] as Header[]]) {
          const request = { method: 'POST', target, headers: [...headers, ...more], body: Buffer.from('{}') }
          const { status } = await sendRaw(at, request)
          // Other paths need a token before anybody says that they are nothing.
          expect(api !== 'auth' || target === '/ext/auth' ? [404] : [401, 404], target).toContain(status)
        }
      }
    }
  })
})
