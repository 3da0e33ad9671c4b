/** Recorded admin calls to which Firn on purpose answers otherwise than the node did. */
export interface AdminDifference {
  names: RegExp
  what: string
  reason: string
  /** Our result there; undefined = only that there is one. */
  result: unknown
}

export const adminDifferences: readonly AdminDifference[] = [
  {
    names: /^admin\/setLoggerLevel\/(both|lower-case|display-only|good|all-.*|level-(?!number).*|restored)$/,
    what: 'admin.setLoggerLevel: an empty result instead of the levels.',
    reason: 'Explicit rule of the specification.',
    result: {},
  },
  {
    names: /^admin\/getLoggerLevel(\/(all|params-absent|params-array))?$/,
    what: 'admin.getLoggerLevel: the loggers of Firn.',
    reason: 'The API is about this server.',
    result: undefined,
  },
  {
    names: /^admin\/getConfig$/,
    what: 'admin.getConfig: the configuration of Firn, secrets hidden.',
    reason: 'The API is about this server.',
    result: undefined,
  },
  {
    names: /^admin\/dbGet\/keystore-(user-record|x-address-list)$/,
    what: 'admin.dbGet finds nothing.',
    reason: 'There is no key-value database to look into.',
    result: undefined,
  },
]
