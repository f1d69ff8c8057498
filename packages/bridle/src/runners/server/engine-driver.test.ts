import { afterEach, expect, test, vi } from 'vitest'
import { claudeInfo } from '../engines/claude/capabilities.ts'
import type { Engine, EngineSession } from '../engines/engine.ts'
import { EngineDriver } from './engine-driver.ts'
import { textDigest } from './run-history.ts'
import { RunRecord } from './run-record.ts'

afterEach(() => vi.useRealTimers())

test('[R11] an engine that is still opening when its runner closes is closed as soon as it is there', async () => {
  vi.useFakeTimers()
  const close = vi.fn(async () => {})
  let opened = (_session: EngineSession) => {}
  const engine: Engine = {
    name: 'slow',
    provider: 'anthropic',
    info: claudeInfo('1.0.0'),
    needs: async () => null,
    open: () => new Promise((resolve) => (opened = resolve)),
  }
  const player = new EngineDriver({
    workFolder: 'work',
    stateFolder: 'state',
    privateFolder: 'private',
    launcher: async () => Promise.reject(new Error('Nothing is started here.')),
  })
  const record = new RunRecord({
    requestId: 'req-1',
    token: null,
    acknowledges: false,
    approvals: null,
    bodyDigest: '',
    env: {},
    epoch: 0,
    digest: async (text) => textDigest(text),
    now: Date.now,
  })
  const played = player.run(record, engine, { prompt: 'Hello' }, true)
  const closed = player.close()
  await vi.advanceTimersByTimeAsync(10_000)
  await closed
  opened({
    resume: null,
    sessionId: null,
    alive: true,
    play: async () => ({ kind: 'completed' }),
    interrupt: async () => {},
    steer: async () => {},
    close,
  })
  await played
  expect([close.mock.calls.length, record.end]).toMatchObject([1, { type: 'run.error', reason: 'runner_stopped' }])
})
