import type { UpstreamLink } from './upstream-link.ts'

export interface TakingLinkDeps {
  /** Connects to the best node but these. Rejects when there is none, or gives one of them again. */
  connect(without: ReadonlySet<string>): Promise<UpstreamLink>
  /** What a node has to answer before its link is used; rejects when it does not. */
  prepare(link: UpstreamLink): Promise<void>
  /** After such a failure no other node is asked. */
  isOver(error: unknown): boolean
}

/**
 * A link to the first node that does what is asked of it. One that takes connections may still refuse subscriptions, as
 * many servers do above a limit of theirs, or not tell what was missed: it is closed, and the next one is asked.
 * @throws what the last node failed at, or why there is none
 */
export async function openTaking({ connect, prepare, isOver }: TakingLinkDeps): Promise<UpstreamLink> {
  const failed = new Set<string>()
  let failure: unknown
  for (;;) {
    const link = await connect(failed).catch((error: unknown) => {
      throw failure ?? error
    })
    try {
      await prepare(link)
      return link
    } catch (error) {
      link.close()
      if (isOver(error) || failed.has(link.host)) throw error
      failed.add(link.host)
      failure = error
    }
  }
}
