import { Ajv } from 'ajv'
import { afterEach, describe, expect, it } from 'vitest'
import { openRpcDocument } from '../../../src/api/node/openrpc/index.ts'
import type { App } from '../../../src/app.ts'
import type { Config, Partially } from '../../../src/config/index.ts'
import { FIXTURES } from '../../support/recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from '../../support/replay-node/index.ts'
import { readConversations } from '../../support/replay-node/recorded/conversations.ts'
import { openRecordings } from '../../support/replay-node/recorded/recordings.ts'
import { createTestApp, testConfig } from './recorded-node.ts'

interface Described {
  name: string
  deprecated?: boolean
  params: { name: string; required: boolean; schema: object }[]
  result: { schema: object }
  errors?: { code: number; message: string }[]
  servers: { url: string }[]
}
interface Document {
  openrpc: string
  methods: Described[]
  components: { schemas: Record<string, object> }
}

/** The rows of the specification. */
const ROWS = `
auth.newToken auth.revokeToken auth.changePassword
admin.alias admin.aliasChain admin.getChainAliases admin.getLoggerLevel admin.loadVMs admin.lockProfile
admin.memoryProfile admin.setLoggerLevel admin.startCPUProfiler admin.stopCPUProfiler
info.acps info.isBootstrapped info.getBlockchainID info.getNetworkID info.getNetworkName info.getNodeID info.getNodeIP
info.getNodeVersion info.getTxFee info.getVMs info.peers info.uptime info.upgrades
platform.exportKey platform.getBalance platform.getBlock platform.getBlockByHeight platform.getBlockchains
platform.getBlockchainStatus platform.getCurrentSupply platform.getCurrentValidators platform.getFeeConfig
platform.getFeeState platform.getHeight platform.getL1Validator platform.getProposedHeight
health.health health.readiness health.liveness
keystore.createUser keystore.deleteUser keystore.exportUser keystore.importUser keystore.listUsers
index.getContainerByID index.getContainerByIndex index.getContainerRange index.getIndex index.getLastAccepted
index.isAccepted
eth_feeConfig eth_getChainConfig eth_getActivePrecompilesAt eth_getActiveRulesAt validators.getCurrentValidators`
  .trim()
  .split(/\s+/)

const document = JSON.parse(openRpcDocument()) as Document

/** The schema of a result with the shared shapes beside it. */
function validatorOf(schema: object) {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  return ajv.compile({ ...schema, components: document.components })
}

describe('the OpenRPC document', () => {
  it('describes every method of the specification, each once', () => {
    const names = document.methods.map(({ name }) => name)
    expect(names.filter((name) => ROWS.includes(name)).sort()).toEqual([...ROWS].sort())
    expect(new Set(names).size).toBe(names.length)
    expect(document.openrpc).toMatch(/^1\.3\./)
  })

  it('describes arguments by schemas that JavaScript reads, too', () => {
    const validators = new Map(
      document.methods.flatMap(({ name, params }) =>
        params.map((param) => [`${name} ${param.name}`, validatorOf(param.schema)] as const),
      ),
    )
    for (const level of ['OFF', 'verbo', 'Info'])
      expect(validators.get('admin.setLoggerLevel logLevel')?.(level)).toBe(true)
    for (const level of ['', 'silent', 'info '])
      expect(validators.get('admin.setLoggerLevel logLevel')?.(level)).toBe(false)
  })

  it('is what recorded nodes answer, where they answer with a result', () => {
    const recordings = openRecordings(FIXTURES)
    const conversations = (['network-moment', 'l1', 'legacy'] as const).flatMap((set) =>
      readConversations(recordings, set),
    )
    const validators = new Map(
      document.methods.map((method) => [method.name, validatorOf(method.result.schema)] as const),
    )
    const wrong: string[] = []
    const seen = new Set<string>()
    for (const { name, request, response } of conversations) {
      const call = parsed(request.body) as { method?: string } | undefined
      const answer = parsed(response.body) as { result?: unknown } | undefined
      const validate = validators.get(call?.method ?? '')
      if (!validate || typeof answer !== 'object' || answer === null || !('result' in answer)) continue
      seen.add(call?.method ?? '')
      if (!validate(answer.result)) wrong.push(`${name}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
    }
    expect(wrong.filter((line) => !KNOWN.test(line))).toEqual([])
    expect(seen.size).toBeGreaterThan(38)
  })

  it('describes what validators that renew themselves add (since Helicon)', () => {
    const validate = validatorOf({ $ref: '#/components/schemas/Validator' })
    const validatorAuthority = { locktime: '0', threshold: '1', addresses: ['P-local1…'] }
    const own = { validatorAuthority, nextPeriod: '45', autoCompoundRewardShares: '250000' }
    const renewing = { nodeID: 'NodeID-…', startTime: '1795367565', weight: '134991816077377', ...own }
    expect(validate(renewing)).toBe(true)
    for (const name of Object.keys(own)) expect(validate({ ...renewing, [name]: 45 }), name).toBe(false)
  })
})

/** Explicit rules of the specification that nodes do not keep: members of health checks that are always there. */
const KNOWN = /^(health\/|http\/get-health)/

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

describe('a server', () => {
  let node: ReplayNode | undefined
  let app: App | undefined
  afterEach(async () => {
    await app?.close()
    await node?.stop()
  })
  const start = async (over: Partially<Config> = {}): Promise<string> => {
    node = await startReplayNode()
    app = await createTestApp(testConfig([node.url], over))
    return app.listen()
  }
  const namesAt = async (url: string): Promise<string[]> =>
    ((await (await fetch(`${url}/ext/openrpc.json`)).json()) as Document).methods.map(({ name }) => name)
  const discover = async (url: string, path: string) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}',
    })
    return { status: answer.status, body: (await answer.json().catch(() => undefined)) as { result?: Document } }
  }

  it('shows what it serves: by GET and by rpc.discover', async () => {
    const url = await start({ node: { api: { admin: { enabled: true } } } })
    const page = await fetch(`${url}/ext/openrpc.json`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'application/json'])
    const served = (await page.json()) as Document
    const names = served.methods.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['admin.alias', 'info.peers', 'health.health', 'index.getIndex']))
    expect(names).not.toContain('auth.newToken')
    expect(names.filter((name) => /^keystore\.|platform\.(exportKey|listAddresses)/.test(name))).toEqual([])
    for (const path of ['/ext/info', '/ext/bc/P', '/ext/health', '/ext/index/X/tx', '/ext/admin'])
      expect((await discover(url, path)).body.result, path).toEqual(served)
    for (const path of ['/ext/auth', '/ext/keystore']) expect((await discover(url, path)).status, path).toBe(404)
    const posted = await fetch(`${url}/ext/openrpc.json`, { method: 'POST', body: '{}' })
    expect(posted.status).toBe(405)
  })

  it('with a keystore describes the methods of its keys, too', async () => {
    const names = await namesAt(await start({ node: { api: { keystore: { enabled: true } } } }))
    for (const name of ['keystore.listUsers', 'platform.exportKey', 'platform.listAddresses'])
      expect(names).toContain(name)
  })

  it('that is public describes nothing that is not for the public', async () => {
    const names = await namesAt(await start({ node: { publicDeployment: true } }))
    expect(
      names.filter((name) => /^(auth|admin|keystore|health)\.|platform\.(exportKey|listAddresses)/.test(name)),
    ).toEqual([])
    expect(names).toContain('platform.getHeight')
  })
})
