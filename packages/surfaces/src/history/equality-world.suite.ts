// An app with sessions of several kinds, and everything that it told its clients while they ran: the answers of the detail route and
// the states of the transport, each by the number of its event.
import { createHash } from 'node:crypto'
import { type AgentDefinition, agent } from '@bridle/agents/agent'
import { nativeRunner } from '@bridle/agents/in-process/native'
import { subagent } from '@bridle/agents/subagents/subagent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { tool } from '@bridle/agents/tools/tool'
import { reduceFrontend } from '@bridle/client/frontend/reducer'
import { emptyFrontendState, type FrontendState } from '@bridle/client/frontend/state'
import { History } from '@bridle/history/history'
import type { DeltaOperation } from '@bridle/kernel/delta'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { hostChildSessions } from '@bridle/kernel/host/child-sessions'
import type { Runner } from '@bridle/kernel/ports/runner'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import { applyToState } from '@bridle/kernel/state-operations'
import type { ChatSession } from '@bridle/wire/frontend/wire'
import type { SessionLogPage } from '@bridle/wire/http/wire'
import { expect, vi } from 'vitest'
import { readEnvelopes } from '../frontend/frontend.suite.ts'
import { type SocketOpener, upgradeSocket } from '../http/streams/socket-route.ts'
import { testApp } from '../http/test-app.suite.ts'
import { transportSocketRoutes } from '../transport/routes.ts'

const T0 = 1_700_000_000_000

/** A model agent: it looks up, asks a person before it sends, and says what came of it. */
const clerk = agent({
  name: 'clerk',
  instructions: 'You write letters.',
  tools: [
    tool({ name: 'look_up', description: 'Finds an address.', effect: 'pure', run: () => ({ street: 'Elm Row 4' }) }),
    // The model gets an excerpt of a result as large as this.
    tool({ name: 'list', description: 'Lists all.', effect: 'pure', run: () => 'Elm Row 4, Ada. '.repeat(3_000) }),
    tool({ name: 'send', description: 'Sends a letter.', approve: true, run: () => 'sent' }),
  ],
  model: scriptedModel(({ prompt, step }) => {
    if (step === 1)
      return { thinking: 'Who is it?', text: 'Looking. ', calls: [{ tool: 'look_up', input: { who: prompt } }] }
    if (step === 2)
      return {
        calls: [{ tool: 'send', input: { who: prompt } }, { tool: 'list' }],
      }
    return { text: `The letter to ${prompt} is out.`, usage: { inputTokens: 70, outputTokens: 9 } }
  }),
})

/** A model agent that asks another one, in a session of its own. */
const editor = agent({
  name: 'editor',
  use: [subagent({ agents: [clerk] })],
  model: scriptedModel(({ prompt, step }) =>
    step === 1
      ? { calls: ['Ada', 'Ben'].map((who) => ({ tool: 'ask_clerk', input: { task: `${prompt} ${who}` } })) }
      : { text: 'Both are done.' },
  ),
})

/** A durable function with steps, memory, proposals, a signal and a question. */
const keeper = agent({
  name: 'keeper',
  run: async ({ input, session }) => {
    await session.text('One moment. ')
    const size = await session.step('measure', () => 12)
    await session.memory.set('size', size)
    await session.memory.propose('colour', 'red', { reason: 'They said so.' })
    await session.emit('step_progress', { plan: ['measure', 'cut'] })
    const cut = await session.waitFor<string>('cut')
    await session.checkpoint(`cut ${cut}`)
    await session.tool('glue', { parts: 2 }, () => ({ held: true }), { effect: 'pure' })
    const { approved } = await session.approval({ subject: 'paint', reason: 'Paint it?', args: { colour: 'red' } })
    await session.artifact('plan.txt', `the plan of ${input.prompt}`)
    await session.usage({ inputTokens: 20, outputTokens: 5, costUsd: 0.01 })
    if (!approved) throw new Error('It may not be painted.')
    return { size, cut }
  },
})

/** An engine in a sandbox: its first turn waits for one, and each turn leaves the handle of the engine's own session. */
const engine: Runner = {
  identity: { engine: 'claude', runnerKind: 'bridge' },
  start: async ({ runId, resume }, reporter) => {
    await reporter.report([{ type: 'sandbox_awaited', reason: 'All sandboxes are busy.' }])
    await reporter.report([
      { type: 'sandbox_awaited', reason: null },
      {
        ...{ type: 'started', handle: { sandbox: 'box-7', address: SECRETS[0] }, steer: true, resumable: true },
        ...{ provider: 'anthropic', model: 'claude-x' },
        sandbox: { requested_backend: 'container', resolved_backend: 'container', isolation: 'container' },
      },
    ])
    await reporter.report([{ type: 'event', event: { type: 'token', payload: { text: `in ${runId}` } } }])
    await reporter.report([
      {
        type: 'event',
        event: { type: 'usage', payload: { input_tokens: 5, output_tokens: 2, model: 'claude-small' } },
      },
    ])
    await reporter.report([{ type: 'finished', result: resume === null ? 'new' : 'resumed', resume: SECRETS[1] }])
    return 'done'
  },
  attach: async () => 'lost',
  abort: async () => null,
  answer: async () => {},
}

/** The address of a runner, and the handle of an engine. Neither leaves the server. */
export const SECRETS = ['http://10.0.0.7:4000/of-the-runner', 'handle-of-the-engine'] as const

export const equalityWorld = () => {
  let now = T0
  const clock = {
    now: () => now,
    after: (ms: number, call: () => void) => {
      const timer = setTimeout(call, ms)
      return () => clearTimeout(timer)
    },
  }
  const digest = async (text: string) => createHash('sha256').update(text).digest('hex')
  const children = hostChildSessions(() => it.host)
  const runnerOf = (definition: AgentDefinition) => nativeRunner(definition, { clock, digest, children })
  const it: ReturnType<typeof testApp> = testApp(
    {},
    {
      clerk: runnerOf(clerk),
      editor: runnerOf(editor),
      'editor.clerk': runnerOf(clerk),
      keeper: runnerOf(keeper),
      engine,
    },
  )
  /** The answers of the detail route, by session and number. */
  const details = new Map<string, Map<number, ChatSession>>()
  /** The states that the transport's clients had, by session and number. */
  const states = new Map<string, Map<number, HarnessState>>()
  const histories = new Map<string, Promise<History>>()
  const pending: Promise<unknown>[] = []

  const advance = (ms: number): void => {
    now += ms
    it.advance(ms)
  }
  const detail = async (id: string): Promise<ChatSession> => {
    const { status, body } = await it.get(`/chat/sessions/${id}`)
    expect(status).toBe(200)
    const answer = body as unknown as ChatSession
    byId(details, id).set(Number(answer.lastEventId.slice(3)), answer)
    return answer
  }
  /** Watches a session as a page does, and asks for its detail after each message. */
  const watch = async (id: string, agentName: string): Promise<void> => {
    const request = new Request(`http://127.0.0.1/ws?sessionId=${id}&agent=${agentName}`)
    const opener = (await upgradeSocket(transportSocketRoutes, request, '', it.app.ports)) as SocketOpener
    let state: HarnessState | null = null
    opener({
      send: (texts) => {
        for (const text of texts) {
          const message = JSON.parse(text) as {
            type: string
            seq: number
            state: HarnessState
            operations: DeltaOperation[]
          }
          if (message.type === 'state') state = message.state
          else if (message.type === 'delta' && state) state = applyToState(state, message.operations)
          else continue
          byId(states, id).set(message.seq, state)
          pending.push(detail(id))
        }
      },
      close: () => {},
      buffered: () => 0,
      drained: async () => {},
    })
  }
  const until = async (id: string, holds: (answer: ChatSession) => boolean): Promise<void> =>
    vi.waitFor(
      async () => {
        const answer = await detail(id)
        if (!holds(answer)) throw new Error(`It never came to that: ${JSON.stringify(answer)}`)
      },
      { timeout: 5_000, interval: 2 },
    )
  const approve = async (id: string, body: object = {}): Promise<void> => {
    await until(id, ({ approvals }) => approvals.length > 0)
    const { approvals } = await detail(id)
    advance(700)
    await it.post(`/sessions/${id}/approvals/${approvals[0]?.id}/approve`, body)
  }
  const keyOf = (id: string, agentName: string): Key => ({ tenant: 'default', agent: agentName, id })
  const settled = async (): Promise<void> => {
    while (pending.length > 0) await Promise.all(pending.splice(0))
  }
  /** The events that the server has, with all that it withholds. */
  const eventsOf = async (id: string, agentName: string): Promise<readonly AnyEvent[]> => {
    const session = await it.host.open(keyOf(id, agentName))
    const events: AnyEvent[] = []
    for (let page = await session.readWithContent(0, 500); page.length > 0; ) {
      events.push(...page)
      page = await session.readWithContent(events.at(-1)?.seq ?? 0, 500)
    }
    return events
  }
  /** The history of a session that has ended, from the pages of its log. */
  const historyOf = (id: string): Promise<History> => {
    const known = histories.get(id) ?? readHistory(id)
    histories.set(id, known)
    return known
  }
  const readHistory = async (id: string): Promise<History> => {
    let page = (await it.get(`/sessions/${id}/log?limit=60`)).body as unknown as SessionLogPage
    const history = new History({ ...page.session, incarnation: page.incarnation })
    history.append(page.entries)
    while (page.next !== null) {
      page = (await it.get(`/sessions/${id}/log?limit=60&after=${page.next}`)).body as unknown as SessionLogPage
      history.append(page.entries)
    }
    return history
  }
  /** The state of a screen over the stream, by the number of the last envelope. */
  const screens = async (id: string): Promise<ReadonlyMap<number, FrontendState>> => {
    const history = await historyOf(id)
    const { events } = history.at(history.head)
    const frames = await readEnvelopes(it, `/chat/sessions/${id}/events/stream?tier=debug&replay=all`, (all) =>
      all.some(({ data }) => data.seq === events.seq && data.type !== 'session'),
    )
    const found = new Map<number, FrontendState>()
    let state = emptyFrontendState
    for (const { data } of frames) {
      state = reduceFrontend(state, data)
      if (data.type !== 'session') found.set(data.seq, state)
    }
    return found
  }
  return {
    ...it,
    advance,
    detail,
    details,
    states,
    watch,
    until,
    approve,
    keyOf,
    settled,
    eventsOf,
    historyOf,
    screens,
  }
}

const byId = <T>(map: Map<string, Map<number, T>>, id: string): Map<number, T> => {
  const found = map.get(id) ?? new Map<number, T>()
  map.set(id, found)
  return found
}
