import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { configKeys } from '../../src/config/keys.ts'
import { treeOf } from '../../src/config/tree.ts'
import { problemsOf } from '../config/sources.ts'
import { configFileSchema } from './config-schema.ts'

const isValid = new Ajv({ strict: false }).compile(JSON.parse(configFileSchema()))

/** Keys, and every section around them. */
const paths = new Map(
  configKeys.flatMap(({ path }) => path.map((_, at) => [path.slice(0, at + 1).join('.'), path.slice(0, at + 1)])),
)
const inEntries = ['native', 'native.decimals', 'testnet', 'tokenLists', 'explorer', 'name', 'upstreams', 'blockTimeMs']
for (const inner of inEntries) paths.set(`chains.evm.1.${inner}`, ['chains', 'evm', '1', ...inner.split('.')])

it.each([...paths])(
  'editors take null for %s where the server does, and nothing else for a list in its place',
  (_, path) => {
    for (const value of [null, [[]], 'no such word', -1]) {
      const file = treeOf(path, value)
      const [problem] = problemsOf({ file }).filter((line) => line.includes('firn.config.json'))
      expect({ file, isValid: isValid(file) }).toEqual({ file, isValid: problem === undefined })
    }
  },
)
