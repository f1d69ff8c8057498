// A tenant's directory as several objects, in the real runtime: how many there are can change.

import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { expect, test } from 'vitest'
import { evict, loseDirectory, silenceObject, startTestWorker } from '../tests/test-worker.suite.ts'
import { noTools } from '../tests/workerd.suite.ts'

const shards = (now: number, before?: string) => ({
  BRIDLE_DIRECTORY_SHARDS: String(now),
  ...(before !== undefined && { BRIDLE_DIRECTORY_SHARDS_BEFORE: before }),
})

test.skipIf(noTools)('[CF16] another number of objects finds and lists what the first ones knew', async () => {
  let world = await startTestWorker()
  const { folder } = world
  const agent = (id: string) => `${world.url}/agents/scripted/${id}`
  const listed = async (query = '') => {
    const { body } = await get(`${world.url}/sessions${query}`)
    return { ids: (body.sessions as { id: string }[]).map(({ id }) => id), next: body.next as string | undefined }
  }
  const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
  try {
    for (const id of names) await post(agent(id), scriptBody({ text: id }))
    const { lastEventId } = (await get(`${world.url}/sessions/one`)).body
    await post(`${world.url}/chat/sessions/one/branch`, { session_id: 'leaf', from_event_id: lastEventId })
    const before = (await listed()).ids
    expect(before).toHaveLength(8)
    for (const vars of [shards(3, '1'), shards(2, '1,3'), shards(3, '1,3,2')]) {
      await world.kill()
      world = await startTestWorker({ folder, vars })
      expect((await listed()).ids).toEqual(before)
      // A branch is found in its parent's object, though it never wrote here.
      expect((await get(`${world.url}/sessions/leaf`)).status).toBe(200)
      const paged: string[] = []
      for (let next: string | undefined = ''; next !== undefined; ) {
        const page = await listed(`?limit=3${next && `&cursor=${next}`}`)
        paged.push(...page.ids)
        next = page.next
      }
      expect(paged).toEqual(before)
    }
    await post(agent('two'), scriptBody({ text: 'again' }))
    expect((await listed()).ids[0]).toBe('two')
    expect((await get(`${world.url}/sessions?cursor=1.2.3`)).status).toBe(400)
  } finally {
    await world.dispose()
  }
})

test.skipIf(noTools)('[CF6] the id of a branch that was removed is good again, whoever asks first', async () => {
  let world = await startTestWorker()
  const { folder } = world
  const at = (path: string) => `${world.url}${path}`
  try {
    await post(at('/agents/scripted/trunk'), scriptBody({ text: 'trunk' }))
    const { lastEventId } = (await get(at('/sessions/trunk'))).body
    for (const id of ['twig', 'shoot'])
      await post(at('/chat/sessions/trunk/branch'), { session_id: id, from_event_id: lastEventId })
    const head = Number(String((await get(at('/sessions/twig'))).body.lastEventId).slice(3))
    for (const id of ['twig', 'shoot']) await fetch(at(`/agents/scripted/${id}`), { method: 'DELETE' })
    // A gateway that remembers nothing.
    await world.kill()
    world = await startTestWorker({ folder })
    expect((await get(at('/sessions/twig'))).status).toBe(404)
    expect((await post(at('/agents/scripted/twig'), scriptBody({ text: 'anew' }))).body.result).toBe('anew')
    const { body } = await get(at('/sessions/twig'))
    expect(Number(String(body.lastEventId).slice(3))).toBeGreaterThan(head)
    expect(body.messages).toHaveLength(2)
    expect((await post(at('/chat/sessions'), { session_id: 'shoot' })).status).toBe(201)
    const listed = (await get(at('/sessions'))).body.sessions as { id: string }[]
    expect(listed.map(({ id }) => id).sort()).toEqual(['shoot', 'trunk', 'twig'])
  } finally {
    await world.dispose()
  }
})

test.skipIf(noTools)('[CF6] a branch cannot have the id of a session in another object', async () => {
  const world = await startTestWorker()
  const at = (path: string) => `${world.url}${path}`
  try {
    for (const id of ['oak', 'elm', 'ash']) await post(at(`/agents/scripted/${id}`), scriptBody({ text: id }))
    await fetch(at('/agents/scripted/ash'), { method: 'DELETE' })
    const { lastEventId: from_event_id } = (await get(at('/sessions/oak'))).body
    for (const session_id of ['elm', 'ash']) {
      const taken = await post(at('/chat/sessions/oak/branch'), { session_id, from_event_id })
      expect([taken.status, taken.body.error]).toEqual([
        409,
        { type: 'conflict', message: 'The session exists already.' },
      ])
    }
    expect((await get(at('/sessions/elm'))).body.messages).toHaveLength(2)
    const again = { session_id: 'leaf', from_event_id }
    for (const _ of [1, 2])
      expect((await post(at('/chat/sessions/oak/branch'), again, { 'idempotency-key': 'k' })).status).toBe(201)
  } finally {
    await world.dispose()
  }
})

test.skipIf(noTools)('[CF16] a number that is none is refused with its name', async () => {
  const world = await startTestWorker({ vars: { BRIDLE_DIRECTORY_SHARDS: 'many' } })
  const answer = await fetch(`${world.url}/sessions`)
  expect(answer.status).toBe(500)
  await expect
    .poll(() => world.stderrLines.join('\n'))
    .toContain('BRIDLE_DIRECTORY_SHARDS is a whole number from 1 to 64.')
  await world.dispose()
})

test.skipIf(noTools)(
  '[CF17] of background sessions in other objects, one that does not answer is left out',
  async () => {
    const world = await startTestWorker()
    const at = (path: string) => `${world.url}${path}`
    const shown = async () => {
      const { status, body } = await get(at('/chat/sessions/chat'))
      const left = body.background_artifacts as { session_id: string; artifact_type: string }[]
      return [status, ...left.map(({ session_id, artifact_type }) => `${session_id} ${artifact_type}`)]
    }
    const start = async (id: string, parent: string) => {
      const { prompt } = scriptBody({ text: id })
      await post(at('/sessions'), { session_id: id, engine: 'scripted', prompt, parent_session_id: parent })
      await expect.poll(async () => (await get(at(`/sessions/${id}`))).body.status).toBe('completed')
    }
    try {
      await post(at('/chat/sessions'), { session_id: 'chat', agent: 'scripted' })
      await post(at('/chat/sessions'), { session_id: 'other', agent: 'scripted' })
      for (const id of ['one', 'two']) await start(id, 'chat')
      await start('foreign', 'other')
      const outputs = ['two final_output', 'two run_record', 'one final_output', 'one run_record']
      expect(await shown()).toEqual([200, ...outputs])
      // [F36] Each child notifies its parent's object, and no other.
      const children = async (id: string) =>
        ((await get(at(`/chat/sessions/${id}`))).body.subagents as { agent_id: string; status: string }[]).map(
          ({ agent_id, status }) => `${agent_id} ${status}`,
        )
      await expect.poll(() => children('chat')).toEqual(['one completed', 'two completed'])
      await expect.poll(() => children('other')).toEqual(['foreign completed'])
      await silenceObject(world, 'two')
      expect(await shown()).toEqual([200, ...outputs.slice(2)])
      // Then nobody knows of them; the chat answers all the same.
      await loseDirectory(world)
      await evict(world, 'chat')
      expect((await get(at('/agents/scripted/chat'))).status).toBe(200)
      await expect.poll(async () => (await get(at('/chat/sessions/chat'))).status).toBe(200)
      expect(await shown()).toEqual([200])
    } finally {
      await world.dispose()
    }
  },
)
