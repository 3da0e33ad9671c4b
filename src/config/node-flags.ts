/** Flags of Node.js and V8 that this process was started with; those of the command line, which count most, come last. */
export const nodeFlags = (): string[] => [...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/), ...process.execArgv]
