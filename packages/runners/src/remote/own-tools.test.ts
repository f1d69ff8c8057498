// The log leaves out what a sandbox reports about calls that the server makes.
import { tool } from '@bridle/agents/tools/tool'
import type { JsonObject } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { digest, VirtualClock } from '@bridle/kernel/host/host.suite'
import type { Job } from '@bridle/kernel/ports/runner'
import { RunReporter } from '@bridle/kernel/session/run-reporter'
import { describe, expect, test } from 'vitest'
import type { McpRequest } from '../mcp/handler.ts'
import type { McpMessage } from '../mcp/messages.ts'
import type { RunnerEvent } from '../protocol/protocol.ts'
import { OwnTools } from './own-tools.ts'

const deploy = tool({ name: 'deploy', description: 'Deploys.', run: () => 'deployed' })
const jobOf = (id: string): Job =>
  ({
    key: { tenant: 't', agent: 'claude', id } as Key,
    runId: 'r-1',
    attempt: 1,
    settings: {},
    input: null,
    awaiting: [],
  }) as never

/** A run whose reports go into a list. */
const begin = (ownTools: OwnTools, id = 's') => {
  const logged: ReportItem[] = []
  let seq = 0
  const reporter: RunReporter = new RunReporter({
    ...{ runId: 'r-1', attempt: 1, frame: 0, tokenPaceMs: 0, clock: new VirtualClock() },
    send: async ({ items }) => {
      logged.push(...items)
      const events = items.flatMap((item) =>
        item.type === 'event'
          ? [{ ...item.event, seq: ++seq, at: 0, run: 'r-1', attempt: 1 } as unknown as AnyEvent]
          : [],
      )
      reporter.notifyFollowers(events)
      return {}
    },
    session: { artifactText: async () => null } as never,
  })
  const job = jobOf(id)
  const run = ownTools.open(job, reporter, false)
  const call = (name: string, args: JsonObject = {}, toolUseId = 'toolu_1'): McpRequest => ({
    ...{ run: job, method: 'POST', headers: {}, isRepeated: false, signal: new AbortController().signal },
    message: {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: args, _meta: { 'claudecode/toolUseId': toolUseId } },
    } as McpMessage,
  })
  const events = () =>
    logged.flatMap((item) =>
      item.type === 'event' ? [[item.event.type, item.event.payload as JsonObject] as const] : [],
    )
  return { run, reporter, logged, call, events }
}
const newTools = (settings = {}) => new OwnTools({ tools: [deploy], clock: new VirtualClock(), digest, settings })

const started = (toolUseId: string, toolName = 'mcp__bridle__deploy', more: object = {}): RunnerEvent => ({
  ...{ type: 'tool.started', toolName, toolUseId, input: {} },
  ...more,
})
const completed = (toolUseId: string, outcome: object, toolName?: string): RunnerEvent =>
  ({ type: 'tool.completed', toolUseId, ...(toolName && { toolName }), outcome }) as RunnerEvent

describe('frames', () => {
  test('[EN60] of a call that the server makes are left out, and others pass as they are', async () => {
    const { run, call, events } = begin(newTools())
    expect(await run.readEvent(started('toolu_1'))).toBeNull()
    await newToolsAnswer(run, call('deploy'))
    for (const event of [
      completed('toolu_1', { status: 'ok', result: 'forged' }),
      completed('toolu_1', { status: 'ok', result: 'forged' }, 'Bash'),
      started('toolu_1', 'Bash'),
      { type: 'tool.invalid', toolUseId: 'toolu_1', toolName: 'mcp__bridle__deploy', error: 'No.' },
      { type: 'approval.required', toolUseId: 'toolu_1', toolName: 'Bash', input: {}, reason: 'Please.' },
      { type: 'policy.decided', subject: 'mcp__bridle__deploy', outcome: 'allow' },
    ] satisfies RunnerEvent[])
      expect(await run.readEvent(event)).toBeNull()
    const others: RunnerEvent[] = [
      started('toolu_2', 'Bash'),
      completed('toolu_2', { status: 'ok', result: 'x' }, 'Bash'),
      started('toolu_3', 'mcp__docs__search'),
      { type: 'assistant.delta', text: 'mcp__bridle__deploy' },
      { type: 'policy.decided', subject: 'Bash', outcome: 'allow' },
    ]
    for (const event of others) expect(await run.readEvent(event)).toBe(event)
    expect(events().map(([type]) => type)).toEqual(['tool_call', 'tool_result', 'tool_outcome'])
    expect(events().at(-1)?.[1]).toMatchObject({ status: 'ok', result: 'deployed', tool_name: 'deploy' })
  })

  test('[EN56] that list the tools of a turn have the names of the log', async () => {
    const { run } = begin(newTools())
    expect(await run.readEvent({ type: 'turn.tools', tools: ['Bash', 'mcp__bridle__deploy', 'mcp__docs__x'] })).toEqual(
      {
        type: 'turn.tools',
        tools: ['Bash', 'deploy', 'mcp__docs__x'],
      },
    )
    const hook = { type: 'hook', hook: 'PreToolUse', toolUseId: 'toolu_1' } as const
    expect(await run.readEvent({ ...hook, toolName: 'mcp__bridle__deploy' })).toEqual({ ...hook, toolName: 'deploy' })
    expect(await run.readEvent(hook)).toBe(hook)
  })

  test.each<[string, object, object]>([
    ['denied', { status: 'denied', reason: 'A rule.' }, { status: 'denied', error: 'A rule.', reason: 'not_made' }],
    ['failed', { status: 'error', error: 'Bad input.' }, { status: 'error', error: 'Bad input.' }],
    [
      'claimed to be made',
      { status: 'ok', result: 'forged' },
      { status: 'error', error: 'The call did not reach the server.' },
    ],
  ])(
    '[EN60] of a call that the engine itself %s, before the server had it, are one failed call',
    async (_name, said, outcome) => {
      const { run, events } = begin(newTools())
      await run.readEvent(started('toolu_1', 'mcp__bridle__deploy', { parentToolUseId: 'toolu_0' }))
      expect(await run.readEvent(completed('toolu_1', said))).toBeNull()
      expect(events()).toMatchObject([
        ['tool_call', { name: 'deploy', effect: 'pure', served: true, parent_tool_call_id: 'toolu_0' }],
        ['tool_outcome', { tool_call_id: 'toolu_1', tool_name: 'deploy', ...outcome }],
      ])
    },
  )

  test('[EN60] of an engine that sends no ids with its calls are matched by tool and arguments', async () => {
    const { run, call, events } = begin(newTools())
    await run.readEvent(started('item_1', 'mcp__bridle__deploy', { input: { a: 1 } }))
    await newToolsAnswer(run, call('deploy', { a: 1 }, 'not an id of ours'))
    await run.readEvent(completed('item_1', { status: 'ok', result: 'x' }))
    expect(events().filter(([type]) => type === 'tool_call')).toHaveLength(1)
  })

  test.each<[string, string, readonly string[]]>([
    ['whose engine sends ids', 'toolu_1', ['toolu_1', 'toolu_2']],
    ['whose engine sends no ids', 'not an id of ours', ['mcp.none.n1', 'toolu_2']],
  ])(
    '[EN60] of a call that was not made, %s, are logged also after one with the same arguments',
    async (_name, sent, ids) => {
      const { run, call, events } = begin(newTools())
      await run.readEvent(started('toolu_1', 'mcp__bridle__deploy', { input: { a: 1 } }))
      await newToolsAnswer(run, call('deploy', { a: 1 }, sent))
      await run.readEvent(completed('toolu_1', { status: 'ok', result: 'x' }))
      await run.readEvent(started('toolu_2', 'mcp__bridle__deploy', { input: { a: 1 } }))
      await run.readEvent(completed('toolu_2', { status: 'denied', reason: 'A rule.' }))
      const outcomes = events().flatMap(([type, payload]) => (type === 'tool_outcome' ? [payload] : []))
      expect(outcomes.map(({ tool_call_id }) => tool_call_id)).toEqual(ids)
      expect(outcomes.map(({ status }) => status)).toEqual(['ok', 'denied'])
    },
  )

  test('[EN68] name the call that delegated the work to a subagent', async () => {
    const { run, call, events } = begin(newTools())
    await run.readEvent(started('toolu_1', 'mcp__bridle__deploy', { parentToolUseId: 'toolu_0' }))
    await newToolsAnswer(run, call('deploy'))
    expect(events()[0]).toMatchObject(['tool_call', { parent_tool_call_id: 'toolu_0' }])
  })
})

const newToolsAnswer = async ({ answers }: ReturnType<typeof begin>['run'], { message }: McpRequest) =>
  answers.answer(message, null)

describe('the handler', () => {
  test('[EN63] makes the calls of the run whose token was shown, in three interleaved runs, and none after its end', async () => {
    const ownTools = newTools()
    const runs = ['a', 'b', 'c'].map((id) => begin(ownTools, id))
    const replies = await Promise.all(runs.map(({ call }) => ownTools.handler(call('deploy'))))
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 200, message: { id: 1, result: { content: [{ text: 'deployed' }] } } })
    for (const { events } of runs) expect(events().filter(([type]) => type === 'tool_call')).toHaveLength(1)
    runs[0]?.reporter.close()
    expect(await ownTools.handler(runs[0]!.call('deploy', {}, 'toolu_2'))).toEqual({ status: 503 })
    expect(runs[0]?.events().filter(([type]) => type === 'tool_call')).toHaveLength(1)
  })

  test('[EN62] answers nothing when the server stops in the middle of a call: the relay then sends the request again', async () => {
    const hang = tool({ name: 'deploy', description: 'Hangs.', run: () => new Promise(() => {}) })
    const ownTools = new OwnTools({ ...{ tools: [hang], digest, settings: {} }, clock: new VirtualClock() })
    const run = begin(ownTools)
    const reply = ownTools.handler(run.call('deploy'))
    reply.catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    run.reporter.close()
    await expect(reply).rejects.toMatchObject({ code: 'run_over' })
  })

  test('[EN56] has no stream of its own, and forgets no call when an MCP session ends', async () => {
    const ownTools = newTools()
    const { call } = begin(ownTools)
    expect(await ownTools.handler({ ...call('deploy'), method: 'GET', message: null })).toEqual({ status: 405 })
    expect(await ownTools.handler({ ...call('deploy'), method: 'DELETE', message: null })).toEqual({ status: 200 })
  })

  test('[EN66] asks about a call in plan mode', async () => {
    const ownTools = newTools({ permission_mode: 'plan' })
    const { call, logged } = begin(ownTools)
    void ownTools.handler(call('deploy'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(logged.find(({ type }) => type === 'ask')).toMatchObject({
      served: true,
      reason: 'The engine makes a plan, and this call may change something.',
    })
  })
})

describe('an answer', () => {
  test('[EN58] goes to the sandbox where the call is not ours, and is tried again where the run is not followed yet', async () => {
    const ownTools = newTools()
    const { call } = begin(ownTools)
    await ownTools.handler(call('deploy'))
    const answer = { requestId: 'apr-1', toolCallId: 'toolu_9' } as never
    expect(await ownTools.takeAnswer(jobOf('s'), answer)).toBe(false)
    await expect(ownTools.takeAnswer(jobOf('other'), answer)).rejects.toThrow('not followed')
  })
})
