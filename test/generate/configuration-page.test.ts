import { describe, expect, it } from 'vitest'
import { configOf } from '../config/sources.ts'
import { configurationPage } from './configuration-page.ts'

describe('docs/configuration.md', () => {
  it('shows an example that works', () => {
    const example = /```json\n([\s\S]*?)```/.exec(configurationPage())?.[1] ?? ''
    const { evm } = configOf({ file: example }).chains
    expect(evm['43114']?.upstreams).toHaveLength(1)
    expect(evm).not.toHaveProperty('56')
    expect(evm['99373']?.name).toBe('My L1')
  })
})
