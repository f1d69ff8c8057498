import { isDenial } from '@bridle/surfaces/http/denials/denial'
import { turnEvents, writtenFile } from '@bridle/surfaces/http/history/written-files.suite'
import { expect, test } from 'vitest'
import { splitImport } from './split-import.ts'

const file = new TextEncoder().encode(
  writtenFile(...['a', 'b', 'c'].map((id) => ({ id, events: turnEvents(2, `Prompt of ${id}`) }))),
)

/** Imports the file of three trees; its client leaves while the object answers request number `leavesAt`. */
const importUntil = async (leavesAt: number) => {
  const client = new AbortController()
  const asked: string[] = []
  const objects = {
    home: async ({ id }: { readonly id: string }) => id,
    ask: async (home: string, { url, signal }: Request) => {
      asked.push(`${new URL(url).searchParams.has('check') ? 'check' : 'write'} ${home}`)
      if (asked.length === leavesAt) client.abort()
      // A platform ends the request to an object with that of its client.
      signal.throwIfAborted()
      return Response.json({ sessions: [{ id: home, agent: 'scripted', events: 7 }] })
    },
  }
  const answer = await splitImport(objects, {
    access: { tenant: 'default' },
    query: {},
    rawBody: { bytes: async () => file },
    request: new Request('https://bridle.test/import', { method: 'POST', signal: client.signal }),
    ports: { clock: { now: () => 0, after: () => () => {} } },
  } as never)
  return { asked, answer }
}

test('[X73] an import that is cut by tree stops between two trees when its client has left', async () => {
  const whole = ['check a', 'check b', 'check c', 'write a', 'write b', 'write c']
  for (const leavesAt of [1, 3, 4]) {
    const { asked, answer } = await importUntil(leavesAt)
    expect(asked).toEqual(whole.slice(0, leavesAt))
    expect(isDenial(answer) && [answer.denied, answer.message]).toEqual([
      'unavailable',
      expect.stringContaining('The client left'),
    ])
  }
  const { asked, answer } = await importUntil(0)
  expect(asked).toEqual(whole)
  expect(isDenial(answer) ? null : answer.status).toBe(200)
})
