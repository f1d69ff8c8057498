// Three users of one tenant and an operator: each sees only what it may see. Every target runs this suite.
import { createHash } from 'node:crypto'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestSocket } from './socket-client.suite.ts'

export const USERS = ['ada', 'bob', 'cy'] as const
type User = (typeof USERS)[number]

/** A user name that is not a valid id, and a user whose name is the hash of the first. */
const ODD = 'bob+work@example.com'
const NAMESAKE = '3c279db7bbc15482017348aa98d8dce67421d436a2868fa9c6dc6313b23d4a26'
/** The tokens that the server under test must have. */
export const userTokens = [
  { token: 'op' },
  ...USERS.map((user) => ({ token: user, user })),
  { token: 'odd', user: ODD },
  { token: 'namesake', user: NAMESAKE },
]

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const waiting = (user: string) => scriptBody({ approve: 'transfer', reason: `secret of ${user}` })

export const usersContract = (start: () => Promise<{ readonly url: string; stop(): Promise<void> }>): void => {
  describe('[H32] a user’s credential is shown what that user may open', () => {
    let server: Awaited<ReturnType<typeof start>>
    const at = (path: string) => `${server.url}${path}`
    /** The sessions of each user; '' = those that belong to nobody. */
    const owned: Record<User | '', string[]> = { ada: [], bob: [], cy: [], '': [] }

    const branched = async (parent: string, token: string, more: object = {}): Promise<string> => {
      const { lastEventId } = (await get(at(`/sessions/${parent}`), as(token))).body
      const wish = { from_event_id: lastEventId, ...more }
      const { status, body } = await post(at(`/chat/sessions/${parent}/branch`), wish, as(token))
      expect(status).toBe(201)
      return String(body.session_id)
    }

    beforeAll(async () => {
      server = await start()
      // Interleaved: each step for all users before the next.
      for (const user of USERS) {
        const own = `user:${user}`
        const headers = { ...as('op'), prefer: 'respond-async' }
        expect((await post(at(`/agents/scripted/${own}`), waiting(user), headers)).status).toBe(202)
        owned[user].push(own)
      }
      for (const user of USERS) {
        const made = await post(
          at('/chat/sessions'),
          { title: `chat of ${user}` },
          { ...as(user), 'idempotency-key': 'k' },
        )
        expect(made.status).toBe(201)
        owned[user].push(String(made.body.session_id))
      }
      for (const user of USERS) {
        const body = { agent: 'scripted', ...waiting(user), title: `work of ${user}` }
        const made = await post(at('/sessions'), body, { ...as(user), 'idempotency-key': 'k' })
        expect(made.status).toBe(202)
        owned[user].push(String(made.body.session_id))
      }
      for (const user of USERS) {
        const ran = await post(at(`/agents/scripted/note-of-${user}`), scriptBody({ text: user }), as(user))
        expect(ran.status).toBe(200)
        owned[user].push(`note-of-${user}`)
      }
      for (const user of USERS) {
        const child = await branched(`user:${user}`, user)
        const grandchild = await branched(child, user)
        owned[user].push(child, grandchild, await branched(grandchild, 'op', { session_id: `leaf-of-${user}` }))
      }
      for (const user of USERS) {
        const socket = await openTestSocket(at(`/ws?sessionId=note-of-${user}`), { headers: as(user) })
        socket.say({ type: 'commands', commands: [{ type: 'branch', commandId: 'k' }] })
        const [ack] = (await socket.until((all) => all.some(({ type }) => type === 'ack'))).filter(
          ({ type }) => type === 'ack',
        ) as unknown as { answer: { sessionId: string } }[]
        owned[user].push(String(ack?.answer.sessionId))
        socket.ws.close()
      }
      for (const user of USERS) {
        // Below a user's branch, by an operator.
        const body = { agent: 'scripted', ...scriptBody({ text: 'x' }), parent_session_id: `leaf-of-${user}` }
        const made = await post(at('/sessions'), body, as('op'))
        expect(made.status).toBe(202)
        owned[user].push(String(made.body.session_id))
      }
      expect((await post(at('/agents/scripted/shared'), scriptBody({ text: 'all' }), as('op'))).status).toBe(200)
      owned[''].push('shared')
    })
    afterAll(() => server?.stop())

    const listed = async (token: string, query = ''): Promise<string[][]> => {
      const pages: string[][] = []
      for (let next: string | undefined = ''; next !== undefined; ) {
        const { body } = await get(at(`/sessions?limit=4${query}${next && `&cursor=${next}`}`), as(token))
        pages.push((body.sessions as { id: string }[]).map(({ id }) => id))
        next = body.next as string | undefined
      }
      return pages
    }
    const mine = (user: User) => [...owned[user], ...owned['']].toSorted()

    test.each(USERS)('%s lists what is theirs to see, in full pages', async (user) => {
      const pages = await listed(user)
      expect(pages.flat().toSorted()).toEqual(mine(user))
      expect(pages.slice(0, -1).every(({ length }) => length === 4)).toBe(true)
      for (const other of USERS.filter((each) => each !== user)) {
        // Longer than a name: a random session id may hold `ada`.
        for (const words of [` of ${other}`, `-of-${other}`, `user:${other}`]) {
          expect((await listed(user, `&search=${encodeURIComponent(words)}`)).flat()).toEqual([])
          expect((await listed(other, `&search=${encodeURIComponent(words)}`)).flat()).not.toEqual([])
        }
        expect((await listed(user, `&parent=user:${other}`)).flat()).toEqual([])
      }
    })

    test('an operator lists everything', async () => {
      expect((await listed('op')).flat().toSorted()).toEqual(Object.values(owned).flat().toSorted())
    })

    test.each(USERS)('%s sees their own approvals alone', async (user) => {
      await expect
        .poll(async () => {
          const { body } = await get(at('/approvals'), as(user))
          return (body.approvals as { reason: string }[]).map(({ reason }) => reason)
        })
        .toEqual([`secret of ${user}`, `secret of ${user}`])
      const first = (await get(at('/approvals?limit=1'), as(user))).body
      const second = (await get(at(`/approvals?limit=1&cursor=${first.next}`), as(user))).body
      expect([(second.approvals as unknown[]).length, second.next]).toEqual([1, undefined])
    })

    test.each(USERS)('%s opens what is theirs; any other is as one that never was', async (user) => {
      const open = [
        '/sessions/ID',
        '/agents/scripted/ID',
        '/chat/sessions/ID',
        '/sessions/ID/health',
        '/sessions/ID/artifacts',
      ]
      for (const path of open) {
        const reply = (id: string) => get(at(path.replace('ID', id)), as(user))
        const never = await reply('never-was')
        // Word for word the same, apart from the id that the caller has named.
        const asked = <T>(answer: T, id: string): T =>
          JSON.parse(JSON.stringify(answer).replaceAll('never-was', id)) as T
        for (const [owner, ids] of Object.entries(owned)) {
          for (const id of ids) {
            const { status, body } = await reply(id)
            if (owner === user || owner === '') expect([path, id, status]).toEqual([path, id, 200])
            else expect([path, id, { status, body }]).toEqual([path, id, asked(never, id)])
          }
        }
      }
    })

    test.each(USERS)('%s cannot add to, branch, cancel or remove another’s, nor take its id', async (user) => {
      for (const other of USERS.filter((each) => each !== user)) {
        for (const id of owned[other]) {
          const asked = [
            await post(at(`/agents/scripted/${id}`), scriptBody({ text: 'intruder' }), as(user)),
            await post(at('/chat/sessions'), { session_id: id }, as(user)),
            await post(at('/sessions'), { agent: 'scripted', ...scriptBody({ text: 'x' }), session_id: id }, as(user)),
            await post(at(`/chat/sessions/${id}/turns`), scriptBody({ text: 'x' }), as(user)),
            await post(at(`/chat/sessions/${id}/branch`), { from_event_id: 'ev-1' }, as(user)),
            await post(at(`/sessions/${id}/cancel`), {}, as(user)),
            await post(at(`/sessions/${id}/approvals/apr-1/approve`), {}, as(user)),
            await fetch(at(`/agents/scripted/${id}`), { method: 'DELETE', headers: as(user) }),
          ]
          expect([id, asked.map(({ status }) => status)]).toEqual([id, asked.map(() => 404)])
        }
        const below = { agent: 'scripted', ...scriptBody({ text: 'x' }), parent_session_id: `leaf-of-${other}` }
        expect((await post(at('/sessions'), below, as(user))).status).toBe(400)
        const taken = { from_event_id: 'ev-1', session_id: `note-of-${other}` }
        expect((await post(at(`/chat/sessions/note-of-${user}/branch`), taken, as(user))).status).toBe(404)
      }
    })

    test.each(USERS)('%s gets no socket of another’s session', async (user) => {
      const other = USERS.find((each) => each !== user) ?? ''
      for (const path of [`/ws?sessionId=leaf-of-${other}`, `/sessions/leaf-of-${other}/ws?replay=all`]) {
        const { messages, closed } = await openTestSocket(at(path), { headers: as(user) })
        expect((await closed).code).toBe(4004)
        expect(messages.map(({ type }) => type)).toEqual(['error'])
      }
    })

    test('of users who make one session at the same moment one has it', async () => {
      for (const id of ['race-1', 'race-2', 'race-3']) {
        const asked = await Promise.all(
          USERS.map((user) => post(at(`/agents/scripted/${id}`), scriptBody({ text: `by ${user}` }), as(user))),
        )
        const winners = USERS.filter((_, index) => asked[index]?.status === 200)
        expect([asked.map(({ status }) => status).toSorted(), winners.length]).toEqual([[200, 404, 404], 1])
        const [winner = 'ada'] = winners
        const { body } = await get(at(`/sessions/${id}`), as('op'))
        expect((body.messages as unknown[]).length).toBe(2)
        owned[winner].push(id)
      }
    })

    test('who waits for a session that becomes another’s is told nothing of it', async () => {
      const socket = await openTestSocket(at('/ws?sessionId=late'), { headers: as('bob') })
      // On Cloudflare a socket that never said anything is closed only when its object sleeps, after ten seconds.
      socket.say({ type: 'ping' })
      const stream = await fetch(at('/agents/scripted/late/stream'), { headers: as('cy') })
      const early = await openTestSocket(at('/ws?sessionId=late'), { headers: as('ada') })
      expect((await post(at('/agents/scripted/late'), scriptBody({ text: 'private' }), as('ada'))).status).toBe(200)
      expect((await socket.closed).code).toBe(4004)
      expect(JSON.stringify(socket.messages)).not.toContain('private')
      expect(await stream.text()).not.toContain('private')
      await early.until((all) => JSON.stringify(all).includes('private'))
      early.ws.close()
      owned.ada.push('late')
    })

    test('[O139] a user whose name is the hash of another’s name opens nothing of that user, in old data either', async () => {
      const old = `user:${NAMESAKE}`
      // By an operator, so that the session is stored as versions that did not hash such names stored it.
      expect((await post(at(`/agents/scripted/${old}`), scriptBody({ text: 'private' }), as('op'))).status).toBe(200)
      expect((await post(at('/agents/scripted/of-odd'), scriptBody({ text: 'private' }), as('odd'))).status).toBe(200)
      const theirs = (await listed('odd')).flat()
      expect(theirs).toEqual(expect.arrayContaining([old, 'of-odd']))
      const [created] = (await get(at('/sessions/of-odd/log'), as('odd'))).body.entries as { payload: object }[]
      expect(created?.payload).toMatchObject({ owner: old })
      const socket = await openTestSocket(at(`/ws?userId=${encodeURIComponent(ODD)}`), { headers: as('odd') })
      await socket.until((all) => JSON.stringify(all).includes('private'))
      socket.ws.close()

      // A file keeps its owner where an operator imports it.
      const file = await (await fetch(at('/sessions/of-odd/export'), { headers: as('op') })).text()
      const imported = await fetch(at('/import?rename=1'), { method: 'POST', headers: as('op'), body: file })
      expect((await imported.json()) as object).toMatchObject({ sessions: [{ id: 'of-odd', existing: true }] })
      expect(await (await fetch(at('/agents/scripted/of-odd'), { method: 'DELETE', headers: as('op') })).status).toBe(
        200,
      )
      const again = await fetch(at('/import?rename=1'), { method: 'POST', headers: as('op'), body: file })
      const [{ id: copy }] = ((await again.json()) as { sessions: [{ id: string }] }).sessions

      for (const id of [old, copy]) {
        expect((await get(at(`/sessions/${id}`), as('namesake'))).status).toBe(404)
        expect((await post(at(`/agents/scripted/${id}`), scriptBody({ text: 'x' }), as('namesake'))).status).toBe(404)
      }
      expect((await listed('namesake')).flat()).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^user:|odd/)]),
      )
      const hashed = `user:${createHash('sha256').update(NAMESAKE).digest('hex')}`
      const mine = await post(at(`/agents/scripted/${hashed}`), scriptBody({ text: 'mine' }), as('namesake'))
      expect(mine.status).toBe(200)
      const own = await openTestSocket(at(`/ws?userId=${NAMESAKE}`), { headers: as('namesake') })
      await own.until((all) => JSON.stringify(all).includes('mine'))
      own.ws.close()
      expect(JSON.stringify(own.messages)).not.toContain('private')
      expect((await listed('odd')).flat().toSorted()).toEqual(
        theirs.map((id) => (id === 'of-odd' ? copy : id)).toSorted(),
      )
    })
  })
}
