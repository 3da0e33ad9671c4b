import { ConfigError } from '../../errors.ts'

export interface IndexFlags {
  /** `--index-enabled` */
  enabled: boolean
  /** `--index-allow-incomplete` */
  allowIncomplete: boolean
}

/**
 * Whether this run may start, by a node's rule. A node that indexed, paused and indexes again has lost containers for
 * good; here they are fetched later, so switching the index on needs no permission.
 * @param indexedBefore an earlier run of this server had the index on
 * @throws ConfigError with the node's text, and what can be done, when the index would stop without the operator's
 * consent
 */
export function allowStart(indexedBefore: boolean, { enabled, allowIncomplete }: IndexFlags): void {
  if (enabled || !indexedBefore || allowIncomplete) return
  throw new ConfigError([
    'running would cause index to become incomplete but incomplete indices are disabled: an earlier run with this data ' +
      'folder had --index-enabled; give it again, or --index-allow-incomplete to go on without the index',
  ])
}
