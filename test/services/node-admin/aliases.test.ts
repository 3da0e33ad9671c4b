import { describe, expect, it } from 'vitest'
import { createAliases } from '../../../src/services/node-admin/index.ts'

const unreachable = async (): Promise<never> => {
  throw new Error('the store was asked')
}
const records = { all: unreachable, generation: unreachable, addEndpoint: unreachable, addChain: unreachable }
const quiet = { error: () => undefined, warn: () => undefined }

describe('aliases that no database keeps and no path has', () => {
  const added: string[] = []
  const aliases = createAliases({
    records,
    routes: { add: (_endpoint, alias) => void added.push(alias) },
    chains: { lookup: (alias) => alias, alias: (_chain, alias) => void added.push(alias) },
    refreshMs: 0,
    logger: quiet,
  })

  it.each([
    ['as an alias', () => aliases.aliasEndpoint('bc/C', 'a\0')],
    ['as an endpoint', () => aliases.aliasEndpoint('bc/\0', 'b')],
    ['as an alias of a chain', () => aliases.aliasChain('C', '\0')],
  ])('are refused before anything is changed: %s', async (_where, work) => {
    await expect(work()).rejects.toThrow('alias contains a zero byte')
    expect(added).toEqual([])
  })
})
