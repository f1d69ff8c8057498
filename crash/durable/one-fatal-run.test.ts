// A run that kills its server again and again, beside runs that need longer than it lives. Something starts the server whenever it
// has died, as systemd does.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerProcess } from '@bridle/server/tests/server-process.suite'
import type { SessionDetail } from '@bridle/wire/http/wire'
import { expect, test } from 'vitest'

/** Longer than this takes on a busy machine. */
const PATIENCE_MS = 150_000

test('[S68] a run that kills its server fails alone: the runs beside it complete and spend no retry', {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-fatal-'))
  const server = new ServerProcess(join(folder, 'data'), { cwd: join(import.meta.dirname, 'fatal-agents') })
  let isOver = false
  const request = async (path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${server.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', prefer: 'respond-async', connection: 'close' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  const keepUp = async () => {
    for (; !isOver; await server.ended) await server.boot()
  }
  const ids = ['chat', 'work', 'poison-work']
  const details = async () => Promise.all(ids.map(async (id) => (await request(`/sessions/${id}`)) as SessionDetail))
  try {
    await server.boot()
    await request('/agents/patient/chat', { prompt: 'go' })
    await request('/sessions', { agent: 'patient', session_id: 'work', max_retries: 5, prompt: 'go' })
    await request('/sessions', { agent: 'poison', session_id: 'poison-work', max_retries: 0, prompt: 'go' })
    const kept = server.ended.then(keepUp)
    let seen: SessionDetail[] = []
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end && seen[2]?.status !== 'failed'; await sleep(100))
      seen = await details().catch(() => seen)
    while (seen[0]?.status === 'running' || seen[1]?.status === 'running') {
      await sleep(100)
      seen = await details()
    }
    expect(seen.map(({ status }) => status)).toEqual(['idle', 'completed', 'failed'])
    expect(seen[0]?.messages.at(-1)).toMatchObject({ role: 'assistant', status: 'complete' })
    expect(JSON.stringify(seen[2])).toContain('Up to 2 other runs were open.')
    isOver = true
    await server.kill('SIGKILL')
    await kept
  } finally {
    isOver = true
    await server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})
