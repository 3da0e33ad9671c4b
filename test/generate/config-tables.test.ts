import { describe, expect, it } from 'vitest'
import { configKeys } from '../../src/config/keys.ts'
import { shortForms } from '../../src/config/short-forms.ts'
import { configTables, keyTables } from './config-tables.ts'

const namesIn = (table: string): string[] => table.split('\n').flatMap((line) => /^\| `([^`]+)`/.exec(line)?.[1] ?? [])

describe('tables of the configuration', () => {
  it('have a row for every key, short form and chain', () => {
    const shown = keyTables.flatMap(([, table]) => namesIn(table))
    expect(shown.sort()).toEqual(configKeys.map(({ name }) => name).sort())
    expect(configTables.shortForms.split('\n')).toHaveLength(shortForms.length + 2)
    expect(configTables.builtIn).toContain('| `eip155:43114` | Avalanche C-Chain | AVAX | api.avax.network,')
  })

  it('tell of what is inside of entries', () => {
    expect(namesIn(configTables.chain)).toEqual(
      expect.arrayContaining(['upstreams', 'native.decimals', 'multicall', 'network', 'staking.supplyCap']),
    )
    expect(configTables.chain).toContain('| `name` | all | needed | text, not empty | Name shown to people. |')
    expect(configTables.chain).toContain('| `native.decimals` | evm | `18` | a whole number from 0 to 255 |')
    expect(configTables.chain).toContain('| `native.decimals` | bitcoin | `8` | a whole number from 0 to 255 |')
    expect(configTables.chain).toContain('| `native.symbol` | evm | needed |')
    expect(configTables.chain).toContain('| `native.symbol` | bitcoin, solana, avalanche |  |')
    expect(namesIn(configTables.upstream)).toEqual(expect.arrayContaining(['url', 'headers', 'priority', 'kind']))
    expect(namesIn(configTables.plan)).toEqual(['computeUnitsPerMinute', 'computeUnitsPerDay', 'operations'])
    expect(namesIn(configTables.apiKey)).toEqual(['key', 'plan'])
  })

  it.each([...Object.entries(configTables), ...keyTables])(
    '%s: rows of one width, and a text in each last column',
    (_name, table) => {
      const lines = table.split('\n').map((line) => line.replaceAll('\\|', '').split('|'))
      expect(new Set(lines.map((cells) => cells.length)).size).toBe(1)
      expect(lines.filter((cells) => cells.at(-2)?.trim() === '').map((cells) => cells[1])).toEqual([])
    },
  )
})
