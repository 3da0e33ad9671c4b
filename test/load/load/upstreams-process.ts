import { type Latencies, startChains } from '../balances/chains.ts'

/** Everything that a server under load calls, in a process of its own, so that its handles can be counted. */
const latencies = JSON.parse(process.argv[2] ?? '{}') as Latencies
const chains = await startChains(latencies)
process.on('message', (what: 'hold' | 'release') => {
  chains[what]()
  process.send?.(what)
})
process.once('disconnect', async () => {
  await chains.stop()
  process.exit(0)
})
// Ctrl-C reaches the whole group; the parent decides when the chains end.
process.on('SIGINT', () => {})
process.send?.(chains.facts)
