// Standard input of a test is no terminal, so nobody presses Ctrl+C a second time.

import type { FabricClient } from '@bridle/client/index'
import { expect, test } from 'vitest'
import type { CliOutput } from '../terminal/output.ts'
import { leaveRun } from './leaving.ts'

const leave = (session: () => Promise<object>, canAsk = true) =>
  leaveRun({ canAsk, note: () => {} } as unknown as CliOutput, { session } as unknown as FabricClient, {
    id: 's',
    runId: 'r-2',
  })

test.each([
  ['the run is in progress', { runId: 'r-2', queued: 0 }, 'continues'],
  ['the run waits behind another', { runId: 'r-1', queued: 1 }, 'continues'],
  ['the run has ended', { runId: null, queued: 0 }, 'ended'],
  ['a later run is in progress', { runId: 'r-3', queued: 0 }, 'ended'],
])('[C161] %s', async (_name, card, expected) => {
  expect(await leave(async () => card)).toBe(expected)
})

test('[C161] a server that does not say it, and a pipe, which does not wait', async () => {
  const away = () => Promise.reject(new Error('away'))
  expect(await leave(away)).toBe('unknown')
  expect(await leave(away, false)).toBe('continues')
})
