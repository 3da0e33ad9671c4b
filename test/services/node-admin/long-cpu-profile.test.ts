import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createWaitRecorder } from '../../../src/lib/waiting/wait-recorder.ts'
import { createProfiler } from '../../../src/services/node-admin/index.ts'
import { eventually } from '../../support/waiting/eventually.ts'

it('a CPU profile that nobody stops ends by itself: it is written then, and stopping it is no error', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'firn-profile-'))
  const profiler = createProfiler({ dir, waits: createWaitRecorder() })
  onTestFinished(() => profiler.close())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await profiler.startCpu()
  vi.advanceTimersByTime(600_000)
  vi.useRealTimers()
  const written = async (): Promise<unknown> => JSON.parse(await readFile(join(dir, 'cpu.profile'), 'utf8'))
  await eventually(async () => expect(await written()).toHaveProperty('samples'))
  await profiler.stopCpu()
  await expect(profiler.stopCpu()).rejects.toThrow("cpu profiler doesn't exist")
  await rm(join(dir, 'cpu.profile'))
  // Nothing is left of it: the next one runs until it is stopped.
  await profiler.startCpu()
  await profiler.stopCpu()
  expect(await written()).toHaveProperty('samples')
})

it('a CPU profile that could not be started does not stand in the way of the next one', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'firn-profile-'))
  const profiler = createProfiler({ dir, waits: createWaitRecorder() })
  onTestFinished(() => profiler.close())
  const post = vi.spyOn(Session.prototype, 'post').mockRejectedValueOnce(new Error('the inspector is busy'))
  onTestFinished(() => post.mockRestore())
  await expect(profiler.startCpu()).rejects.toThrow('the inspector is busy')
  await expect(profiler.stopCpu()).rejects.toThrow("cpu profiler doesn't exist")
  await profiler.startCpu()
  await profiler.stopCpu()
  expect(JSON.parse(await readFile(join(dir, 'cpu.profile'), 'utf8'))).toHaveProperty('samples')
})

it('a CPU profile that was stopped in time does not end the next one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const dir = mkdtempSync(join(tmpdir(), 'firn-profile-'))
  const profiler = createProfiler({ dir, waits: createWaitRecorder() })
  onTestFinished(() => profiler.close())
  await profiler.startCpu()
  await profiler.stopCpu()
  expect(vi.getTimerCount()).toBe(0)
})
