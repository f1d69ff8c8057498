import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fabricClient } from '@bridle/client/index'
import { HarnessServer } from '@bridle/server/node/index'
import { afterAll, expect, test } from 'vitest'
import type { ServerSettings } from '../config/settings.ts'
import { waitingApprovals } from './waiting-approvals.ts'

const closing: (() => Promise<void> | void)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const steps = JSON.stringify([{ approve: 'bash', args: {} }])

test.each<[string, Partial<ServerSettings>, string | undefined]>([
  ['is open', {}, undefined],
  ['asks for a token', { authToken: 'a-token-of-the-server' }, 'a-token-of-the-server'],
])('[C303] a server that %s names what three sessions wait for after a restart', async (_name, access, authToken) => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-waiting-'))
  closing.push(() => rmSync(data, { recursive: true, force: true }))
  const settings = {
    port: 0,
    host: '127.0.0.1',
    data,
    tokenPaceMs: 0,
    log: () => {},
    cockpit: false,
    ...access,
  } as const
  const first = await HarnessServer.start(settings)
  const fabric = fabricClient({ url: first.url, ...(authToken !== undefined && { authToken }) })
  expect(await waitingApprovals(first.url, settings)).toEqual({ approvals: [], hasMore: false })
  for (const id of ['one', 'two', 'three']) {
    const run = fabric.ask('scripted', id, `@script ${steps}`)
    for await (const event of run) if (event.type === 'approval_requested') break
  }
  await first.close()
  const second = await HarnessServer.start(settings)
  closing.push(() => second.close())
  const { approvals, hasMore } = await waitingApprovals(second.url, settings)
  expect([hasMore, approvals.map(({ sessionId, toolName }) => [sessionId, toolName])]).toEqual([
    false,
    ['one', 'two', 'three'].map((id) => [id, 'bash']),
  ])
  if (authToken !== undefined) {
    const { authToken: _, ...without } = settings as typeof settings & { authToken?: string }
    expect(await waitingApprovals(second.url, without)).toEqual({ approvals: [], hasMore: false })
  }
})
