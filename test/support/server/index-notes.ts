import { expect } from 'vitest'

interface Health {
  checks: { indexer: { message: { streams: Record<string, { notes?: string[] } | undefined> } } }
}

/** What a server's health says of how a stream is indexed. */
export async function indexNotes(url: string, stream: string): Promise<readonly string[]> {
  const { checks } = (await (await fetch(`${url}/ext/health`)).json()) as Health
  return checks.indexer.message.streams[stream]?.notes ?? []
}

/** Of a chain whose blocks no node traces. */
export const UNTRACED_NOTES: readonly unknown[] = [
  'what contracts send is not indexed: no node traces it',
  expect.stringMatching(/^what contracts sent is missing of up to \d+ blocks: nodes are asked again$/),
]
