import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { artefacts } from './artefacts.ts'

describe('generated files', () => {
  it.each(artefacts.map((artefact) => [artefact.path, artefact] as const))(
    '%s is what the code says (npm run generate writes it)',
    async (path, artefact) => {
      const committed = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
      expect(committed).toBe(await artefact.content())
    },
  )
})
