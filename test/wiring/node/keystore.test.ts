import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/index.ts'
import { wireKeystore } from '../../../src/wiring/node/keystore.ts'

/** Nothing may be asked of the store or the network while the server is put together. */
const untouched = new Proxy({}, { get: (_target, name) => expect.fail(`asked for ${String(name)}`) })

function wired(...argv: string[]) {
  const loaded = loadConfig({ argv, env: {}, cwd: '/' })
  if (loaded.action !== 'run') throw new Error('not to be run')
  const deps = { records: untouched as never, network: () => untouched as never, lookup: () => undefined }
  return wireKeystore(loaded.config, deps)
}

const endpoints = (...argv: string[]): string[] => wired(...argv).flatMap((service) => service.endpoints)

describe('the keystore as configured', () => {
  it('is off unless asked for, and never there for the public', () => {
    expect(endpoints()).not.toContain('keystore')
    expect(endpoints('--api-keystore-enabled')).toContain('keystore')
    expect(endpoints('--api-keystore-enabled', '--public')).not.toContain('keystore')
  })

  it('has the P-chain methods that only older nodes had, unless it is told to answer as the last nodes did', () => {
    const missing = (...argv: string[]) => {
      const platform = wired('--api-keystore-enabled', ...argv).find(({ service }) => service === 'platform')
      const { addValidator, ...rest } = platform?.methods ?? {}
      // No node has it any more, and neither have we: what is missing is answered by the same function.
      expect(addValidator).toBeDefined()
      return ['createAddress', 'importKey', 'exportKey', 'listAddresses'].filter((name) => rest[name] === addValidator)
    }
    expect(missing()).toEqual([])
    expect(missing('--node-api-keystore-platform-import=false')).toEqual(['createAddress', 'importKey'])
  })

  it('makes no embedded database to find no users in it, and asks one that is there', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'firn-keystore-'))
    const platform = wired('--data-dir', dataDir).find(({ service }) => service === 'platform')
    const isThere = () => platform?.methods['exportKey']?.isThere?.()
    expect(await isThere()).toBe(false)
    await mkdir(join(dataDir, 'store', 'data'), { recursive: true })
    await expect(isThere()).rejects.toThrow('asked for names')
  })

  it('looks after the key methods of all chains in any case', () => {
    for (const argv of [[], ['--api-keystore-enabled'], ['--public']])
      expect(endpoints(...argv)).toEqual(expect.arrayContaining(['P', 'X', 'X/wallet', 'C/avax']))
  })
})
