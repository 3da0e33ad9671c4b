import { startChains } from './chains.ts'

/** The chains and their recorders in a process of their own, so that neither load nor server wait for them. */
const [fast, slow, middle] = process.argv.slice(2).map(Number) as [number, number, number]
const chains = await startChains({ fast, slow, middle })
process.on('message', (what: 'hurry' | 'calm') => chains[what]())
process.once('disconnect', async () => {
  await chains.stop()
  process.exit(0)
})
// Ctrl-C reaches the whole group; the parent decides when the chains end.
process.on('SIGINT', () => {})
process.send?.(chains.facts)
