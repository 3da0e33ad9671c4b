import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/temporary-folder.ts',
    // Real chains, servers and databases run beside the tests: two files at a time fit two cores.
    maxWorkers: 2,
    // Whole servers, indexes and chains start inside tests; two cores may be busy. This ends what hangs: no test is to
    // have a limit of its own, since how fast a machine is proves nothing.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes when it comes: one second, the default, is what a busy machine stands still now and then.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    pool: 'forks',
  },
})
