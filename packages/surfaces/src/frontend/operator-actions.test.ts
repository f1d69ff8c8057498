import { describe, expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { collectFrames } from '../http/test-client.suite.ts'
import { hasType, isStatus, readEnvelopes, scriptPrompt, startedSession, waitForDetail } from './frontend.suite.ts'

type TestApp = ReturnType<typeof testApp>
const wait = scriptPrompt({ text: 'a' }, { sleepMs: 60_000 })

interface FabricFrame {
  readonly id: string | null
  readonly raw: string
  readonly data: { readonly type: string; readonly id: string; readonly data: Record<string, unknown> }
}

/** The operator actions on the Fabric stream, as soon as there are `many` of them. */
const fabricActs = async ({ app }: TestApp, id: string, many: number) => {
  const acts = (frames: readonly FabricFrame[]) =>
    frames.filter(({ data }) => ['operator_action', 'cancelled'].includes(data.type))
  const response = await app.fetch(new Request(`http://127.0.0.1/sessions/${id}/events`))
  return acts(await collectFrames<FabricFrame>(response, [], (frames) => acts(frames).length >= many)).map(
    ({ data }) => data.data,
  )
}

interface AuditAnswer {
  readonly audit: readonly { readonly event_id: string; readonly action: string; readonly actor: string | null }[]
  readonly next?: string
}

describe('[F35] what operators do is on every stream, in the channel and in the audit', () => {
  test('pause, policy, resume and cancel of three sessions, each with its own people', async () => {
    const it = testApp()
    const people = ['ada', 'bob', 'cyd']
    const ids = await Promise.all(people.map(() => startedSession(it, { prompt: wait }, isStatus('running'))))
    const each = (act: (id: string, actor: string) => Promise<unknown>) =>
      Promise.all(ids.map((id, index) => act(id, people[index] as string)))
    await each((id, actor) => it.post(`/sessions/${id}/pause`, { actor, reason: `${actor} sleeps` }))
    await each((id, actor) =>
      it.post(`/sessions/${id}/policy`, { actor, reason: 'dear', policy: { health: { max_cost_usd: 9 } } }),
    )
    await each((id) => waitForDetail(it, id, isStatus('paused')))
    await each((id, actor) => it.post(`/sessions/${id}/resume`, { actor, reason: 'morning' }))
    await each((id) => waitForDetail(it, id, isStatus('running')))
    await each((id, actor) => it.post(`/sessions/${id}/cancel`, { actor, reason: 'enough' }))
    await each(async (id, actor) => {
      const frames = await readEnvelopes(it, `/sessions/${id}/events/stream?tier=default`, hasType('cancel_requested'))
      const acts = frames.filter(({ data }) =>
        ['session_paused', 'policy_set', 'session_resumed', 'cancel_requested'].includes(data.type),
      )
      expect(acts.map(({ data }) => [data.type, data.payload.actor, data.payload.reason])).toEqual([
        ['session_paused', actor, `${actor} sleeps`],
        ['policy_set', actor, 'dear'],
        ['session_resumed', actor, 'morning'],
        ['cancel_requested', actor, 'enough'],
      ])
      expect(await fabricActs(it, id, 4)).toEqual([
        { action: 'pause', actor, actorClaimed: true, reason: `${actor} sleeps` },
        { action: 'policy', actor, actorClaimed: true, reason: 'dear' },
        { action: 'resume', actor, actorClaimed: true, reason: 'morning' },
        { runId: 'r-2', actor, actorClaimed: true, reason: 'enough' },
      ])
      const { body } = await it.get(`/sessions/${id}`)
      const { participants, envelopes } = body.channel as {
        participants: { participant_id: string }[]
        envelopes: { event_type: string; sender_id: string; summary: string; event_id: string }[]
      }
      expect(participants.map(({ participant_id }) => participant_id)).toContain('operator')
      expect(envelopes.filter(({ sender_id }) => sender_id === 'operator').map(({ summary }) => summary)).toEqual([
        `Paused by ${actor} (not signed in): ${actor} sleeps`,
        `Policy set by ${actor} (not signed in): dear · cost limit of $9.00`,
        `Resumed by ${actor} (not signed in): morning`,
        `Cancelled by ${actor} (not signed in): enough`,
      ])
      const timeline = (await it.get(`/agents/scripted/${id}`)).body.events as { type: string }[]
      expect(timeline.filter(({ type }) => type === 'operator_action')).toHaveLength(3)
    })
  })

  test('the audit pages, newest first, and each row names an event that is on the stream', async () => {
    const it = testApp()
    const id = await startedSession(it, { prompt: wait }, isStatus('running'))
    for (let round = 0; round < 15; round++) {
      const act = round % 3 === 2 ? 'policy' : round % 3 === 1 ? 'resume' : 'pause'
      await it.post(`/sessions/${id}/${act}`, { actor: `p${round}`, policy: { health: { max_cost_usd: round } } })
    }
    const rows: AuditAnswer['audit'][number][] = []
    let pages = 0
    for (let before = ''; ; pages++) {
      const { body } = await it.get(`/sessions/${id}/audit?limit=4${before}`)
      const { audit, next } = body as unknown as AuditAnswer
      expect(audit.length).toBeLessThanOrEqual(4)
      rows.push(...audit)
      if (next === undefined) break
      before = `&before=${next}`
    }
    expect(pages).toBe(3)
    expect(rows.map(({ actor }) => actor)).toEqual(Array.from({ length: 15 }, (_, round) => `p${14 - round}`))
    const { body } = await it.get(`/sessions/${id}`)
    const { audit } = body.health as { audit: AuditAnswer['audit'] }
    expect(audit).toEqual(rows.slice(0, 12).toReversed())
    const frames = await readEnvelopes(it, `/sessions/${id}/events/stream`, hasType('policy_set', 5))
    const seen = new Set(frames.map((frame) => `ev-${frame.id}`))
    expect(rows.filter(({ event_id }) => !seen.has(event_id))).toEqual([])
    expect((await it.get(`/sessions/${id}/audit?before=x`)).status).toBe(400)
    // A place of another incarnation is none of this log: the list begins again.
    expect((await it.get(`/sessions/${id}/audit?limit=4&before=ev-1~2`)).body.audit).toEqual(rows.slice(0, 4))
    expect((await it.get('/sessions/nobody/audit')).status).toBe(404)
    await it.post(`/sessions/${id}/cancel`)
  })

  test('a branch says who made it and why, in its own log; its parent’s decisions are not its own', async () => {
    const it = testApp()
    const id = await startedSession(it, { prompt: scriptPrompt({ text: 'done' }) }, isStatus('completed'))
    const head = String((await it.get(`/sessions/${id}`)).body.lastEventId)
    for (const actor of ['ada', 'bob', 'cyd']) {
      const from = { from_event_id: head, actor, reason: 'another try', prompt: scriptPrompt({ text: 'again' }) }
      const child = String((await it.post(`/sessions/${id}/resume`, from)).body.session_id)
      await waitForDetail(it, child, isStatus('completed'))
      expect(await fabricActs(it, child, 1)).toEqual([
        { action: 'branch', actor, actorClaimed: true, reason: 'another try', from: id, eventId: head },
      ])
      expect((await it.get(`/sessions/${child}/audit`)).body).toMatchObject({ audit: [{ action: 'branched', actor }] })
    }
    expect((await it.get(`/sessions/${id}`)).body.lastEventId).toBe(head)
    expect((await it.get(`/sessions/${id}/audit`)).body).toEqual({ audit: [] })
  })

  test('cancelling prompts that only wait is an act too', async () => {
    const it = testApp()
    const { body } = await it.post('/chat/sessions', { agent: 'scripted' })
    const path = `/chat/sessions/${body.session_id}/turns`
    const first = String((await it.post(path, { prompt: wait })).body.turn_id)
    const second = String((await it.post(path, { prompt: 'two' })).body.turn_id)
    const third = String((await it.post(path, { prompt: 'three' })).body.turn_id)
    await it.post(`/sessions/${body.session_id}/cancel`, { runId: second, actor: 'ada', reason: 'not that' })
    await it.post(`/sessions/${body.session_id}/cancel`, { queue: true, actor: 'bob', reason: 'all' })
    expect(await fabricActs(it, String(body.session_id), 3)).toEqual([
      { actor: 'ada', actorClaimed: true, reason: 'not that', runId: second },
      { actor: 'bob', actorClaimed: true, reason: 'all', runId: third },
      { actor: 'bob', actorClaimed: true, reason: 'all', runId: first },
    ])
  })
})
