// A server with many sessions, and people who search among them: what a search costs everybody else.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HarnessServer } from '@bridle/server/node/index'
import { openSqlite } from '@bridle/stores/data-folder'
import { type BenchFigure, figure, interleave } from './figure.ts'

const SESSIONS = 100_000
const SEARCHES = 20
const PROBES = 50

export const lists = async (): Promise<BenchFigure[]> => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-bench-'))
  await (await openSqlite(data)).close()
  fillDirectory(join(data, 'bridle.sqlite'))
  const server = await HarnessServer.start({ port: 0, data, env: {}, log: () => {} })
  try {
    const ask = async (path: string) => {
      const started = performance.now()
      const response = await fetch(new URL(path, server.url))
      const body = (await response.json()) as { readonly sessions?: readonly unknown[] }
      return { ms: performance.now() - started, sessions: body.sessions?.length, verified: response.ok }
    }
    /** The median of /health in microseconds. */
    const health = async () => {
      const times: number[] = []
      for (let n = 0; n < PROBES; n++) times.push((await ask('/health')).ms)
      return times.toSorted((a, b) => a - b)[PROBES >> 1]! * 1_000
    }
    const rounds = await interleave({
      'health beside 20 searches (us)': {
        run: async () => {
          let isOver = false
          const searches = Array.from({ length: SEARCHES }, async (_, n) => {
            let verified = true
            while (!isOver) verified &&= (await ask(`/sessions?search=nobody-${n}`)).sessions === 0
            return verified
          })
          const value = await health()
          isOver = true
          return { value, verified: (await Promise.all(searches)).every(Boolean) }
        },
      },
      'health alone (us)': { run: async () => ({ value: await health(), verified: true }) },
    })
    return [
      figure(rounds, ['health beside 20 searches (us)', 'health alone (us)'], {
        id: 'L1',
        what: '/health while 20 callers search among 100,000 sessions / while nobody does',
        target: 30,
        better: 'lower',
      }),
    ]
  } finally {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  }
}

/** Rows alone: lists read no logs. */
const fillDirectory = (file: string): void => {
  const row = JSON.stringify({
    ...{
      kind: 'chat',
      status: 'idle',
      title: 'A conversation',
      createdAt: 1,
      updatedAt: 1,
      parent: null,
      approvals: [],
    },
    detail: { attempts: 1, model: 'x'.repeat(250) },
  })
  const db = new DatabaseSync(file)
  db.prepare(
    `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?)
     INSERT INTO sessions (tenant, agent, id, base, kind, status, updated_at, search, row)
     SELECT 'default', 'scripted', 's' || n, 0, 'chat', 'idle', n, 's' || n || char(10) || 'a conversation', ? FROM c`,
  ).run(SESSIONS, row)
  db.close()
}
