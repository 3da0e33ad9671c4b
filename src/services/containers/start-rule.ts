import { ConfigError } from '../../errors.ts'

/** What earlier runs left about the index of one chain. */
export interface IndexRecord {
  /** A run without indexing may have left a gap. */
  incomplete: boolean
  previouslyIndexed: boolean
}

export interface IndexFlags {
  /** `--index-enabled` */
  enabled: boolean
  /** `--index-allow-incomplete` */
  allowIncomplete: boolean
}

/**
 * Whether this run may start, and what it leaves for the next one (node conventions 8, "Incomplete index rule").
 * `hasRunBefore`: this server has run on its data folder, with the index or without.
 * @throws ConfigError with the node's text when the index would get or has a gap that the flags do not allow.
 */
export function startIndex(record: IndexRecord, flags: IndexFlags, hasRunBefore: boolean): IndexRecord {
  if (!flags.enabled) {
    if (record.previouslyIndexed && !flags.allowIncomplete)
      throw new ConfigError(['running would cause index to become incomplete but incomplete indices are disabled'])
    return { ...record, incomplete: true }
  }
  if (record.incomplete && (record.previouslyIndexed || hasRunBefore) && !flags.allowIncomplete)
    throw new ConfigError(['index is incomplete but incomplete indices are disabled. Shutting down'])
  return { ...record, previouslyIndexed: true }
}
