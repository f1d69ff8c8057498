import type { FabricClient } from 'bridle/client'
import { expect, test } from 'vitest'
import { noFiles } from './files-choice.ts'
import { startSession } from './start-session.ts'

test('[C434] a new session is made with the chosen model and effort, and with neither where nothing was chosen', async () => {
  const made: unknown[] = []
  const client = {
    createChat: async (fields: object) => {
      made.push(fields)
      return { id: 's', agent: 'claude' }
    },
    startBackground: async (fields: object) => {
      made.push(fields)
      return { id: 's', agent: 'claude' }
    },
  } as unknown as FabricClient
  const form = { agent: 'claude', title: '', prompt: '', files: noFiles, costUsd: '', minutes: '' }
  const both = { model: 'opus', effort: 'high' }
  await startSession(client, { ...form, kind: 'chat', choice: both })
  await startSession(client, { ...form, kind: 'background', prompt: 'Work', choice: { model: '', effort: 'low' } })
  await startSession(client, { ...form, kind: 'chat', choice: { model: '', effort: '' } })
  expect(made).toEqual([
    { agent: 'claude', model: 'opus', think_level: 'high' },
    { agent: 'claude', think_level: 'low', prompt: 'Work' },
    { agent: 'claude' },
  ])
})
