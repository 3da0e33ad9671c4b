import { expect, it } from 'vitest'
import { describeStores } from '../../support/store/store.ts'

describeStores('aliases', (open) => {
  it('keeps aliases in the order they were added and tells who holds a taken one', async () => {
    const { aliases } = await open()
    const before = await aliases.generation()
    await expect(aliases.addEndpoint({ alias: 'b', endpoint: 'bc/X' })).resolves.toEqual({
      added: true,
      endpoint: 'bc/X',
    })
    await aliases.addEndpoint({ alias: 'a', endpoint: 'bc/C' })
    await expect(aliases.addEndpoint({ alias: 'b', endpoint: 'bc/P' })).resolves.toEqual({
      added: false,
      endpoint: 'bc/X',
    })
    await expect(aliases.addChain({ alias: 'swap', chain: 'C' })).resolves.toEqual({ added: true, chain: 'C' })
    await expect(aliases.addChain({ alias: 'swap', chain: 'X' })).resolves.toEqual({ added: false, chain: 'C' })
    const all = await aliases.all()
    expect(all.endpoints).toEqual([
      { alias: 'b', endpoint: 'bc/X' },
      { alias: 'a', endpoint: 'bc/C' },
    ])
    expect(all.chains).toEqual([{ alias: 'swap', chain: 'C' }])
    expect(all.generation).toBe(await aliases.generation())
    expect(all.generation).toBeGreaterThan(before)
  })

  it('gives an alias to one of many that ask at once', async () => {
    const { aliases } = await open()
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, i) => aliases.addEndpoint({ alias: 'one', endpoint: `bc/${i}` })),
    )
    const winners = results.filter((result) => result.added)
    expect(winners).toHaveLength(1)
    expect(new Set(results.map((result) => result.endpoint)).size).toBe(1)
  })
})
