// A session's object in the real runtime: it sleeps and wakes, is killed and comes back, and nobody watching can tell.

import { readExport } from '@bridle/history/export/read-export'
import { applyOperations } from '@bridle/kernel/delta'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import {
  typesOf as frameTypes,
  get,
  isIdle,
  post,
  readFrames,
  scriptBody,
} from '@bridle/surfaces/http/test-client.suite'
import type { ServerMessage } from '@bridle/wire/transport/wire'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf, hasEvent, messageTypes, openTestSocket } from '../tests/socket-client.suite.ts'
import { evict, incarnation, loseDirectory, ringTwice, startTestWorker } from './tests/test-worker.suite.ts'
import { noTools, type WorkerdProcess } from './tests/workerd.suite.ts'

/** A transport client that keeps the state, and notices a gap. */
const follow = async (url: string) => {
  const socket = await openTestSocket(url)
  const said = socket.messages as unknown as ServerMessage[]
  const replay = () => {
    let state: HarnessState | null = null
    let last: number | undefined
    let gaps = 0
    for (const message of said) {
      if (message.type === 'state') state = message.state
      if (message.type === 'delta' && message.prev !== last) gaps += 1
      if (message.type === 'delta' && state)
        state = applyOperations(state as never, message.operations) as unknown as HarnessState
      if (message.type === 'state' || message.type === 'delta') last = message.seq
    }
    return { state, gaps, snapshots: said.filter(({ type }) => type === 'state').length }
  }
  return {
    ...socket,
    said,
    replay,
    submit: (prompt: string, commandId: string) =>
      socket.say({ type: 'commands', commands: [{ type: 'submit', prompt, commandId }] }),
    settled: (messages: number) =>
      socket.until(() => {
        const { state } = replay()
        return state?.status === 'idle' && state.messages.length >= messages
      }),
  }
}

const shown = (state: HarnessState | null) => {
  const contents = (role: string) => state?.messages.filter((each) => each.role === role).map(({ content }) => content)
  return { status: state?.status, prompts: contents('user'), answers: contents('assistant') }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  const at = (path: string) => `${world.url}${path}`
  const agent = (id: string) => at(`/agents/scripted/${id}`)

  beforeAll(async () => {
    world = await startTestWorker()
  })
  afterAll(() => world?.dispose())

  test('[X18] a session is exported by its object with its branches', async () => {
    const artifact = { name: 'a.txt', content: 'CONTENT'.repeat(100) }
    await post(agent('kept'), scriptBody({ artifact }, { text: 'one' }))
    const head = String((await get(at('/sessions/kept'))).body.lastEventId)
    await post(at('/chat/sessions/kept/branch'), { from_event_id: head, session_id: 'kept-branch' })
    const text = await (await fetch(at('/sessions/kept/export'))).text()
    expect(text.match(/^\{"session":\{"id":"kept(-branch)?"/gm)).toHaveLength(2)
    expect(text).toContain(artifact.content)
    expect((await readExport(text)).sessions.map(({ session }) => session.id)).toEqual(['kept', 'kept-branch'])
    const log = (await get(at('/sessions/kept-branch/log'))).body as { entries: { seq: number }[]; head: number }
    expect(log.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: log.head }, (_, index) => index + 1))
  })

  test('[CF1] asleep, its sockets stay open; the next command finds everything as it was', async () => {
    const before = await incarnation(world, 'nap')
    const first = await follow(at('/ws?sessionId=nap'))
    const second = await follow(at('/ws?sessionId=nap'))
    first.submit(scriptBody({ text: 'before' }).prompt, 'c-1')
    await Promise.all([first.settled(2), second.settled(2)])
    const events = await openTestSocket(at('/sessions/nap/ws'))
    await events.until(hasEvent('replay-end'))
    await pause(400)
    await evict(world, 'nap')
    first.submit(scriptBody({ text: 'after' }).prompt, 'c-2')
    await Promise.all([first.settled(4), second.settled(4), events.until(hasEvent('idle'))])
    for (const { replay } of [first, second]) {
      expect(replay()).toMatchObject({ gaps: 0, snapshots: 1 })
      expect(
        replay()
          .state?.messages.map(({ content }) => content)
          .filter((text) => !text.startsWith('@')),
      ).toEqual(['before', 'after'])
    }
    expect(messageTypes(events.messages)).toEqual(['replay-end', 'prompt_start', 'text_delta', 'result', 'idle'])
    expect(first.said.filter(({ type }) => type === 'ack')).toHaveLength(2)
    for (const { ws } of [first, second, events]) ws.close()
    expect(await incarnation(world, 'nap')).not.toBe(before)
  })

  // Both take ten seconds in which nothing happens, so they wait together.
  test.concurrent('[CF1] left alone it goes to sleep by itself, though it is watched', async () => {
    await post(agent('idle'), scriptBody({ text: 'before' }))
    const before = await incarnation(world, 'idle')
    const client = await follow(at('/ws?sessionId=idle'))
    const events = await openTestSocket(at('/sessions/idle/ws?marks=1'))
    await events.until(hasEvent('replay-end'))
    // The runtime evicts an idle object after ten seconds.
    await pause(13_000)
    client.submit(scriptBody({ text: 'after' }).prompt, 'c-1')
    await Promise.all([client.settled(4), events.until(hasEvent('idle'))])
    expect(await incarnation(world, 'idle')).not.toBe(before)
    expect(client.replay()).toMatchObject({ gaps: 0, snapshots: 1 })
    expect(messageTypes(events.messages).filter((type) => type === 'idle')).toHaveLength(1)
    for (const { ws } of [client, events]) ws.close()
  })

  test.concurrent('[CF3] an alarm comes though it sleeps: an approval expires, and whoever watches is told', async () => {
    // Longer than anything that has a timer, which would keep it awake.
    const prompt = scriptBody(
      { approve: 'write', id: 'c1', args: {}, reason: 'asks', expiresMs: 9_500 },
      { text: 'done' },
    )
    expect((await post(agent('expiry'), prompt, { prefer: 'respond-async' })).status).toBe(202)
    const events = await openTestSocket(at('/sessions/expiry/ws?replay=all'))
    await events.until(hasEvent('approval_requested'))
    const life = await incarnation(world, 'expiry')
    await evict(world, 'expiry')
    await events.until(hasEvent('idle'))
    expect(await incarnation(world, 'expiry')).not.toBe(life)
    const resolved = eventsOf(events.messages).find(({ type }) => type === 'approval_resolved')
    expect(resolved?.data).toMatchObject({ decision: 'expired' })
    expect(messageTypes(events.messages).filter((type) => type === 'approval_requested')).toHaveLength(1)
    events.ws.close()
  })

  test('[CF1] one that slept before it was made ready gets the state once more, and no gap', async () => {
    const client = await follow(at('/ws?sessionId=hasty'))
    client.submit(scriptBody({ text: 'before' }).prompt, 'c-1')
    await client.settled(2)
    await evict(world, 'hasty')
    client.submit(scriptBody({ text: 'after' }).prompt, 'c-2')
    await client.settled(4)
    expect(client.replay().gaps).toBe(0)
    expect(client.replay().state?.messages.at(-1)?.content).toBe('after')
    client.ws.close()
  })

  test('[CF1] a new session that slept has lost nobody: in whichever order three clients come, submit and let it sleep', async () => {
    const step = fc.oneof(
      fc.constant({ act: 'sleep' as const, who: 0 }),
      fc.record({ act: fc.constantFrom('connect' as const, 'submit' as const), who: fc.nat(2) }),
    )
    let sessions = 0
    const play = async (steps: readonly { act: 'sleep' | 'connect' | 'submit'; who: number }[]) => {
      const id = `blank-${sessions++}`
      const clients = new Map<number, Awaited<ReturnType<typeof follow>>>()
      const prompts: string[] = []
      const connected = async (who: number) => {
        const client = clients.get(who) ?? (await follow(at(`/ws?sessionId=${id}`)))
        clients.set(who, client)
        return client
      }
      /** Every client that is connected shows every prompt, and its answer. */
      const agree = async () => {
        for (const client of clients.values())
          await expect
            .poll(() => ({ ...shown(client.replay().state), open: client.ws.readyState }), {
              interval: 5,
              timeout: 10_000,
            })
            .toEqual({ status: 'idle', prompts, answers: prompts.map(() => 'yes'), open: 1 })
      }
      for (const { act, who } of steps) {
        if (act === 'connect') await connected(who)
        if (act === 'submit') {
          const client = await connected(who)
          const { prompt } = scriptBody({ text: 'yes' })
          prompts.push(prompt)
          // A client of the document alone: no command id, so nobody would ask again.
          client.say({ type: 'commands', commands: [{ type: 'submit', prompt }] })
        }
        // The runtime evicts an object only while it has no open request.
        if (act === 'sleep') {
          await agree()
          await evict(world, id).catch(() => {})
        }
      }
      await agree()
      const states = [...clients.values()].map(({ replay }) => replay())
      for (const { state, gaps } of states) {
        expect(gaps).toBe(0)
        expect(state).toEqual(states[0]?.state)
      }
      for (const { ws } of clients.values()) ws.close()
    }
    // As people do who open the page and think before they type, alone and in two tabs.
    await play([
      { act: 'connect', who: 0 },
      { act: 'sleep', who: 0 },
      { act: 'submit', who: 0 },
    ])
    await play([
      { act: 'connect', who: 0 },
      { act: 'connect', who: 1 },
      { act: 'sleep', who: 0 },
      { act: 'submit', who: 1 },
    ])
    const sessionsAtOnce = fc.array(fc.array(step, { minLength: 2, maxLength: 8 }), { minLength: 3, maxLength: 5 })
    const playAll = fc.asyncProperty(sessionsAtOnce, async (each) => {
      await Promise.all(each.map(play))
    })
    await fc.assert(playAll, { numRuns: 3 })
  })

  test('[CF2] a ping is answered while it sleeps, and wakes nobody', async () => {
    const client = await follow(at('/ws?sessionId=ping'))
    await client.until(() => client.said.length > 0)
    await evict(world, 'ping')
    client.say('{"type":"ping"}')
    await client.until(() => client.said.some(({ type }) => type === 'pong'))
    // The object still sleeps: there is nothing to put to sleep.
    await expect(evict(world, 'ping')).rejects.toThrow(/not.*(running|instantiated)/i)
    client.say({ type: 'ping', ts: 7 })
    await client.until(() => client.said.some((message) => message.type === 'pong' && message.ts === 7))
    client.ws.close()
  })

  test('[CF3] an alarm that comes twice, or for nothing, changes nothing twice', async () => {
    const prompt = scriptBody(
      { approve: 'write', id: 'c1', args: {}, reason: 'asks', expiresMs: 300 },
      { text: 'done' },
    )
    expect((await post(agent('twice'), prompt, { prefer: 'respond-async' })).status).toBe(202)
    await readFrames(`${agent('twice')}/stream`, (all) => all.at(-1)?.data.type === 'approval_requested')
    await pause(350)
    await Promise.all([ringTwice(world, 'twice'), ringTwice(world, 'twice')])
    const all = frameTypes(await readFrames(`${agent('twice')}/stream`, isIdle))
    expect(all.filter((type) => type === 'approval_resolved')).toHaveLength(1)
    expect(all.filter((type) => type === 'result')).toHaveLength(1)
    await ringTwice(world, 'never-written')
    expect((await get(agent('never-written'))).status).toBe(404)
  })

  test('[CF4] streams arrive piece by piece and resume by id', async () => {
    const run = post(agent('pieces'), scriptBody({ text: 'abcdef', chunks: 6, everyMs: 30 }))
    const live = await readFrames(`${agent('pieces')}/stream`, isIdle)
    expect((await run).body.result).toBe('abcdef')
    expect(frameTypes(live).filter((type) => type === 'text_delta')).toHaveLength(6)
    const rest = await readFrames(`${agent('pieces')}/stream`, isIdle, { 'last-event-id': live[2]?.id ?? '' })
    expect(rest.map(({ raw }) => raw)).toEqual(live.slice(3).map(({ raw }) => raw))
  })

  test('[CF5] the directory knows every session and approval of a tenant, and of no other', async () => {
    const mine = { 'x-fabric-tenant': 'acme' }
    const asked = scriptBody({ approve: 'write', id: 'c1', args: {}, reason: 'asks' }, { text: 'written' })
    await post(agent('listed'), scriptBody({ text: 'x' }), mine)
    await post(agent('asking'), asked, { ...mine, prefer: 'respond-async' })
    await readFrames(
      `${agent('asking')}/stream`,
      (frames) => frames.some(({ data }) => data.type === 'approval_requested'),
      mine,
    )
    await expect.poll(async () => (await get(at('/approvals'), mine)).body.approvals).toHaveLength(1)
    const { body } = await get(at('/approvals'), mine)
    const [{ approvalId }] = body.approvals as [{ approvalId: string }]
    expect(await get(at('/approvals'))).toMatchObject({ body: { approvals: [] } })
    expect((await get(at('/sessions/listed'))).status).toBe(404)
    expect((await post(at(`/sessions/asking/approvals/${approvalId}/approve`), {}, mine)).status).toBe(200)
    await expect.poll(async () => (await get(at('/approvals'), mine)).body.approvals).toEqual([])
    const ids = async () => ((await get(at('/sessions'), mine)).body.sessions as { id: string }[]).map(({ id }) => id)
    expect((await ids()).sort()).toEqual(['asking', 'listed'])
    const gone = await fetch(agent('listed'), { method: 'DELETE', headers: mine })
    expect(gone.status).toBe(200)
    expect(await ids()).toEqual(['asking'])
    expect((await get(at('/sessions/listed'), mine)).status).toBe(404)
    expect((await get(agent('listed'), mine)).status).toBe(404)
  })

  test('[CF5] a directory that was lost comes back, session by session', async () => {
    const ids = async () =>
      ((await get(at('/sessions?search=found'))).body.sessions as { id: string }[]).map(({ id }) => id)
    await post(agent('found-1'), scriptBody({ text: 'x' }))
    await post(agent('found-2'), scriptBody({ text: 'x' }))
    expect((await ids()).sort()).toEqual(['found-1', 'found-2'])
    await loseDirectory(world)
    expect(await ids()).toEqual([])
    expect((await get(at('/sessions/found-2'))).status).toBe(404)
    await post(agent('found-2'), scriptBody({ text: 'y' }))
    expect(await ids()).toEqual(['found-2'])
    expect((await get(at('/sessions/found-2'))).status).toBe(200)
    // A session with nothing to write is asked; its object announces it once per start.
    await evict(world, 'found-1')
    expect((await get(agent('found-1'))).status).toBe(200)
    await expect.poll(ids).toEqual(['found-2', 'found-1'])
    expect((await get(at('/sessions/found-1'))).status).toBe(200)
  })

  test('[CF6] a branch lives with its parent, and is found by every route', async () => {
    await post(agent('trunk'), scriptBody({ text: 'root' }))
    const client = await follow(at('/ws?sessionId=trunk'))
    client.say({ type: 'commands', commands: [{ type: 'branch', commandId: 'b-1' }] })
    await client.until(() => client.said.some(({ type }) => type === 'ack'))
    const ack = client.said.find((message) => message.type === 'ack')
    const sessionId = String(ack?.type === 'ack' && ack.answer?.sessionId)
    const child = await follow(at(`/ws?sessionId=${sessionId}`))
    await child.until(() => child.replay().state?.messages.length === 2)
    expect((await post(agent(sessionId), scriptBody({ text: 'leaf' }))).body.result).toBe('leaf')
    await child.settled(4)
    expect((await get(at(`/sessions/${sessionId}`))).status).toBe(200)
    expect(((await get(at('/sessions/trunk'))).body.messages as unknown[]).length).toBe(2)
    // [X50] One object has the whole tree.
    const trees = await Promise.all(
      ['trunk', sessionId].map(async (id) => (await get(at(`/sessions/${id}/tree`))).body),
    )
    expect(trees[0]).toMatchObject({ root: 'trunk', sessions: [{ id: 'trunk' }, { id: sessionId, visible: true }] })
    expect(trees[1]).toEqual(trees[0])
    // [X60] A replay is a branch, in the same object.
    const again = await post(at('/sessions/trunk/replay'), { title: 'Again' })
    expect([again.status, again.body.prompts]).toEqual([201, 1])
    const replayed = at(`/sessions/${String(again.body.sessionId)}`)
    await expect
      .poll(async () => ((await get(replayed)).body.messages as { content: string }[]).at(-1)?.content)
      .toBe('root')
    client.ws.close()
    child.ws.close()
  })

  test('[CF7] what was never written leaves nothing behind', async () => {
    expect((await get(agent('nobody'))).status).toBe(404)
    expect((await get(at('/sessions/nobody'))).status).toBe(404)
    expect((await fetch(agent('nobody'), { method: 'DELETE' })).status).toBe(404)
    const client = await follow(at('/ws?sessionId=nobody'))
    await client.until(() => client.said.length === 1)
    client.ws.close()
    expect(((await get(at('/sessions?search=nobody'))).body.sessions as unknown[]).length).toBe(0)
  })
})

describe.skipIf(noTools)('streams that end soon', () => {
  test('[CF4] a stream ends by itself; resumed by its last id as often as it takes, nothing is missing or twice', async () => {
    const world = await startTestWorker({ vars: { TEST_OPTIONS: JSON.stringify({ streamMs: 150 }) } })
    const stream = `${world.url}/agents/scripted/short/stream`
    try {
      const text = 'abcdefghijklmnopqrstuvwxyz'
      const run = post(`${world.url}/agents/scripted/short`, scriptBody({ text, chunks: 26, everyMs: 40 }))
      const seen = await readFrames(stream, isIdle)
      let resumed = 0
      for (; !isIdle(seen); resumed++)
        seen.push(...(await readFrames(stream, isIdle, { 'last-event-id': seen.at(-1)?.id ?? '' })))
      expect((await run).body.result).toBe(text)
      expect(resumed).toBeGreaterThan(2)
      expect(seen.map(({ raw }) => raw)).toEqual((await readFrames(stream, isIdle)).map(({ raw }) => raw))
    } finally {
      await world.dispose()
    }
  })
})

describe.skipIf(noTools)('workerd killed in the middle of a run', () => {
  test('[CF8] what was seen is still there; a run that died with it has ended, one that waits goes on', async () => {
    let world = await startTestWorker()
    const { folder } = world
    const agent = (id: string) => `${world.url}/agents/scripted/${id}`
    try {
      const long = scriptBody({ text: 'abcdefghij', chunks: 10, everyMs: 200 })
      post(agent('dying'), long).catch(() => {})
      const waiting = scriptBody({ approve: 'write', id: 'c1', args: { n: 1 }, reason: 'asks' }, { text: 'written' })
      post(agent('waiting'), waiting).catch(() => {})
      const seen = await readFrames(`${agent('dying')}/stream`, (frames) => frames.length === 4)
      const asked = await readFrames(`${agent('waiting')}/stream`, (frames) =>
        frames.some(({ data }) => data.type === 'approval_requested'),
      )
      await world.kill()
      world = await startTestWorker({ folder })
      const all = await readFrames(`${agent('dying')}/stream`, isIdle)
      expect(all.slice(0, 4).map(({ raw }) => raw)).toEqual(seen.map(({ raw }) => raw))
      expect(all.at(-2)?.data).toMatchObject({ type: 'error', data: { reason: 'interrupted' } })
      const approvalId = String(asked.at(-1)?.data.data.approvalId)
      expect((await post(`${world.url}/sessions/waiting/approvals/${approvalId}/approve`, {})).status).toBe(200)
      const rest = await readFrames(`${agent('waiting')}/stream`, isIdle)
      expect(rest.at(-2)?.data).toMatchObject({ type: 'result', data: { result: 'written' } })
      expect((await post(agent('dying'), scriptBody({ text: 'again' }))).body.result).toBe('again')
    } finally {
      await world.dispose()
    }
  })
})
