import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real chains, servers and databases run beside the tests: two files at a time fit two cores.
    maxWorkers: 2,
    // Whole servers, indexes and chains start inside tests; two cores may be busy.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // What is waited for comes when it comes: one second, the default, is what a busy machine stands still now and then.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    pool: 'forks',
  },
})
