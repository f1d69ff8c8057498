// What the app-server of Codex says -> what the runner says. No I/O: a notice and what was seen before it go in, events
// come out.
//
// Codex is read with care: a newer one may say more, and one that says rubbish must cost the turn nothing but that line.
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { RunnerEvent } from '../protocol.ts'
import { elapsed, kindOf } from './codex-calls.ts'
import { count, defined, isObject, listOf, objectOf, outputText, parsedObject, textIn } from './loose.ts'

/** A JSON-RPC notification. */
export interface Notice {
  readonly method: string
  readonly params: JsonObject
}

/** A call that has been announced and has not ended. */
export interface Call {
  readonly name: string
  readonly input: JsonObject
  /** Codex lets a command outlive its turn. */
  readonly background: boolean
}

/** What a session has heard so far that a later notice does not repeat. */
export interface Seen {
  readonly thread: string
  turn: string | null
  /** Of the turn: its calls by id, those under way, and why one was declined. */
  readonly told: Set<string>
  readonly open: Map<string, Call>
  readonly denials: Map<string, string>
  /** Ids under which an approval was asked for. */
  readonly questions: Set<string>
  /** Calls as the model made them, until their output: the only trace of one that codex makes no item of. */
  readonly raw: Map<string, { name: string; input: JsonObject }>
  /** Text of the messages that are whole, the one under way, and whether a tool has parted them. */
  settled: string
  message: { id: string; text: string } | null
  parted: boolean
  /** The last message: how the turn answers. */
  answer: string | undefined
  readonly thought: Set<string>
  retries: number
  failure: JsonObject | null
  retried: JsonObject | null
  /** Of the session: warnings said, tokens by thread, agents by their thread. */
  readonly warned: Set<string>
  readonly tokens: Map<string, number>
  readonly agents: Map<string, Agent>
}

interface Agent {
  /** That began it. */
  readonly call: string | undefined
  /** The turn it is in. */
  turn: string | null
  summary: string | undefined
}

export const seenNothing = (thread: string): Seen => ({
  thread,
  turn: null,
  told: new Set(),
  open: new Map(),
  denials: new Map(),
  questions: new Set(),
  raw: new Map(),
  settled: '',
  message: null,
  parted: false,
  answer: undefined,
  thought: new Set(),
  retries: 0,
  failure: null,
  retried: null,
  warned: new Set(),
  tokens: new Map(),
  agents: new Map(),
})

/** The next turn, as yet without an id. */
export const newTurn = ({ thread, warned, tokens, agents }: Seen): Seen => ({
  ...seenNothing(thread),
  warned,
  tokens,
  agents,
})

export const eventsOf = ({ method, params }: Notice, seen: Seen): RunnerEvent[] => {
  const thread = textIn(params, 'threadId') ?? seen.thread
  const read = Object.hasOwn(notices, method) ? notices[method]! : null
  if (!read) return []
  if (thread !== seen.thread) return FROM_AGENTS.has(method) ? read(params, seen, agentOf(seen, thread)) : []
  // Of a turn before: a command that went on in the background.
  const turn = textIn(params, 'turnId')
  if (turn !== undefined && turn !== seen.turn && method !== 'thread/tokenUsage/updated') return []
  return read(params, seen, null)
}

/** The turn is over and these calls and agents are not. */
export const leftOpen = (seen: Seen, ended: 'completed' | 'interrupted' | 'failed'): RunnerEvent[] => {
  const calls = [...seen.open].map(([toolUseId, { name, background }]): RunnerEvent => {
    const running = ended === 'completed' && background
    const outcome = running ? { status: 'ok' as const, result: { running: true } } : STOPPED[ended]
    return { type: 'tool.completed', toolUseId, toolName: name, outcome }
  })
  seen.open.clear()
  const agents = active(seen).map(({ threadId }): RunnerEvent => {
    seen.agents.get(threadId)!.turn = null
    return { type: 'subagent.completed', agentId: threadId, status: 'interrupted' }
  })
  return [...calls, ...agents]
}

/** The turns that agents are in. */
export const active = ({ agents }: Seen): { threadId: string; turnId: string }[] =>
  [...agents].flatMap(([threadId, { turn }]) => (turn === null ? [] : [{ threadId, turnId: turn }]))

const STOPPED = {
  interrupted: { status: 'error', reason: 'interrupted', error: 'The turn was interrupted before the call ended.' },
  failed: { status: 'error', reason: 'turn_failed', error: 'The turn failed before the call ended.' },
  completed: { status: 'error', reason: 'unknown', error: 'Codex did not say how the call ended.' },
} as const

type Read = (params: JsonObject, seen: Seen, agent: Speaker | null) => RunnerEvent[]
/** The agent whose thread it is; null = the session's own. */
type Speaker = Agent & { readonly id: string }

const notices: Record<string, Read> = {
  'turn/started': ({ turn }, seen, agent) => {
    const id = textIn(turn, 'id') ?? null
    if (!agent) {
      seen.turn ??= id
      return []
    }
    const known = seen.agents.has(agent.id)
    const call = known ? agent.call : onlySpawn(seen)
    seen.agents.set(agent.id, { call, summary: undefined, turn: id })
    return known ? [] : [begun(agent.id, call)]
  },

  'turn/completed': ({ turn }, seen, agent) => {
    if (!agent) return []
    const { summary } = agent
    seen.agents.set(agent.id, { call: agent.call, summary, turn: null })
    const status = textIn(turn, 'status') ?? 'completed'
    return [{ type: 'subagent.completed', agentId: agent.id, status, ...(summary && { summary }) }]
  },

  'item/started': ({ item }, seen, agent) => started(objectOf(item), seen, agent),
  'item/completed': ({ item }, seen, agent) => completed(objectOf(item), seen, agent),

  'item/agentMessage/delta': (params, seen) => {
    const text = textIn(params, 'delta')
    return text ? [delta(seen, textIn(params, 'itemId') ?? '', text)] : []
  },

  'item/reasoning/summaryTextDelta': (params, seen) => thinking(params, seen),
  'item/reasoning/textDelta': (params, seen) => thinking(params, seen),
  'item/reasoning/summaryPartAdded': ({ summaryIndex }) =>
    Number(summaryIndex) > 0 ? [{ type: 'thinking.delta', text: '\n\n' }] : [],

  'thread/tokenUsage/updated': (params, seen, agent) => {
    const { total, last, modelContextWindow } = objectOf(params.tokenUsage)
    const thread = agent?.id ?? seen.thread
    const sum = count(objectOf(total).totalTokens)
    // It is said again after an interrupt, and of an old turn after a resume.
    if (sum === undefined || sum === seen.tokens.get(thread)) return []
    seen.tokens.set(thread, sum)
    if (!agent && params.turnId !== seen.turn) return []
    const { inputTokens, outputTokens, totalTokens } = objectOf(last)
    const window = count(modelContextWindow)
    const used = count(totalTokens)
    const spent = { inputTokens: count(inputTokens), outputTokens: count(outputTokens), totalTokens: used }
    const shown = !agent && window && used !== undefined
    return [
      {
        type: 'usage',
        ...defined(spent),
        ...(shown && { contextUsagePct: Math.min(100, Math.round((used / window) * 1_000) / 10) }),
      },
    ]
  },

  error: ({ error, willRetry }, seen) => {
    const said = objectOf(error)
    if (willRetry !== true) {
      seen.failure = said
      return []
    }
    seen.retried = said
    // What the cut stream said is said again.
    const cut = seen.message !== null && seen.message.text !== ''
    seen.message = null
    const status = statusOf(said)
    const reason = textIn(said, 'additionalDetails') ?? textIn(said, 'message') ?? 'The request failed.'
    return [
      ...(cut ? [{ type: 'assistant.text' as const, text: seen.settled }] : []),
      { type: 'retry', attempt: ++seen.retries, reason, ...(status !== undefined && { status }) },
    ]
  },

  'hook/started': ({ run }) => hook(objectOf(run), 'started'),
  'hook/completed': ({ run }) => hook(objectOf(run), 'completed'),

  // It repeats itself from turn to turn.
  warning: ({ message }, seen) => {
    if (typeof message !== 'string' || seen.turn === null || seen.warned.has(message)) return []
    seen.warned.add(message)
    return [{ type: 'context.warning', kind: 'engine', message }]
  },

  'model/rerouted': ({ fromModel, toModel }) => [
    { type: 'context.warning', kind: 'model_rerouted', message: `${toModel} answers in place of ${fromModel}.` },
  ],

  'rawResponseItem/completed': ({ item }, seen, agent) => {
    const said = objectOf(item)
    const id = textIn(said, 'call_id')
    const kind = textIn(said, 'type') ?? ''
    if (id === undefined) return []
    if (kind === 'function_call' || kind === 'custom_tool_call') {
      const input = parsedObject(said.arguments) ?? { input: (said.arguments ?? said.input ?? null) as Json }
      seen.raw.set(id, { name: textIn(said, 'name') ?? 'tool', input })
      return []
    }
    const call = seen.raw.get(id)
    seen.raw.delete(id)
    if (!kind.endsWith('_output') || !call || seen.told.has(id)) return []
    seen.told.add(id)
    const output = outputText(said.output)
    const outcome = SILENT.has(call.name)
      ? { status: 'ok' as const, result: output }
      : { status: 'error' as const, error: output }
    return [announced(id, call, agent?.call), { type: 'tool.completed', toolUseId: id, toolName: call.name, outcome }]
  },
}

/** What an agent's own thread is heard for: its text is its own affair. */
const FROM_AGENTS = new Set([
  'turn/started',
  'turn/completed',
  'item/started',
  'item/completed',
  'thread/tokenUsage/updated',
  'rawResponseItem/completed',
])

/** Tools that codex never makes an item of. A call of any other one without an item was refused or stopped. */
const SILENT = new Set([
  'write_stdin',
  'update_plan',
  'get_goal',
  'create_goal',
  'update_goal',
  'list_mcp_resources',
  'list_mcp_resource_templates',
  'read_mcp_resource',
  'tool_search',
])

const started = (item: JsonObject, seen: Seen, agent: Speaker | null): RunnerEvent[] => {
  const kind = kindOf(item)
  const id = textIn(item, 'id')
  if (!kind || id === undefined || seen.told.has(id)) return []
  const call = { name: kind.name(item), input: kind.input(item), background: item.type === 'commandExecution' }
  seen.told.add(id)
  seen.open.set(id, call)
  if (!agent) seen.parted = true
  return [announced(id, call, agent?.call, kind.pure?.(item))]
}

const completed = (item: JsonObject, seen: Seen, agent: Speaker | null): RunnerEvent[] => {
  const id = textIn(item, 'id') ?? ''
  if (item.type === 'agentMessage') return agent ? heard(item, seen, agent) : message(id, textIn(item, 'text'), seen)
  if (item.type === 'reasoning') return agent ? [] : reasoned(id, item, seen)
  if (item.type === 'contextCompaction') return agent ? [] : [{ type: 'compaction', trigger: 'auto' }]
  if (item.type === 'subAgentActivity') return activity(item, seen)
  const kind = kindOf(item)
  if (!kind) return []
  const first = started(item, seen, agent)
  const call = seen.open.get(id)
  if (!call) return first
  seen.open.delete(id)
  const outcome = { ...kind.outcome(item, seen.denials.get(id)), ...elapsed(item) }
  return [
    ...first,
    { type: 'tool.completed', toolUseId: id, toolName: call.name, outcome },
    ...(item.type === 'collabAgentToolCall' ? spawned(id, item, seen) : []),
  ]
}

const announced = (
  id: string,
  { name, input }: { name: string; input: JsonObject },
  parent: string | undefined,
  pure = false,
): RunnerEvent => ({
  type: 'tool.started',
  toolName: name,
  toolUseId: id,
  input,
  ...(pure && { effect: 'pure' }),
  ...(parent !== undefined && { parentToolUseId: parent }),
})

const delta = (seen: Seen, id: string, text: string): RunnerEvent => {
  let shown = text
  if (seen.message?.id !== id) {
    // One that was steered away from never ends: what it said stands.
    seen.settled += seen.message?.text ?? ''
    if (seen.settled !== '' && !seen.parted) shown = `\n\n${text}`
    seen.message = { id, text: '' }
  }
  seen.parted = false
  seen.message.text += shown
  return { type: 'assistant.delta', text: shown }
}

const message = (id: string, whole: string | undefined, seen: Seen): RunnerEvent[] => {
  const events: RunnerEvent[] = []
  if (whole && seen.message?.id !== id) events.push(delta(seen, id, whole))
  const said = seen.message?.id === id ? seen.message.text : ''
  seen.message = null
  if (whole === undefined) return events
  seen.answer = whole
  if (said === whole || said === `\n\n${whole}`) seen.settled += said
  else {
    seen.settled += whole
    events.push({ type: 'assistant.text', text: seen.settled })
  }
  return events
}

const thinking = (params: JsonObject, seen: Seen): RunnerEvent[] => {
  const text = textIn(params, 'delta')
  if (!text) return []
  seen.thought.add(textIn(params, 'itemId') ?? '')
  return [{ type: 'thinking.delta', text }]
}

const reasoned = (id: string, { summary, content }: JsonObject, seen: Seen): RunnerEvent[] => {
  const said = [...listOf(summary), ...listOf(content)].filter((part) => typeof part === 'string')
  return seen.thought.has(id) || said.length === 0 ? [] : [{ type: 'thinking.delta', text: said.join('\n\n') }]
}

const agentOf = (seen: Seen, id: string): Speaker => {
  const known = seen.agents.get(id)
  return { id, call: known?.call, turn: known?.turn ?? null, summary: known?.summary }
}

const heard = (item: JsonObject, seen: Seen, agent: Speaker): RunnerEvent[] => {
  const known = seen.agents.get(agent.id)
  if (known) known.summary = textIn(item, 'text')
  return []
}

const spawned = (call: string, { tool, receiverThreadIds }: JsonObject, seen: Seen): RunnerEvent[] =>
  tool !== 'spawnAgent'
    ? []
    : listOf(receiverThreadIds).flatMap((id) => {
        if (typeof id !== 'string' || seen.agents.has(id)) return []
        seen.agents.set(id, { call, turn: null, summary: undefined })
        return [begun(id, call)]
      })

/** An agent may begin before the call that began it has ended and named it. With one such call there is no doubt. */
const onlySpawn = ({ open, agents }: Seen): string | undefined => {
  const taken = new Set([...agents.values()].map(({ call }) => call))
  const calls = [...open].filter(([id, { name }]) => name === 'spawnAgent' && !taken.has(id))
  return calls.length === 1 ? calls[0]![0] : undefined
}

const begun = (agentId: string, call: string | undefined): RunnerEvent => ({
  type: 'subagent.started',
  agentId,
  ...(call !== undefined && { toolUseId: call }),
})

const activity = (item: JsonObject, seen: Seen): RunnerEvent[] => {
  const agentId = textIn(item, 'agentThreadId')
  if (agentId === undefined) return []
  if (item.kind === 'started') {
    if (seen.agents.has(agentId)) return []
    seen.agents.set(agentId, { call: undefined, turn: null, summary: undefined })
    return [begun(agentId, undefined)]
  }
  return item.kind === 'interacted' ? [{ type: 'subagent.progress', agentId }] : []
}

const hook = (run: JsonObject, phase: string): RunnerEvent[] => {
  const name = textIn(run, 'eventName')
  const status = textIn(run, 'status')
  return name === undefined ? [] : [{ type: 'hook', hook: name, phase, ...(status !== undefined && { status }) }]
}

/** The HTTP status in an error's code; undefined = the code has none, null = there was no answer. */
export const statusOf = ({ codexErrorInfo }: JsonObject): number | null | undefined => {
  if (!isObject(codexErrorInfo)) return undefined
  const [detail] = Object.values(codexErrorInfo)
  const { httpStatusCode } = objectOf(detail)
  return httpStatusCode === null ? null : count(httpStatusCode)
}
