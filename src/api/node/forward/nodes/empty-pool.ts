import { UpstreamUnavailableError } from '../../../../errors.ts'
import type { UpstreamPool } from '../../../../upstream/index.ts'

/** Used when no node is configured: every call fails as if no node answered. */
export function createEmptyPool(name: string): UpstreamPool {
  const refuse = async (): Promise<never> => {
    throw new UpstreamUnavailableError(`${name}: no node is configured`)
  }
  return {
    name,
    rpc: refuse,
    getJson: refuse,
    exchange: refuse,
    head: () => undefined,
    status: () => [],
    isAsked: () => false,
    close: async () => undefined,
  }
}
