import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const folder = new URL('../../openapi/', import.meta.url)
const redocly = new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url)

const documents = readdirSync(folder).filter(
  (name) => name.endsWith('.json') && 'openapi' in (JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object),
)

interface Report {
  problems: { ruleId: string; message: string; severity: string }[]
}

describe('committed OpenAPI documents', () => {
  it('are there', () => {
    expect(documents).toContain('balance.json')
  })

  it.each(documents)('%s passes the linter without a warning', async (name) => {
    const report = await promisify(execFile)(
      process.execPath,
      [redocly.pathname, 'lint', '--format=json', '--max-problems=1000', new URL(name, folder).pathname],
      { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    ).catch((error: { stdout: string; stderr: string }) => error)
    const { problems } = JSON.parse(report.stdout) as Report
    expect(problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`)).toEqual([])
  })
  it('data.json tells by which member the two kinds of tokens differ', () => {
    const { paths, components } = JSON.parse(readFileSync(new URL('data.json', folder), 'utf8'))
    const token = paths['/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}'].get.responses['200']
    const { propertyName, mapping } = token.content['application/json'].schema.discriminator
    const named = Object.entries<string>(mapping).map(([kind, place]) => [
      kind,
      components.schemas[place.split('/').at(-1) ?? ''].properties[propertyName].enum,
    ])
    expect(named).toEqual([
      ['ERC-721', ['ERC-721']],
      ['ERC-1155', ['ERC-1155']],
    ])
  })
})
