// Notifications of Codex's app-server -> runner events, without I/O. A newer Codex may say more, and one that says rubbish costs the
// turn only that line.
import { countOf, isJsonObject, type Json, type JsonObject, objectOf, parseObject, present } from '@bridle/events/json'
import { costUsd, priceOf } from '@bridle/model-data/prices'
import type { RunnerEvent, RunnerEventOf } from '../../../protocol/protocol.ts'
import { MCP_WARNING, mcpProblemMessage } from '../../mcp-problems.ts'
import {
  type AgentThread,
  activeTurns,
  agentActivity,
  agentMessageCompleted,
  agentOf,
  agentStarted,
  agentsSpawned,
  onlySpawnCall,
} from './agents.ts'
import { callKindOf, elapsedOf } from './calls.ts'
import { outputText, textIn } from './lenient-json.ts'
import { messageCompleted, reasoningCompleted, textDelta, thinkingDelta } from './text.ts'
import type { CodexTurnState, RpcNotification } from './turn-state.ts'

export const runnerEventsOf = ({ method, params }: RpcNotification, seen: CodexTurnState): RunnerEvent[] => {
  const thread = textIn(params, 'threadId') ?? seen.thread
  const read = Object.hasOwn(notificationReaders, method) ? notificationReaders[method]! : null
  if (!read) return []
  if (thread !== seen.thread) return FROM_AGENTS.has(method) ? read(params, seen, agentOf(seen, thread)) : []
  // A command of an earlier turn that continued in the background.
  const turn = textIn(params, 'turnId')
  if (turn !== undefined && turn !== seen.turn && method !== 'thread/tokenUsage/updated') return []
  return read(params, seen, null)
}

/** Ends the calls and agents that are still open when the turn is over. */
export const closingEvents = (seen: CodexTurnState, ended: 'completed' | 'interrupted' | 'failed'): RunnerEvent[] => {
  const calls = [...seen.openCalls].map(([toolUseId, { name, background }]): RunnerEvent => {
    const running = ended === 'completed' && background
    const outcome = running ? { status: 'ok' as const, result: { running: true } } : STOPPED_OUTCOMES[ended]
    return { type: 'tool.completed', toolUseId, toolName: name, outcome }
  })
  seen.openCalls.clear()
  const agents = activeTurns(seen).map(({ threadId }): RunnerEvent => {
    seen.agents.get(threadId)!.turn = null
    return { type: 'subagent.completed', agentId: threadId, status: 'interrupted' }
  })
  // Codex does not wait for a server that hangs, and reports its failure only after the turn.
  const hanging = [...seen.startingServers].map((name) => mcpWarning(name, 'it did not answer in time.'))
  return [...calls, ...agents, ...hanging]
}

const mcpWarning = (name: string, reason: string): RunnerEventOf<'context.warning'> => ({
  ...{ type: 'context.warning', kind: MCP_WARNING, message: mcpProblemMessage(name, reason) },
})

/** Removes Codex's prefixes and repetitions. */
const startupError = (text: string): string => {
  const [, refusal] = /JSON-RPC error: -?\d+: (.*?)(?:: JSON-RPC error: .*)?$/s.exec(text) ?? []
  return refusal ?? text.replace(/^MCP client for `[^`]*` failed to start: (MCP startup failed: )?/, '')
}

const STOPPED_OUTCOMES = {
  interrupted: { status: 'error', reason: 'interrupted', error: 'The turn was interrupted before the call ended.' },
  failed: { status: 'error', reason: 'turn_failed', error: 'The turn failed before the call ended.' },
  completed: { status: 'error', reason: 'unknown', error: 'Codex did not say how the call ended.' },
} as const

type NotificationReader = (params: JsonObject, seen: CodexTurnState, agent: AgentThread | null) => RunnerEvent[]
const notificationReaders: Record<string, NotificationReader> = {
  'turn/started': ({ turn }, seen, agent) => {
    const id = textIn(turn, 'id') ?? null
    if (!agent) {
      seen.turn ??= id
      return []
    }
    const known = seen.agents.has(agent.id)
    const call = known ? agent.call : onlySpawnCall(seen)
    seen.agents.set(agent.id, { call, summary: undefined, turn: id })
    return known ? [] : [agentStarted(agent.id, call)]
  },

  'turn/completed': ({ turn }, seen, agent) => {
    if (!agent) return []
    const { summary } = agent
    seen.agents.set(agent.id, { call: agent.call, summary, turn: null })
    const status = textIn(turn, 'status') ?? 'completed'
    return [{ type: 'subagent.completed', agentId: agent.id, status, ...(summary && { summary }) }]
  },

  'item/started': ({ item }, seen, agent) => itemStarted(objectOf(item), seen, agent),
  'item/completed': ({ item }, seen, agent) => itemCompleted(objectOf(item), seen, agent),

  'item/agentMessage/delta': (params, seen) => {
    const text = textIn(params, 'delta')
    return text ? [textDelta(seen, textIn(params, 'itemId') ?? '', text)] : []
  },

  'item/reasoning/summaryTextDelta': (params, seen) => thinkingDelta(params, seen),
  'item/reasoning/textDelta': (params, seen) => thinkingDelta(params, seen),
  'item/reasoning/summaryPartAdded': ({ summaryIndex }) =>
    Number(summaryIndex) > 0 ? [{ type: 'thinking.delta', text: '\n\n' }] : [],

  'thread/tokenUsage/updated': (params, seen, agent) => {
    const { total, last, modelContextWindow } = objectOf(params.tokenUsage)
    const thread = agent?.id ?? seen.thread
    const sum = countOf(objectOf(total).totalTokens)
    // Codex repeats the usage after an interrupt, and that of an old turn after a resume.
    if (sum === undefined || sum === seen.tokens.get(thread)) return []
    seen.tokens.set(thread, sum)
    if (!agent && params.turnId !== seen.turn) return []
    const { inputTokens, cachedInputTokens, outputTokens, totalTokens } = objectOf(last)
    const window = countOf(modelContextWindow)
    const used = countOf(totalTokens)
    const spent = { inputTokens: countOf(inputTokens), outputTokens: countOf(outputTokens), totalTokens: used }
    const shown = !agent && window && used !== undefined
    return [
      {
        type: 'usage',
        ...present(spent),
        ...cost(spent, countOf(cachedInputTokens) ?? 0, seen.model),
        ...(seen.model && { model: seen.model }),
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
    seen.retriedError = said
    // Codex repeats the message of a stream that was cut.
    const cut = seen.message !== null && seen.message.text !== ''
    seen.message = null
    const status = httpStatusOf(said)
    const reason = textIn(said, 'additionalDetails') ?? textIn(said, 'message') ?? 'The request failed.'
    return [
      ...(cut ? [{ type: 'assistant.text' as const, text: seen.settledText }] : []),
      { type: 'retry', attempt: ++seen.retries, reason, ...(status !== undefined && { status }) },
    ]
  },

  'hook/started': ({ run }) => hookEvents(objectOf(run), 'started'),
  'hook/completed': ({ run }) => hookEvents(objectOf(run), 'completed'),

  // Codex repeats warnings in every turn.
  warning: ({ message }, seen) => {
    if (typeof message !== 'string' || seen.turn === null || seen.warnings.has(message)) return []
    seen.warnings.add(message)
    return [{ type: 'context.warning', kind: 'engine', message }]
  },

  'mcpServer/startupStatus/updated': ({ name, status, error }, seen) => {
    if (status === 'starting') seen.startingServers.add(String(name))
    else seen.startingServers.delete(String(name))
    if (status !== 'failed') return []
    const warning = mcpWarning(String(name), startupError(String(error ?? '')))
    // Codex starts its servers with the thread, before the first turn.
    if (seen.turn === null) seen.earlyWarnings.push(warning)
    return seen.turn === null ? [] : [warning]
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
      const input = parseObject(said.arguments) ?? { input: (said.arguments ?? said.input ?? null) as Json }
      seen.rawCalls.set(id, { name: textIn(said, 'name') ?? 'tool', input })
      return []
    }
    const call = seen.rawCalls.get(id)
    seen.rawCalls.delete(id)
    if (!kind.endsWith('_output') || !call || seen.announcedCalls.has(id)) return []
    seen.announcedCalls.add(id)
    const output = outputText(said.output)
    const outcome = isDone(call.name, output)
      ? { status: 'ok' as const, result: output }
      : { status: 'error' as const, error: output }
    return [callStarted(id, call, agent?.call), { type: 'tool.completed', toolUseId: id, toolName: call.name, outcome }]
  },
}

/** Notifications that are passed on from the thread of a subagent; its text is not part of the answer. */
const FROM_AGENTS = new Set([
  'turn/started',
  'turn/completed',
  'item/started',
  'item/completed',
  'thread/tokenUsage/updated',
  'rawResponseItem/completed',
])

/** Tools for which Codex never makes an item. Any other call without an item was refused or stopped. */
const TOOLS_WITHOUT_ITEM = new Set([
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

/** How the output of `exec`, which runs a script of tool calls, begins if the script reached its end. */
const SCRIPT_DONE = /^Script completed\b/

const isDone = (tool: string, output: string): boolean =>
  tool === 'exec' ? SCRIPT_DONE.test(output) : TOOLS_WITHOUT_ITEM.has(tool) && !UNSUPPORTED.test(output)

/** The answer of Codex to a call of a tool that does not exist. */
const UNSUPPORTED = /^unsupported (custom tool )?call\b/i

/** Codex reports no cost, so the price table estimates it. */
const cost = (
  { inputTokens = 0, outputTokens = 0 }: { inputTokens: number | undefined; outputTokens: number | undefined },
  cached: number,
  model: string,
) => {
  // Without a model there is no price, and readers would trust an invented number.
  if (model === '') return {}
  const read = Math.min(cached, inputTokens)
  const usage = {
    ...{ inputTokens: inputTokens - read, cacheReadTokens: read, outputTokens },
    ...{ cacheWriteTokens: 0, cacheWriteHourTokens: 0 },
  }
  return { costUsd: costUsd(usage, priceOf(model)), estimated: true }
}

const itemStarted = (item: JsonObject, seen: CodexTurnState, agent: AgentThread | null): RunnerEvent[] => {
  const kind = callKindOf(item)
  const id = textIn(item, 'id')
  if (!kind || id === undefined || seen.announcedCalls.has(id)) return []
  const call = { name: kind.name(item), input: kind.input(item), background: item.type === 'commandExecution' }
  seen.announcedCalls.add(id)
  seen.openCalls.set(id, call)
  if (!agent) seen.isParted = true
  return [callStarted(id, call, agent?.call, kind.pure?.(item))]
}

const itemCompleted = (item: JsonObject, seen: CodexTurnState, agent: AgentThread | null): RunnerEvent[] => {
  const id = textIn(item, 'id') ?? ''
  if (item.type === 'agentMessage')
    return agent ? agentMessageCompleted(item, seen, agent) : messageCompleted(id, textIn(item, 'text'), seen)
  if (item.type === 'reasoning') return agent ? [] : reasoningCompleted(id, item, seen)
  if (item.type === 'contextCompaction') return agent ? [] : [{ type: 'compaction', trigger: 'auto' }]
  if (item.type === 'subAgentActivity') return agentActivity(item, seen)
  const kind = callKindOf(item)
  if (!kind) return []
  const first = itemStarted(item, seen, agent)
  const call = seen.openCalls.get(id)
  if (!call) return first
  seen.openCalls.delete(id)
  const outcome = { ...kind.outcome(item, seen.denials.get(id)), ...elapsedOf(item) }
  return [
    ...first,
    { type: 'tool.completed', toolUseId: id, toolName: call.name, outcome },
    ...(item.type === 'collabAgentToolCall' ? agentsSpawned(id, item, seen) : []),
  ]
}

const callStarted = (
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

const hookEvents = (run: JsonObject, phase: string): RunnerEvent[] => {
  const name = textIn(run, 'eventName')
  const status = textIn(run, 'status')
  return name === undefined ? [] : [{ type: 'hook', hook: name, phase, ...(status !== undefined && { status }) }]
}

/** The HTTP status in an error's code; undefined = the code has none, null = there was no answer. */
export const httpStatusOf = ({ codexErrorInfo }: JsonObject): number | null | undefined => {
  if (!isJsonObject(codexErrorInfo)) return undefined
  const [detail] = Object.values(codexErrorInfo)
  const { httpStatusCode } = objectOf(detail)
  return httpStatusCode === null ? null : countOf(httpStatusCode)
}
