import { createApp } from '../../src/app.ts'
import { createConfig } from '../../src/config/index.ts'

/** A document as the server itself serves it, from a server that listens nowhere and asks nobody. */
export async function servedDocument(path: string): Promise<string> {
  const app = await createApp(
    createConfig({ log: { level: 'silent' }, market: { prices: { provider: 'none' } }, chains: { catalogue: false } }),
  )
  try {
    const response = await app.http.inject({ method: 'GET', url: path })
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`)
    return `${JSON.stringify(response.json(), null, 2)}\n`
  } finally {
    await app.close()
  }
}
